// Chromium, and pages that note whatever goes wrong in them.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))(
  "playwright-core",
);

export function openBrowser() {
  // As root, in a container, its own sandbox cannot be set up; it shows nothing but our page.
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
}

export class Page {
  problems = []; // errors and warnings of the console, exceptions
  foreign = []; // requests to anybody but the server

  static async open(browser, server, hash, look = {}) {
    const page = new Page();
    page.context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: "light",
      ...look,
    });
    page.context.setDefaultTimeout(15_000);
    page.tab = await page.context.newPage();
    page.tab.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) page.problems.push(message.text());
    });
    page.tab.on("pageerror", (error) => page.problems.push(error.message));
    page.tab.on("request", (request) => {
      if (!request.url().startsWith(server.url)) page.foreign.push(request.url());
    });
    await page.tab.goto(`${server.url}/${hash}`);
    return page;
  }

  job(name) {
    return this.tab.locator(`tr[data-job="${name}"]`);
  }

  card(node, index) {
    return this.tab.locator(`.cards[data-node="${node}"] .card[data-card="${index}"]`);
  }

  connection(text) {
    return this.tab.getByRole("button", { name: text, exact: true });
  }

  // Another view of the same page, drawn with all that it asks for.
  async show(hash) {
    await this.tab.evaluate((to) => {
      window.location.hash = to;
    }, hash);
    for (const busy of await this.tab.locator("main .loading, [aria-busy=true]").all()) {
      await busy.waitFor({ state: "detached" });
    }
    await this.tab.locator("main > *").first().waitFor();
  }

  fits() {
    return this.tab.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll("main, main .view")].every(
        (box) => box.scrollWidth <= box.clientWidth,
      ),
    );
  }

  close() {
    return this.context.close();
  }
}
