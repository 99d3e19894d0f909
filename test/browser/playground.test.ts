// Tests of the playground in a real browser: the built page, its worker, and trainings on the engine that it loads.
// The page is the built one: npm run build comes first.

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlaygroundServer, startPlayground } from "../../src/playground/server.ts";
import { launchChromium, watchedPage } from "../support/chromium.ts";
import { hook, overflow, seriousFindings } from "../support/page-checks.ts";

let browser: Browser;
let server: PlaygroundServer;
beforeAll(async () => {
  browser = await launchChromium();
  server = await startPlayground({ port: 0 });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens the page with settings, as after the question mark of its address, and waits for the first picture. */
async function opened(settings = "", options: BrowserContextOptions = {}) {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(`${server.url}#/?${settings}`);
  await hook(watched.page, "distribution").locator("svg").first().waitFor();
  return watched;
}

const isInState = (page: Page, state: string) => page.locator(`[data-state="${state}"]`).waitFor();
const engineIsReady = (page: Page) => page.locator('[data-engine="ready"]').waitFor();
/** An exact metric of the policy; NaN before the first evaluation. */
const metricOn = async (page: Page, name: string) =>
  Number.parseFloat((await hook(page, name).getAttribute("data-value")) ?? "");

test("the first picture comes within 3 s, before the engine, and nothing trains by itself", async () => {
  const { page, problems } = await watchedPage(browser);
  const drawn: number[] = [];
  await page.route("**/*.wasm", async (route) => {
    drawn.push(await hook(page, "distribution").locator("svg").count());
    await route.continue();
  });
  const begin = performance.now();
  await page.goto(`${server.url}#/?objective=db&stick=0.5`);
  await hook(page, "distribution").locator("svg").first().waitFor();
  expect(performance.now() - begin).toBeLessThan(3000);
  await engineIsReady(page);
  expect(drawn).toEqual([1]);
  expect(await hook(page, "engine").innerText()).toMatch(/^The engine \(14\.2 MB\) is loaded\./);
  await page.waitForTimeout(500);
  expect(await hook(page, "iteration").getAttribute("data-state")).toBe("idle");
  expect(await hook(page, "objective").inputValue()).toBe("db");
  expect(problems).toEqual([]);
  await page.context().close();
});

test("a hypergrid of 8 × 8 is learned to a total variation below 0.1 within 20 s", async () => {
  const { page, problems } = await opened();
  await engineIsReady(page);
  const begin = performance.now();
  await hook(page, "train").click();
  await expect.poll(() => metricOn(page, "tv"), { timeout: 20_000, interval: 100 }).toBeLessThan(0.1);
  expect(performance.now() - begin).toBeLessThan(20_000);
  await isInState(page, "finished");
  expect(await metricOn(page, "tv")).toBeLessThan(0.02);
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("a training pauses and goes on, and the noise slider starts it anew beside the earlier curve", async () => {
  const { page, problems } = await opened("iterations=20000");
  await hook(page, "train").click();
  await expect.poll(() => metricOn(page, "tv")).toBeLessThan(0.1);
  await hook(page, "pause").click();
  await isInState(page, "paused");
  const at = await hook(page, "iteration").getAttribute("data-iteration");
  await page.waitForTimeout(400);
  expect(await hook(page, "iteration").getAttribute("data-iteration")).toBe(at);
  await hook(page, "train").click();
  await isInState(page, "training");
  await hook(page, "stick").focus();
  await page.keyboard.press("ArrowRight");
  expect(await hook(page, "tv-limit").innerText()).toMatch(/^0/);
  await expect
    .poll(() => hook(page, "legend").innerText())
    .toMatch(/kl, noise 0\.25[\s\S]*now: kl, noise 0\.3/);
  await isInState(page, "training");
  expect(page.url()).toMatch(/stick=0\.3&iterations=20000$/);
  expect(problems).toEqual([]);
  await page.context().close();
});

test.each(["light", "dark"] as const)(
  "the page fits a phone and is accessible in %s",
  async (colorScheme) => {
    const { page, problems } = await opened("problem=tfbind8", {
      viewport: { width: 360, height: 740 },
      colorScheme,
    });
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  },
);
