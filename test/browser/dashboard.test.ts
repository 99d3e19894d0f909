// Tests of the dashboard in a real browser: the real server with a real training run, and what the page shows of its files.
// The page is the built one: npm run build comes first.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Dashboard, startDashboard } from "../../src/dashboard/server.ts";
import { shortNumber } from "../../src/report/text-format.ts";
import { parseEvent } from "../../src/run/event-lines.ts";
import { launchChromium, watchedPage } from "../support/chromium.ts";
import { end, evaluation, iteration, watchedFolder } from "../support/entry-folders.ts";
import { hook, overflow, seriousFindings } from "../support/page-checks.ts";

const VERSION = "0.0.0";

const folder = watchedFolder();
for (const [name, seed, tv] of [
  ["runs/b-0", 0, 0.25],
  ["runs/b-1", 1, 0.125],
] as const) {
  const events = Array.from({ length: 50 }, (_, i) => iteration(10 * (i + 1), 2 / (i + 1)));
  folder.run(name, { seed, side: 5 }, [
    ...[evaluation(0, 1, 0.5), ...events, evaluation(500, 9, tv), end(500, 10)],
  ]);
}
folder.run("runs/<script>alert(1)", { seed: 5 }, [iteration(10, 1)]);
folder.write("runs/half/config.json", '{"task": ');

let browser: Browser;
let dashboard: Dashboard;
beforeAll(async () => {
  const options = [
    "--side",
    "4",
    "--iterations",
    "40",
    "--evaluate-every",
    "20",
    "--hidden",
    "8",
    "--residuals",
  ];
  const command = [
    "dist/cli/main.js",
    "train",
    "hypergrid",
    ...options,
    "--out",
    folder.at("runs/real"),
    "--quiet",
  ];
  execFileSync(process.execPath, command);
  browser = await launchChromium();
  dashboard = await startDashboard({ folder: folder.root, version: VERSION, port: 0, pollMs: 50 });
});
afterAll(async () => {
  await browser?.close();
  await dashboard?.close();
});

/** The address of a page of the dashboard, after the token was exchanged. */
const addressOf = (hash: string) => `http://127.0.0.1:${dashboard.port}/#${hash}`;

/** Opens the home page with the token, waits for the list. */
async function openHome(options = {}) {
  const opened = await watchedPage(browser, options);
  await opened.page.goto(dashboard.url);
  await hook(opened.page, "entry").first().waitFor();
  return opened;
}

test("the list shows every run, a broken one with its problem, and a name that is markup as text", async () => {
  const { page, problems } = await openHome();
  await expect.poll(() => hook(page, "entry").count()).toBe(5);
  const names = await hook(page, "entry").allInnerTexts();
  expect(names.join("\n")).toContain("<script>alert(1)");
  expect(names.find((text) => text.includes("half"))).toContain("broken");
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("the page of a run shows the numbers of its files, and its views", async () => {
  const { page, problems } = await openHome();
  await page.getByRole("link", { name: "real", exact: false }).first().click();
  await hook(page, "entry-name").waitFor();
  const events = readFileSync(folder.at("runs/real/metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map(parseEvent);
  const last = events.findLast((event) => event?.kind === "evaluation");
  if (!last || !("reached" in last)) throw new Error("the run has no exact evaluation");
  const results = await hook(page, "results").innerText();
  for (const value of [last.reached.tv, last.limit.tv, last.uniform.tv]) {
    expect(results).toContain(shortNumber(value));
  }
  for (const view of ["distribution", "flow", "dynamics", "grid", "entropy", "residuals", "trajectories"]) {
    await hook(page, `tab-${view}`).click();
    await hook(page, `view-${view}`)
      .locator('svg:visible, table:visible, [data-test="player"]')
      .first()
      .waitFor({ timeout: 60_000 });
  }
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("means over seeds stay the same when a run is hidden", async () => {
  const { page, problems } = await openHome();
  for (const name of ["runs/b-0", "runs/b-1"]) {
    await page.locator(`[data-entry="${name}"] input[type="checkbox"]`).check();
  }
  await hook(page, "compare").click();
  const group = hook(page, "group-row").first();
  await group.waitFor();
  const before = await group.innerText();
  expect(before).toContain(shortNumber((0.25 + 0.125) / 2));
  await hook(page, "show-line").first().click();
  await expect.poll(() => group.innerText()).toBe(before);
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});

/** Opens the comparison of two runs by their loss. */
async function openComparison() {
  const opened = await openHome();
  const { page } = opened;
  await page.goto(addressOf("/compare?e=runs%2Fb-0&e=runs%2Fb-1&metric=loss"));
  const chart = page.locator('section[aria-labelledby="chart-title"]');
  await expect.poll(() => chart.innerText()).toContain("100 points.");
  const box = (await page.locator(".u-over").boundingBox())!;
  const at = (share: number) => [box.x + share * box.width, box.y + box.height / 2] as const;
  const drawing = () => page.evaluate(() => document.querySelector("canvas")!.toDataURL());
  return { ...opened, chart, at, drawing };
}

test("a zoom is drawn before the server has answered, and has all points of the range after it", async () => {
  const { page, problems, chart, at, drawing } = await openComparison();
  let answer = () => {};
  const isAsked = new Promise<void>((resolve) => {
    void page.route("**/api/series", async (route) => {
      resolve();
      await new Promise<void>((done) => {
        answer = done;
      });
      await route.continue();
    });
  });
  const whole = await drawing();
  await page.mouse.move(...at(0.25));
  await page.mouse.down();
  await page.mouse.move(...at(0.5), { steps: 4 });
  await page.mouse.up();
  await isAsked;
  await expect.poll(drawing).not.toBe(whole);
  expect(await chart.getAttribute("aria-busy")).toBe("true");
  expect(await chart.innerText()).toContain("Loading …");
  answer();
  await expect.poll(() => chart.getAttribute("aria-busy")).toBe("false");
  const [from, to] = await chart
    .locator(".range-end")
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).valueAsNumber));
  const inRange = Array.from({ length: 50 }, (_, i) => 10 * (i + 1)).filter((x) => x >= from && x <= to);
  expect(inRange.length).toBeGreaterThan(5);
  expect(inRange.length).toBeLessThan(25);
  expect(await chart.innerText()).toContain(`${2 * inRange.length} points.`);
  // The whole range is still there, so it is not requested again.
  await page.mouse.dblclick(...at(0.9));
  await expect.poll(drawing).toBe(whole);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("a click marks a step, and a double click leaves the mark where it is", async () => {
  const { page, at } = await openComparison();
  const state = () => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  expect(await hook(page, "mark").isVisible()).toBe(false);
  await page.mouse.click(...at(0.5));
  await expect.poll(() => hook(page, "mark").isVisible()).toBe(true);
  const marked = state().get("at");
  expect(Number(marked)).toBeGreaterThan(200);
  expect(Number(marked)).toBeLessThan(310);
  await page.waitForTimeout(700); // longer than a double click
  await page.mouse.dblclick(...at(0.9));
  await expect.poll(() => state().get("at")).toBe(marked);
  await page.context().close();
});

test("the chart keeps the names of its curves until those of another metric arrive", async () => {
  const { page, chart } = await openComparison();
  let answer = () => {};
  const answered = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/series", async (route) => {
    await answered;
    await route.continue();
  });
  const metric = chart.locator("label", { hasText: "Metric" }).locator("select");
  await metric.selectOption("tv");
  await expect.poll(() => chart.getAttribute("aria-busy")).toBe("true");
  expect([await metric.inputValue(), await chart.locator("h2").innerText()]).toEqual([
    ...["tv", expect.stringContaining("loss")],
  ]);
  answer();
  await expect.poll(() => chart.locator("h2").innerText()).toContain("total variation");
  await page.context().close();
});

test("points arrive while a run trains, also across a restart of the server, each once", async () => {
  folder.run("runs/live", { seed: 7 }, [iteration(10, 4)]);
  const { page } = await openHome();
  await page.locator('[data-entry="runs/live"] a').first().click();
  const points = () => hook(page, "curve-loss").getAttribute("data-points");
  await expect.poll(points).toBe("1");
  folder.append("runs/live", iteration(20, 3), iteration(30, 2));
  await expect.poll(points).toBe("3");
  const { port } = dashboard;
  await dashboard.close();
  folder.append("runs/live", iteration(40, 1));
  dashboard = await startDashboard({ folder: folder.root, version: VERSION, port, pollMs: 50 });
  // The new server has a new token. Whoever opens its address gives the old page the right to go on.
  const other = await page.context().newPage();
  await other.goto(dashboard.url);
  await expect.poll(points, { timeout: 20_000 }).toBe("4");
  folder.append("runs/live", iteration(50, 0.5));
  await expect.poll(points).toBe("5");
  await page.context().close();
});

test("a phone shows the pages without scrolling sideways, in the dark too", async () => {
  const { page, problems } = await openHome({
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
  });
  await page.goto(addressOf(""));
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.getByRole("link", { name: "real", exact: false }).first().click();
  await hook(page, "results").waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});
