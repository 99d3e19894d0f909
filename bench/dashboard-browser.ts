// The benchmark of the dashboard in a browser: the first view of 1,000 runs, how soon the page answers with long curves, and
// what it costs a training to be shown.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../test/support/chromium.ts";
import { clientOf } from "../test/support/dashboard-client.ts";
import type { Benchmark } from "./benchmark.ts";
import { compileCommandLine } from "./crash/process.ts";
import { CHART_INTERACTIONS, LIST_INTERACTIONS } from "./dashboard/interactions.ts";
import { chosenParts, type LimitRow, LimitRows, limitTable, type Measured } from "./dashboard/limit-table.ts";
import { firstShown, quiet, shownAfter, timesOf, withPage } from "./dashboard/measured-page.ts";
import { LONG_POINTS, LONG_RUNS, MANY_RUNS, writeLongRuns, writeManyRuns } from "./dashboard/run-files.ts";
import { withServer } from "./dashboard/server-process.ts";
import { begun, watchingRatios } from "./dashboard/watched-training.ts";
import { packageVersion } from "./machine.ts";

const BENCH = "dashboard-browser";
const OUTPUT = fileURLToPath(new URL("output/dashboard-browser", import.meta.url));
/** Milliseconds that a reader looks at a chart before the next input. The page asks for likely choices meanwhile. */
const LOOK = 1000;
/** Milliseconds until the result of an input must be painted. */
const ANSWER = 100;

export const dashboardBrowser: Benchmark<LimitRow> = {
  name: BENCH,
  summary: "the dashboard in a browser: first view of 1,000 runs, and interactions with 20 × 100,000 points",
  full: { rounds: 5, seconds: 0 },
  quick: { rounds: 1, seconds: 0 },
  help: {
    quick: "one round, about one minute",
    rounds: "rounds (default 5)",
    seconds: "not used",
    only: "only parts that match: first view, interactions, list, watched training",
  },
  table: limitTable([
    "Chromium without a graphics processor shows pages of 1280 × 900 pixels from a server in a process of its own; every round",
    "has a new server and a new page. The first view begins with the navigation, other times with the event of the mouse or the",
    "keyboard, and all end when the browser has painted the result. Where the page shows a result at once and the answer of the",
    "server makes it complete, such as a zoom that is drawn from wider columns first, both times are given, and the limit is that",
    "of the first. A second passes between two inputs. A page that logs an error, or sends a request to another machine, ends the",
    "benchmark.",
  ]),
  recordProblem: ({ quick, rounds }) =>
    quick || rounds < dashboardBrowser.full.rounds
      ? "--record needs a complete result: omit --quick, and --rounds below its default."
      : undefined,
  async run({ rounds, only }, say) {
    const parts = chosenParts(
      { "first view": firstView, interactions, list, "watched training": watched },
      only,
    );
    rmSync(OUTPUT, { recursive: true, force: true });
    mkdirSync(OUTPUT, { recursive: true });
    const { main } = await compileCommandLine(join(OUTPUT, "compiled"));
    const rows = new LimitRows(BENCH, say);
    const browser = await launchChromium();
    const bench = { main, browser, add: (row: Measured) => rows.add(row) };
    try {
      for (let round = 0; round < rounds; round++) {
        for (const part of parts) await part(bench, round);
      }
    } finally {
      await browser.close();
    }
    const versions = { chromium: browser.version(), uplot: packageVersion("uplot") };
    return { rows: rows.all, versions };
  },
};

interface Bench {
  readonly main: string;
  readonly browser: Browser;
  add(row: Measured): void;
}

async function firstView({ main, browser, add }: Bench, round: number): Promise<void> {
  const folder = join(OUTPUT, "many");
  if (round === 0) writeManyRuns(folder);
  await withServer(main, [folder], ({ url }) =>
    withPage(browser, async (page) => {
      const sizes: Promise<number>[] = [];
      page.on("response", (response) => {
        const isData = new URL(response.url()).pathname.startsWith("/api/");
        if (!isData && response.ok()) sizes.push(response.body().then((body) => gzipSync(body).length));
      });
      await page.goto(url);
      const value = (await firstShown(page, "entry")) / 1000;
      add({ setting: `first view of ${MANY_RUNS.toLocaleString("en")} runs`, unit: "s", value, allowed: 2 });
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      add({ setting: "the page without data, gzipped", unit: "kB", value: bytes / 1000, allowed: 250 });
    }),
  );
}

async function interactions({ main, browser, add }: Bench, round: number): Promise<void> {
  const folder = join(OUTPUT, "long");
  if (round === 0) writeLongRuns(folder);
  const points = `${LONG_RUNS} × ${LONG_POINTS.toLocaleString("en")} points`;
  await withServer(main, [folder], ({ url }) =>
    withPage(browser, async (page) => {
      await page.goto(url);
      await firstShown(page, "entry");
      const ids = Array.from({ length: LONG_RUNS }, (_, i) => ["e", `runs/run-${i}`]);
      const view = new URLSearchParams([...ids, ["metric", "loss"]]);
      await page.goto(`${new URL(url).origin}/#/compare?${view}`);
      await page.reload();
      const value = (await firstShown(page, "compare-table")) / 1000;
      add({ setting: `${points}, read for the first time`, unit: "s", value, allowed: null });
      await quiet(page);
      for (const interaction of CHART_INTERACTIONS) {
        const { name, isCompleted = false } = interaction;
        await sleep(LOOK);
        const { shown, complete } = await timesOf(page, interaction, round);
        const time = { unit: "ms", allowed: ANSWER } as const;
        if (isCompleted) {
          add({ ...time, setting: `${name}: at once`, value: shown });
          add({ ...time, setting: `${name}: complete`, value: complete, allowed: null });
        } else add({ ...time, setting: name, value: complete });
      }
    }),
  );
}

/** The list of many runs, without and with a run that the dashboard trains. */
async function list({ main, browser, add }: Bench, round: number): Promise<void> {
  const folder = join(OUTPUT, "trained");
  if (round === 0) writeManyRuns(folder);
  const measure = async (page: Page, when: string) => {
    for (const interaction of LIST_INTERACTIONS) {
      const value = await shownAfter(page, interaction, round);
      add({ setting: `${interaction.name}${when}`, unit: "ms", value, allowed: ANSWER });
    }
  };
  await withServer(main, [folder, "--allow-train"], ({ url }) =>
    withPage(browser, async (page) => {
      await page.goto(url);
      await firstShown(page, "entry");
      await quiet(page);
      await measure(page, "");
      const client = await clientOf(url);
      const settings = { task: "hypergrid", iterations: 1_000_000, logEvery: 1 };
      const { id } = await client.json<{ readonly id: string }>("/api/train", { settings });
      await page.locator('[data-test="live-card"]').waitFor();
      await measure(page, " while a run trains");
      await client.post("/api/stop", { id });
      rmSync(join(folder, id), { recursive: true });
    }),
  );
}

/** A training whose curves the page shows while they grow. */
async function watched({ main, browser, add }: Bench, round: number): Promise<void> {
  const folder = join(OUTPUT, "watched");
  const ratios = await watchingRatios(main, folder, round, (id, train) =>
    withServer(main, [folder], ({ url }) =>
      withPage(browser, async (page) => {
        await page.goto(url);
        const trained = train();
        await begun(join(folder, id));
        await page.goto(`${new URL(url).origin}/#/entry?${new URLSearchParams({ id })}`);
        return trained;
      }),
    ),
  );
  const rule = { unit: "× the time", allowed: 1.05 } as const;
  add({ ...rule, setting: "training whose page is open, beside one alone", value: ratios.seconds });
  add({ ...rule, setting: "processor time of that training", value: ratios.processorSeconds });
}
