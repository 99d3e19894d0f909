// Tests of reports in a real browser, opened from disk: no request, no error, and the numbers of the files that they are
// made of. The command line is the built one: npm run build comes first.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCsv } from "../../src/formats/csv.ts";
import { shortNumber } from "../../src/report/text-format.ts";
import { parseEvent } from "../../src/run/event-lines.ts";
import { launchChromium, watchedPage } from "../support/chromium.ts";
import { daily, SMALL } from "../support/forecast-files.ts";
import { hook, overflow, seriousFindings } from "../support/page-checks.ts";

const MAIN = resolve("dist/cli/main.js");
const LARGEST = 3_000_000;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "gflownet reports é ")));
const at = (...names: readonly string[]) => join(folder, ...names);
const read = (...names: readonly string[]) => readFileSync(at(...names), "utf8");
const run = (...args: readonly string[]) => execFileSync(process.execPath, [MAIN, ...args], { cwd: folder });

let browser: Browser;
beforeAll(async () => {
  const short = ["--hidden", "8", "--iterations", "40", "--evaluate-every", "20", "--residuals", "--quiet"];
  for (const seed of ["0", "1"]) {
    run("train", "hypergrid", "--side", "4", "--seed", seed, ...short, "--out", `runs/seed ${seed}`);
  }
  run("report", "runs/seed 0");
  run("report", "runs", "--out", "several.html");
  const compared = ["--methods", "kl,random", "--stick", "0.25", "--seeds", "2", "--calls", "2000"];
  run(
    "compare",
    "hypergrid",
    "--side",
    "3",
    ...compared,
    "--evaluations",
    "4",
    "--quiet",
    "--out",
    "compared",
  );
  mkdirSync(at("oracle"));
  writeFileSync(at("oracle/score.mjs"), "export const score = (string) => string.split('A').length / 5;\n");
  writeFileSync(
    at("oracle/problem.yaml"),
    "alphabet: DNA\nlength: 4\ntraining: { hidden: [8], batch: 16 }\noracle: { module: score.mjs }\n",
  );
  run("design", "oracle/problem.yaml", "--allow-exec", "--iterations", "20", "--quiet", "--out", "designed");
  writeFileSync(at("weeks.csv"), `${daily(70, (t) => (t % 7) + (t % 3)).join("\n")}\n`);
  const models = ["--models", "naive,seasonal-naive", "--quiet"];
  run("forecast", "backtest", "weeks.csv", "--horizon", "7", "--windows", "2", ...models, "--out", "tested");
  run("forecast", "fit", "weeks.csv", "--horizon", "4", ...SMALL, "--out", "model", "--quiet");
  const asked = ["--constraint", "sum <= 20", "--tune-iterations", "5", "--samples", "50", "--quiet"];
  run("forecast", "predict", "model", ...asked, "--out", "forecast");
  browser = await launchChromium();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens a report from disk, checks what holds for all of them, and gives it to `look`. */
async function opened(path: string, look: (page: Page) => Promise<void>, options = {}): Promise<void> {
  expect(statSync(at(path)).size).toBeLessThan(LARGEST);
  const { page, problems, requests } = await watchedPage(browser, options);
  const address = pathToFileURL(at(path)).href;
  await page.goto(address);
  await page.locator("h1").waitFor();
  await look(page);
  expect(await seriousFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
  expect(requests).toEqual([address]);
  await page.context().close();
}

/** The last exact evaluation of a run. */
function evaluationOf(name: string) {
  const events = read(name, "metrics.jsonl").trim().split("\n").map(parseEvent);
  const last = events.findLast((event) => event?.kind === "evaluation");
  if (!last || !("reached" in last)) throw new Error("the run has no exact evaluation");
  return last;
}

const rowsOf = (text: string) => {
  const [heading, ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(heading.map((name, i) => [name, row[i]])));
};

/** Every view has a figure, a table or a player. */
async function expectViews(page: Page, views: readonly string[]): Promise<void> {
  for (const view of views) {
    const drawn = hook(page, `view-${view}`).locator('svg:visible, table:visible, [data-test="player"]');
    await drawn.first().waitFor();
  }
}

test("a run has the results of its files, its views, its curves and its settings", async () => {
  const { reached, limit, uniform } = evaluationOf("runs/seed 0");
  const views = ["distribution", "flow", "dynamics", "grid", "entropy", "residuals", "trajectories"];
  await opened("runs/seed 0/report.html", async (page) => {
    expect(await page.locator("h1").innerText()).toBe("Run seed 0");
    const results = await hook(page, "results").innerText();
    for (const value of [reached.tv, reached.kl, limit.tv, uniform.tv, uniform.kl]) {
      expect(results).toContain(shortNumber(value));
    }
    await expectViews(page, views);
    expect(await hook(page, "curve-tv").getAttribute("data-points")).toBe("3");
    const settings = await hook(page, "settings").innerText();
    expect(settings.replaceAll(/\s+/g, " ")).toContain("side 4");
    // Everything is inside: there is nothing to download, to follow or to start.
    expect(await page.locator('a[href*="/api/"], [data-test="keep-view"]').count()).toBe(0);
  });
});

test("a grid shows the probabilities of the policy that was trained", async () => {
  const { reached } = evaluationOf("runs/seed 0");
  await opened("runs/seed 0/report.html", async (page) => {
    // The numbers in the cells: target, learned, best reachable and difference, 16 cells each.
    const figure = hook(page, "view-grid").locator("svg text");
    const texts = await figure.allTextContents();
    const cells = texts
      .map((text) => text.replaceAll("−", "-"))
      .filter((text) => /^-?[\d.]+(e-\d)?$/.test(text));
    const numbers = cells.map(Number);
    const start = numbers.findIndex((_, i) => Math.abs(sum(numbers.slice(i, i + 16)) - 1) < 0.02);
    const axis = 8; // indices of the two axes stand between the panels
    const panel = (i: number) => numbers.slice(start + i * (16 + axis), start + i * (16 + axis) + 16);
    const [target, learned] = [panel(0), panel(1)];
    expect(sum(learned)).toBeCloseTo(1, 1);
    const distance = sum(target.map((p, i) => Math.abs(p - learned[i]))) / 2;
    // Cells have two digits.
    expect(Math.abs(distance - reached.tv)).toBeLessThan(0.03);
  });
});

test("several runs are compared with their mean over seeds, and hiding one changes no mean", async () => {
  const values = ["runs/seed 0", "runs/seed 1"].map((name) => evaluationOf(name).reached.tv);
  await opened("several.html", async (page) => {
    const group = hook(page, "group-row").first();
    const before = await group.innerText();
    expect(before).toContain(shortNumber((values[0] + values[1]) / 2));
    expect(before).toContain(`± ${shortNumber(Math.abs(values[0] - values[1]) / Math.SQRT2)}`);
    await hook(page, "show-line").last().click();
    expect(await group.innerText()).toBe(before);
    expect(await page.locator("section.entry").count()).toBe(2);
    // Another axis needs no server.
    await page.getByRole("button", { name: "Seconds" }).click();
    await page.getByText("seconds", { exact: false }).first().waitFor();
  });
});

test("a comparison has the numbers of its table", async () => {
  const table = rowsOf(read("compared/table.csv"));
  await opened("compared/report.html", async (page) => {
    const groups = await hook(page, "group-row").allInnerTexts();
    for (const { method, tvMean } of table) {
      const row = groups.find((text) => text.startsWith(`${method},`));
      expect(row).toContain(shortNumber(Number(tvMean)));
    }
    expect(await hook(page, "page-section").count()).toBeGreaterThan(2);
  });
});

test("a design has its candidates, and they are filtered and sorted without a server", async () => {
  const candidates = rowsOf(read("designed/candidates.csv"));
  await opened("designed/report.html", async (page) => {
    const view = hook(page, "view-candidates");
    const rows = view.locator("tbody tr");
    expect(await rows.first().innerText()).toContain(candidates[0].string);
    await view.getByRole("searchbox").fill(candidates[1].string);
    await expect.poll(() => rows.count()).toBe(1);
    await expectViews(page, ["distribution", "logo", "trajectories"]);
  });
});

test("a backtest has its metrics and its forecasts", async () => {
  const overall = rowsOf(read("tested/metrics.csv")).filter(
    ({ series, step }) => series === "" && step === "",
  );
  expect(overall).toHaveLength(2);
  await opened("tested/report.html", async (page) => {
    await expectViews(page, ["forecast", "calibration"]);
    const table = await hook(page, "view-calibration").locator("table").innerText();
    for (const { model, MAE } of overall) {
      expect(table).toContain(model);
      expect(table).toContain(shortNumber(Number(MAE)));
    }
  });
});

test("a forecast has its scenario beside the forecast without it", async () => {
  const { reports } = JSON.parse(read("forecast/forecast.json"));
  await opened("forecast/report.html", async (page) => {
    await expectViews(page, ["scenario"]);
    const numbers = await hook(page, "scenario-numbers").innerText();
    expect(numbers).toContain(shortNumber(Math.min(1, Math.exp(reports[0].logZ))));
    expect(numbers).toContain(shortNumber(reports[0].effectiveSampleSize));
    const texts = await hook(page, "view-scenario").locator("svg text").allTextContents();
    expect(texts).toEqual(expect.arrayContaining(["TokenModel", "Scenario", "bound 20"]));
  });
});

describe("on paper", () => {
  const A4 = { width: 720, height: 1000 };

  test.each(["runs/seed 0/report.html", "several.html", "compared/report.html", "designed/report.html"])(
    "%s has no controls, headings of all tables, and nothing beyond the page",
    async (path) => {
      await opened(
        path,
        async (page) => {
          await page.emulateMedia({ media: "print" });
          const look = () =>
            page.evaluate(() => {
              const isShown = (element: Element) => element.checkVisibility();
              const controls = [...document.querySelectorAll("button:not(.plain), select, header.top")];
              const headings = [...document.querySelectorAll<HTMLElement>("thead th")];
              return {
                controls: controls.filter(isShown).map(({ outerHTML }) => outerHTML),
                empty: headings.filter((heading) => heading.innerText.trim() === "").length,
                tables: document.querySelectorAll("table").length,
              };
            });
          await expect.poll(look).toEqual({ controls: [], empty: 0, tables: expect.any(Number) });
          expect((await look()).tables).toBeGreaterThan(1);
          expect(await overflow(page)).toBeLessThanOrEqual(0);
        },
        { viewport: A4 },
      );
    },
  );

  test("a page in dark colours is light, its charts too", async () => {
    await opened(
      "runs/seed 0/report.html",
      async (page) => {
        await hook(page, "chart").first().locator("canvas").waitFor();
        await page.evaluate(() => {
          const found = globalThis as unknown as { darkest?: number; isLight?: boolean };
          addEventListener("beforeprint", () =>
            // The drawing follows in a microtask.
            queueMicrotask(() =>
              queueMicrotask(() => {
                const canvas = document.querySelector("canvas") as HTMLCanvasElement;
                const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
                const used = new Map<string, number>();
                for (let i = 0; i < data.length; i += 4) {
                  if (data[i + 3] < 255) continue;
                  const colour = data.slice(i, i + 3).join();
                  used.set(colour, (used.get(colour) ?? 0) + 1);
                }
                // Most of what a chart draws is its grid.
                const [[grid]] = [...used].sort((a, b) => b[1] - a[1]);
                found.darkest = Math.min(...grid.split(",").map(Number));
                found.isLight = document.documentElement.dataset.theme === "light";
              }),
            ),
          );
        });
        const pdf = await page.pdf({ format: "A4" });
        expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
        const { darkest, isLight } = await page.evaluate(() => {
          const found = globalThis as unknown as { darkest: number; isLight: boolean };
          return { darkest: found.darkest, isLight: found.isLight };
        });
        expect([isLight, darkest > 200]).toEqual([true, true]);
      },
      { colorScheme: "dark" },
    );
  });
});

test("a phone shows a report without scrolling sideways, in the dark too", async () => {
  for (const path of ["runs/seed 0/report.html", "several.html", "forecast/report.html"]) {
    await opened(path, async (page) => expect(await overflow(page)).toBeLessThanOrEqual(0), {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
    });
  }
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
