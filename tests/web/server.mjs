// A `berth server --dev` of its own for a test: no jobs but those that the test submits.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kProgram = process.env.BERTH_PROGRAM;
const kStartMs = 20_000;

export class Server {
  #child;
  #folder = mkdtempSync(join(tmpdir(), "berth-web-"));
  #port = 0; // chosen by the first start, kept by the others

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  // Resolves once it listens.
  start() {
    const journal = join(this.#folder, "journal.db");
    const listen = `127.0.0.1:${this.#port}`;
    const words = ["server", "--dev", "--speed", "60", "--journal", journal];
    this.#child = spawn(kProgram, [...words, "--listen", listen, "--agents", "127.0.0.1:0"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Promise((done, failed) => {
      let told = "";
      const late = setTimeout(() => failed(new Error(`it did not start: ${told}`)), kStartMs);
      const hear = (piece) => {
        told += piece;
        const found = /listening on http:\/\/[^:]+:(\d+)/.exec(told);
        if (!found) return;
        clearTimeout(late);
        this.#port = Number(found[1]);
        done();
      };
      this.#child.stdout.on("data", hear);
      this.#child.stderr.on("data", hear);
      this.#child.once("error", failed);
      this.#child.once("exit", (code) => {
        clearTimeout(late);
        failed(new Error(`it ended with ${code}: ${told}`));
      });
    });
  }

  async stop() {
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.kill("SIGTERM");
    await ended;
  }

  async close() {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async ask(method, path, body) {
    const response = await fetch(this.url + path, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  // `more`: fields of the devices.
  submit(name, queue, count, more = {}) {
    const devices = { count, ...more };
    return this.ask("POST", "/v1/jobs", {
      name,
      queue,
      class: "training",
      roles: [{ containers: [{ cpu: 1, memory: "1GiB", devices }] }],
    });
  }

  // Until `holds` is true of the answer.
  async until(path, holds) {
    const end = Date.now() + kStartMs;
    for (;;) {
      const answer = await this.ask("GET", path);
      if (holds(answer)) return answer;
      if (Date.now() > end) throw new Error(`${path} stayed ${JSON.stringify(answer)}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
