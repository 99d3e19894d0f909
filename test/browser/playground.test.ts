// Tests of the playground in a real browser: the built page, its worker, and trainings on the engine that it loads.
// The page is the built one: npm run build comes first.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ort from "onnxruntime-web";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provideWebRuntime } from "../../src/engine/index.ts";
import type { IterationEvent } from "../../src/gfn/training/events.ts";
import { problemOf } from "../../src/playground/problem.ts";
import { type PlaygroundServer, startPlayground } from "../../src/playground/server.ts";
import { settingsOf } from "../../src/playground/settings.ts";
import { trainingOf } from "../../src/playground/training.ts";
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

/** Replaces the text of a field as a paste does, and as quickly. */
const paste = (page: Page, name: string, text: string) =>
  hook(page, name).evaluate((field, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    if (!field.dispatchEvent(event)) return;
    (field as HTMLTextAreaElement).value = pasted;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  }, text);

/** All strings of six letters, scored by two motifs. */
const TABLE = Array.from({ length: 4096 }, (_, i) => {
  const string = Array.from({ length: 6 }, (_, k) => "ACGT"[(i >> (2 * (5 - k))) & 3]).join("");
  return `${string}\t${1 + 5 * (string.split("GA").length - 1) + (string.startsWith("TT") ? 10 : 0)}`;
}).join("\n");

test("a pasted table of 4,096 strings is learned to a total variation below 0.1 within 60 s", async () => {
  const { page, problems } = await opened("problem=table");
  await paste(page, "table", TABLE);
  await expect.poll(() => hook(page, "label").innerText()).toContain("4096 of 4096 strings have scores");
  await engineIsReady(page);
  const begin = performance.now();
  await hook(page, "train").click();
  await expect.poll(() => metricOn(page, "tv"), { timeout: 60_000, interval: 200 }).toBeLessThan(0.1);
  expect(performance.now() - begin).toBeLessThan(60_000);
  expect(page.url()).not.toContain("TTGA");
  expect(problems).toEqual([]);
  await page.context().close();
});

test("wrong data give a sentence, and the page goes on with right ones", async () => {
  const { page, problems } = await opened("problem=table");
  const issues = () => hook(page, "issues").innerText();
  await paste(page, "table", "AA,1\nAA,2\n<img src=x onerror=alert(1)>,NaN\n");
  await expect.poll(issues).toContain('line 2: "AA" is also in line 1');
  expect(await issues()).toContain("<img src=x onerror=alert(1)>");
  expect(await hook(page, "train").isDisabled()).toBe(true);
  await paste(page, "table", "ACGT,1\n".repeat(1_600_000));
  await expect.poll(() => hook(page, "refusal").innerText()).toContain("at most 10 MB, got 10.7 MB");
  await paste(page, "table", "AA,1\nAB,2\nBB,3\n");
  await expect.poll(() => hook(page, "issues").count()).toBe(0);
  expect(await hook(page, "train").isDisabled()).toBe(false);
  await page.goto(`${server.url}#/?problem=formula&reward=${encodeURIComponent("1 / (x1 - 1)")}`);
  await expect.poll(issues).toContain("must be finite and not negative in every cell");
  await hook(page, "formula").fill("(".repeat(1000));
  await expect.poll(issues).toContain("500 characters");
  await hook(page, "formula").fill("x1 * x2");
  await expect.poll(() => hook(page, "issues").count()).toBe(0);
  expect(await hook(page, "label").innerText()).toContain("reward x1 * x2");
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("a picture is the reward of a grid, and one that is too large or none at all is refused", async () => {
  const { page, problems } = await opened("problem=picture&side=8");
  const picture = (width: number, height: number, type: string) =>
    page.evaluate(
      async ([w, h, asType]) => {
        const canvas = new OffscreenCanvas(w, h);
        const context = canvas.getContext("2d")!;
        context.fillStyle = "white";
        context.fillRect(0, 0, w / 2, h);
        const blob = await canvas.convertToBlob({ type: asType });
        return [...new Uint8Array(await blob.arrayBuffer())];
      },
      [width, height, type] as const,
    );
  const open = async (name: string, bytes: readonly number[]) =>
    hook(page, "file").setInputFiles({ name, mimeType: "image/png", buffer: Buffer.from(bytes) });
  for (const [name, type] of [
    ["half.png", "image/png"],
    ["half.jpg", "image/jpeg"],
  ]) {
    await open(name, await picture(64, 32, type));
    await expect.poll(() => hook(page, "own-picture").innerText()).toContain(`${name}, 64 × 32 pixels`);
    await expect.poll(() => hook(page, "label").innerText()).toContain("a picture of 64 × 32 pixels");
  }
  await open("large.png", await picture(1100, 1000, "image/png"));
  await expect.poll(() => hook(page, "refusal").innerText()).toContain("got 1100 × 1000");
  await open("large.jpg", await picture(1100, 1000, "image/jpeg"));
  await expect.poll(() => hook(page, "refusal").innerText()).toContain("large.jpg must have at most");
  await open("text.txt", [104, 105]);
  await expect.poll(() => hook(page, "refusal").innerText()).toContain("text.txt is no picture");
  expect(await hook(page, "train").isDisabled()).toBe(false);
  expect(problems).toEqual([]);
  await page.context().close();
});

/** Losses and norms of gradients at the logged iterations of a training in Node, on the engine of the page. */
async function lossesInNode(query: string): Promise<unknown[]> {
  provideWebRuntime(ort);
  const problem = await problemOf(settingsOf(query).settings);
  const losses: unknown[] = [];
  for await (const event of trainingOf(problem, { engine: "web" })) {
    if (event.kind === "iteration" && event.iteration % 10 === 0) losses.push(pick(event));
  }
  return losses;
}

const pick = ({ iteration, loss, dynamicsLoss, gradientNorm }: IterationEvent) => ({
  ...{ iteration, loss, dynamicsLoss, gradientNorm },
});

/** Trains to the end and saves the result. Returns the path of the file. */
async function savedResult(page: Page, folder: string): Promise<string> {
  await hook(page, "train").click();
  await isInState(page, "finished");
  const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "save").click()]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

test("five settings give the losses of Node, and the command line opens a result and goes on with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gflownet-playground-"));
  for (const settings of [
    "problem=hypergrid&iterations=60",
    "problem=hypergrid&objective=tb&stick=0.5&side=5&iterations=60&seed=7",
    "problem=formula&side=6&reward=x1%2Bx2&objective=eflow&rewardExponent=2&iterations=50",
    "problem=table&objective=sdb&width=32&layers=1&stateTable=false&iterations=60",
    "problem=picture&side=8&objective=subtb&exploration=0.1&iterations=50",
  ]) {
    const { page, problems } = await opened(settings);
    const path = await savedResult(page, folder);
    const { metrics } = JSON.parse(readFileSync(path, "utf8"));
    const losses = metrics.filter(({ kind }: { kind: string }) => kind === "iteration").map(pick);
    expect(losses).toEqual(await lossesInNode(settings));
    expect(problems).toEqual([]);
    const run = join(folder, "run");
    const gflownet = (...args: readonly string[]) =>
      execFileSync(process.execPath, ["dist/cli/main.js", ...args], { encoding: "utf8" });
    gflownet("import", path, "--out", run);
    const { tv } = JSON.parse(gflownet("evaluate", run, "--json"));
    expect(tv).toBeCloseTo(await metricOn(page, "tv"), 5);
    rmSync(run, { recursive: true });
    await page.context().close();
  }
  rmSync(folder, { recursive: true });
});

test("the tour has five steps, each of which says when it has been seen", async () => {
  const { page, problems } = await opened();
  await hook(page, "page-tour").click();
  const step = () => hook(page, "tour").getAttribute("data-step");
  const train = async () => {
    await hook(page, "train").click();
    await isInState(page, "finished");
  };
  expect(await hook(page, "objective").inputValue()).toBe("db");
  await train();
  await hook(page, "seen").waitFor();
  await hook(page, "next").click();
  expect(await step()).toBe("2");
  // A step sets the controls, and trains nothing.
  await page.waitForTimeout(600);
  expect(await hook(page, "iteration").getAttribute("data-state")).toBe("idle");
  expect(await hook(page, "seen").count()).toBe(0);
  await hook(page, "tour-stick").fill("0.6");
  await hook(page, "seen").waitFor();
  await hook(page, "next").click();
  await train();
  await hook(page, "seen").waitFor();
  await hook(page, "next").click();
  await train();
  await hook(page, "seen").waitFor();
  expect(await hook(page, "legend").innerText()).toMatch(/db, noise 0\.25[\s\S]*now: kl, noise 0\.25/);
  await hook(page, "next").click();
  expect(await step()).toBe("5");
  await train();
  await hook(page, "seen").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await hook(page, "page-teachers").click();
  await hook(page, "teachers").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await hook(page, "teachers").getByRole("link", { name: "Open the settings" }).nth(1).click();
  await expect.poll(() => hook(page, "objective").inputValue()).toBe("tb");
  expect(await hook(page, "iteration").getAttribute("data-state")).toBe("idle");
  expect(problems).toEqual([]);
  await page.context().close();
});

test("once loaded, the page trains without a network", async () => {
  const own = await startPlayground({ port: 0 });
  const { page } = await watchedPage(browser);
  await page.goto(own.url);
  await page.locator('[data-offline="true"]').waitFor();
  await own.close();
  const later = await page.context().newPage();
  for (const each of [page, later]) {
    await each.goto(`${own.url}#/?problem=table&iterations=50`);
    await hook(each, "train").click();
    await isInState(each, "finished");
    expect(await metricOn(each, "tv")).toBeLessThan(1);
  }
  await page.context().close();
});

/** What the page says and does in a browser that lacks something. */
async function lacking(flags: readonly string[]) {
  const other = await launchChromium(["--disable-gpu", ...flags]);
  const { page, problems } = await watchedPage(other);
  await page.goto(`${server.url}#/?iterations=50&side=5`);
  await hook(page, "distribution").locator("svg").first().waitFor();
  await page.locator('[data-engine="missing"], [data-engine="ready"]').waitFor();
  const engine = await hook(page, "engine").innerText();
  await hook(page, "train").click();
  await page.locator('[data-state="finished"], [data-test="error"]').first().waitFor();
  const error = await hook(page, "error")
    .allInnerTexts()
    .then((texts) => texts.join(" "));
  await hook(page, "stick").fill("0.6");
  const limit = hook(page, "tv-limit");
  await expect.poll(() => limit.innerText()).not.toMatch(/^0$/);
  const result = { engine, error, problems, limit: await limit.innerText() };
  await other.close();
  return result;
}

test("without WebAssembly the page says so, and shows everything but trainings", async () => {
  const { engine, error, limit, problems } = await lacking(["--js-flags=--jitless"]);
  expect(engine).toMatch(/^This browser has no WebAssembly, or it is switched off\./);
  expect(error).toMatch(/^Training needs WebAssembly with SIMD, or WebGPU .+ Everything else works\.$/);
  expect(Number(limit)).toBeGreaterThan(0.05);
  expect(problems).toEqual([]);
});

test("without SIMD in WebAssembly the page says so, and shows everything but trainings", async () => {
  const { engine, error, limit, problems } = await lacking([
    "--js-flags=--no-enable-ssse3 --no-enable-sse4-1",
  ]);
  expect(engine).toMatch(/^This browser has no WebAssembly with SIMD\./);
  expect(error).toMatch(/^Training needs WebAssembly with SIMD, or WebGPU .+ Everything else works\.$/);
  expect(Number(limit)).toBeGreaterThan(0.05);
  expect(problems).toEqual([]);
});

test("an engine that cannot be loaded is replaced by a slower one, with the reason", async () => {
  const { page } = await watchedPage(browser);
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(`${server.url}#/?iterations=50&side=5`);
  await page.locator('[data-engine="missing"]').waitFor();
  expect(await hook(page, "engine").innerText()).toMatch(
    /^The engine could not be loaded: .+ slower engine, /,
  );
  await hook(page, "train").click();
  await isInState(page, "finished");
  await page.context().close();
});

test("a tab that was put to sleep says so, and the training has gone on where it was", async () => {
  const own = await launchChromium();
  const { page, problems } = await watchedPage(own);
  await page.goto(`${server.url}#/?iterations=20000`);
  await hook(page, "train").click();
  await expect.poll(() => metricOn(page, "tv")).toBeLessThan(0.5);
  // A process that is stopped stands for a machine that sleeps.
  const { processInfo } = await (await own.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  for (const id of renderers) process.kill(id, "SIGSTOP");
  await new Promise((done) => setTimeout(done, 11_000));
  for (const id of renderers) process.kill(id, "SIGCONT");
  await expect.poll(() => hook(page, "slept").innerText()).toContain("put this tab to sleep for");
  const at = Number(await hook(page, "iteration").getAttribute("data-iteration"));
  await expect
    .poll(async () => Number(await hook(page, "iteration").getAttribute("data-iteration")))
    .toBeGreaterThan(at);
  expect(problems).toEqual([]);
  await own.close();
});

test("the widget of notebooks is one module, which trains and tells the model", async () => {
  const { page, problems, requests } = await watchedPage(browser);
  // A stand-in for a notebook: anywidget imports the module and calls `render` with a model and an element.
  await page.route(`${server.url}notebook`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<title>notebook</title><link rel="icon" href="data:,"><div id="cell"></div>
        <script type="module">import widget from "./widget.js"; globalThis.widget = widget;</script>`,
    }),
  );
  await page.goto(`${server.url}notebook`);
  await page.waitForFunction(() => "widget" in globalThis);
  await page.evaluate(() => {
    const { widget } = globalThis as unknown as {
      widget: { render(view: { model: object; el: Element | null }): () => void };
    };
    const traits: Record<string, unknown> = {
      settings: "problem=hypergrid&side=5&iterations=300",
      result: {},
    };
    const listeners: Record<string, () => void> = {};
    const model = {
      get: (name: string) => traits[name],
      set: (name: string, value: unknown) => {
        traits[name] = value;
      },
      save_changes: () => {},
      on: (name: string, call: () => void) => {
        listeners[name] = call;
      },
      off: (name: string) => {
        delete listeners[name];
      },
    };
    Object.assign(globalThis, { traits, listeners });
    const el = document.getElementById("cell");
    Object.assign(globalThis, { cleanUp: widget.render({ model, el }) });
  });
  const notebook = () =>
    page.evaluate(
      () =>
        (globalThis as unknown as { traits: { settings: string; result: Record<string, unknown> } }).traits,
    );
  const frame = page.frameLocator("iframe");
  await frame.locator('[data-test="train"]').click();
  await expect.poll(async () => (await notebook()).result.state).toBe("finished");
  const { result } = await notebook();
  expect(result).toMatchObject({ iteration: 300 });
  expect(Number(result.tv)).toBeLessThan(0.1);
  // Moving a control is told to the notebook, and what the notebook sets is shown.
  await frame.locator('[data-test="stick"]').fill("0.5");
  await expect.poll(async () => (await notebook()).settings).toContain("stick=0.5");
  await page.evaluate(() => {
    const { traits, listeners } = globalThis as unknown as {
      traits: { settings: string };
      listeners: Record<string, () => void>;
    };
    traits.settings = "problem=table&objective=db";
    listeners["change:settings"]();
  });
  await frame.locator('[data-test="table"]').waitFor();
  // The tour opens without leaving the frame.
  await frame.locator('[data-test="page-tour"]').click();
  await frame.locator('[data-test="tour"]').waitFor();
  await page.evaluate(() => (globalThis as unknown as { cleanUp: () => void }).cleanUp());
  expect(await page.locator("iframe").count()).toBe(0);
  expect(problems).toEqual([]);
  expect(requests).toEqual([`${server.url}notebook`, `${server.url}widget.js`]);
  await page.context().close();
});
