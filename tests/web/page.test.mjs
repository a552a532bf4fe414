// What the page must do, in a browser, against a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, Page } from "./browser.mjs";
import { Server } from "./server.mjs";

const kOut = process.env.WEB_OUT;
const server = new Server();
let browser;

before(async () => {
  await server.start();
  browser = await openBrowser();
  await server.until("/v1/cluster", (cluster) => cluster.nodes_ready === 10);
});

after(async () => {
  await browser?.close();
  await server.close();
});

// Opens a page, and closes it with the claim that nothing went wrong in it.
async function onPage(hash, look, body) {
  const page = await Page.open(browser, server, hash, look);
  try {
    await page.connection("Live").waitFor();
    await body(page);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.foreign, []);
  } finally {
    await page.close();
  }
}

test("it comes with a strict policy, and its parts are kept for good", async () => {
  const index = await fetch(server.url);
  const policy = index.headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text())[1];
  const answer = await fetch(server.url + script);
  assert.match(answer.headers.get("cache-control"), /immutable/);
  const again = await fetch(server.url, {
    headers: { "If-None-Match": index.headers.get("etag") },
  });
  assert.equal(again.status, 304);
});

test("a job that is submitted appears by itself, with its place", async () => {
  await onPage("#/jobs", {}, async (page) => {
    await server.submit("first", "vision", 2);
    await page.job("first").getByText("running").waitFor();
    assert.match(await page.job("first").locator(".cell-why").innerText(), /^\S+:\[?\d/);
  });
});

test("one that must wait shows why, and what would start it", async () => {
  await server.submit("giant", "language", 9);
  await onPage("#/jobs", {}, async (page) => {
    await page.job("giant").getByText("pending").waitFor();
    await page.job("giant").locator(".reason").getByText("card").waitFor();
    await page.job("giant").click();
    const panel = page.tab.getByRole("complementary", { name: "Job giant" });
    const { answer } = await server.ask("GET", "/v1/jobs/giant/why");
    await panel.getByText(answer.primary_reason.text, { exact: true }).first().waitFor();
    await panel.getByText("submitted", { exact: true }).waitFor();
    await page.tab.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  });
});

test("hold, release and cancel ask first and then do it", async () => {
  await server.submit("worker", "search", 9);
  await onPage("#/jobs/worker", {}, async (page) => {
    const press = (name) => page.tab.getByRole("button", { name, exact: true });
    const dialog = page.tab.getByRole("dialog");
    await press("Hold").click();
    await press("Leave it").click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await server.ask("GET", "/v1/jobs/worker")).held, undefined);
    await press("Hold").click();
    await dialog.getByRole("button", { name: "Hold", exact: true }).click();
    await page.job("worker").getByText("held", { exact: true }).waitFor();
    assert.equal((await server.ask("GET", "/v1/jobs/worker")).held, true);
    await press("Release").click();
    await dialog.getByRole("button", { name: "Release", exact: true }).click();
    await page.job("worker").getByText("pending").waitFor();
    await press("Cancel job").click();
    await dialog.getByRole("button", { name: "Cancel job", exact: true }).click();
    await page.job("worker").waitFor({ state: "detached" });
    await server.until("/v1/jobs/worker", (job) => job.status === "cancelled");
  });
});

test("the map tells who has what, by pointer and by keyboard, and what is broken", async () => {
  await server.submit("slice", "guests", 1, { kind: "mig", mig_profile: "1g.10gb" });
  const job = await server.until("/v1/jobs/slice", (one) => one.status === "running");
  const [, node, card] = /^([^:]+):(\d+)/.exec(job.place);
  await onPage("#/fleet", {}, async (page) => {
    const tip = page.tab.locator(".tip");
    const place = page.card(node, card);
    await page.tab.getByRole("link", { name: /slice of guests, 1g\.10gb/ }).waitFor();
    await place.hover();
    await tip.getByText("slice", { exact: true }).waitFor();
    await page.tab.mouse.move(0, 0);
    await tip.waitFor({ state: "detached" });
    await page.card(node, 0).focus();
    await tip.getByText(`${node}:0`).waitFor();
    await page.tab.keyboard.press("ArrowRight");
    await tip.getByText(`${node}:1`).waitFor();
    await server.ask("POST", "/v1/nodes/a100-2/condition", { condition: "cordoned" });
    await page.tab.getByRole("group", { name: "node a100-2, A100-SXM4-80GB, cordoned" }).waitFor();
    await server.ask("POST", "/v1/nodes/a100-2/condition", { condition: "ready" });
    await page.tab.getByRole("group", { name: "node a100-2, A100-SXM4-80GB, ready" }).waitFor();
  });
});

test("a queue of the tree filters the rest", async () => {
  await onPage("#/jobs", {}, async (page) => {
    await page.job("giant").waitFor();
    await page.tab.locator(".queue-row", { hasText: "guests" }).click();
    await page.job("slice").waitFor();
    await page.job("giant").waitFor({ state: "detached" });
    await page.tab.getByRole("link", { name: "Fleet", exact: true }).click();
    await page.tab.locator(".part-dim").first().waitFor(); // that of "first"
    await page.tab.getByRole("link", { name: "Show all" }).click();
    await page.tab.locator(".part-dim").first().waitFor({ state: "detached" });
  });
});

test("a receipt says who gave what to whom, at which price", async () => {
  const h100 = { models: ["H100-SXM5-80GB"] };
  for (let i = 0; i < 5; ++i) await server.submit(`guest-${i}`, "guests", 8, h100);
  await server.until("/v1/jobs?queue=guests&status=running", (page) => page.items.length >= 5);
  await server.submit("owner", "chat", 8, h100);
  const { items } = await server.until("/v1/plans", (page) =>
    page.items.some((one) => one.job === "owner" && one.victims.length > 0),
  );
  const receipt = items.find((one) => one.job === "owner");
  await onPage("#/receipts", {}, async (page) => {
    const line = page.tab.locator(".receipt", { hasText: `#${receipt.receipt}` }).first();
    await line.getByText("owner", { exact: true }).waitFor();
    await line.getByText(receipt.victims[0].job, { exact: true }).waitFor();
    await line.getByText("its queue is below its guarantee").waitFor();
  });
});

test("it is whole on a desk, a wall and a phone", async () => {
  const looks = [
    ["1280-light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
    ["1920-dark", { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" }],
    ["390-light", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ];
  const views = ["fleet", "queues", "jobs", "jobs/giant", "receipts", "events"];
  for (const [name, look] of looks) {
    await onPage("#/fleet", look, async (page) => {
      for (const view of views) {
        await page.show(`#/${view}`);
        assert.ok(await page.fits(), `${view} at ${name} is wider than the screen`);
        const file = `${view.replace("/", "-")}-${name}.png`;
        await page.tab.screenshot({ path: join(kOut, file) });
      }
    });
  }
});

test("where a token is needed it asks for one, and keeps it in the tab only", async () => {
  const page = await Page.open(browser, server, "#/jobs");
  await page.tab.route("**/v1/**", async (route) => {
    if (route.request().headers()["authorization"] === "Bearer sesame") return route.continue();
    await route.fulfill({ status: 401, json: { error: { message: "a token is needed" } } });
  });
  await page.tab.reload();
  await page.connection("Token needed").waitFor();
  const banner = page.tab.getByRole("region", { name: "Token" });
  await banner.getByRole("textbox", { name: "Token" }).fill("sesame");
  await banner.getByRole("button", { name: "Use" }).click();
  await page.connection("Live").waitFor();
  await page.job("giant").waitFor();
  const kept = await page.tab.evaluate(() => ({
    session: Object.values(sessionStorage),
    local: Object.values(localStorage),
    cookie: document.cookie,
    address: location.href,
  }));
  assert.deepEqual(kept.session, ["sesame"]);
  assert.deepEqual([kept.local, kept.cookie], [[], ""]);
  assert.doesNotMatch(kept.address, /sesame/);
  await page.close();
});

test("it outlives a restart of the server, and says meanwhile that it is old", async () => {
  const page = await Page.open(browser, server, "#/jobs");
  await page.job("giant").waitFor();
  await page.connection("Live").waitFor();
  await server.stop();
  await page.connection("Not connected").waitFor();
  await page.tab
    .getByRole("alert")
    .getByText(/What you see is .* old/)
    .waitFor();
  await page.job("giant").waitFor(); // still there
  await server.start();
  await page.connection("Live").waitFor();
  await page.tab.getByRole("alert").waitFor({ state: "detached" });
  await server.submit("afterwards", "search", 9);
  await page.job("afterwards").getByText("pending").waitFor();
  // The browser itself notes each request that found nobody; nothing else may be wrong.
  const others = page.problems.filter((text) => !/net::ERR_|Failed to load resource/.test(text));
  assert.deepEqual(others, []);
  await page.close();
});
