// Tests the figures and tables that are written as files, against runs with given content.

import { expect, test } from "vitest";
import { end, evaluation, iteration, record, watchedFolder } from "../../test/support/entry-folders.ts";
import { textsOf } from "../../test/support/svg.ts";
import { parseCsv } from "../formats/csv.ts";
import { pageText } from "../report/page-file.ts";
import { csvTable } from "../report/table-files.ts";
import type { ReportData } from "./page-data.ts";
import { reportData } from "./report-data.ts";
import { entriesAt } from "./report-entries.ts";
import { reportFigures } from "./report-figures.ts";
import { reportTables } from "./report-tables.ts";
import { viewData } from "./views.ts";

const folder = watchedFolder();
for (const seed of [0, 1]) {
  folder.run(`runs/seed ${seed}`, { seed }, [
    ...[evaluation(0, 1, 0.5), iteration(10, 2 + seed), evaluation(10, 3, 0.25 + 0.5 * seed), end(10, 4)],
  ]);
}
folder.run("runs/other!", { stick: 0.5 }, [evaluation(0, 1, 0.5)]);
folder.comparison("c", [[{ method: "kl", stick: 0.25, seed: 0 }, [record({ iteration: 4, calls: 64 })]]]);
const figure = (title: string) => `<svg width="1" aria-label="${title}"></svg>`;
folder.write(
  "c/page.json",
  pageText({
    ...{ title: "c", intro: "" },
    sections: [
      { heading: "Two", figures: [figure("TV, stick 0.25"), figure("TV (stick 0.25)")] },
      { heading: "Results", tables: [{ caption: "stick 0.25", columns: ["method", "TV"], rows: [] }] },
    ],
  }),
);
folder.backtest("bt");

async function reportOf(...paths: readonly string[]): Promise<ReportData> {
  const { chosen, all } = await entriesAt(paths.map((path) => folder.at(path)));
  return reportData(chosen, all, { largest: 1e6, version: "1", view: viewData });
}

const table = (report: ReportData, path: string) =>
  parseCsv(csvTable(reportTables(report).find((each) => each.path === path)!.table));

test("curves of several runs are means over seeds, with their axis in the title", async () => {
  const report = await reportOf("runs");
  const figures = reportFigures(report, "seconds");
  expect(figures.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["tv", "kl", "expected-reward", "log-z-error", "loss"]),
  );
  const tv = figures.find(({ path }) => path === "tv")!;
  const texts = textsOf(tv.svg);
  expect(texts).toContain("Total variation over time (s)");
  expect(texts).toContain("hypergrid (2 seeds)");
  expect(texts).toContain("stick 0.5");
  expect(texts).toContain("Lines: mean over seeds. Bands: ± one standard deviation.");
});

test("tables of several runs have full numbers, and parts of a run are in its folder", async () => {
  const report = await reportOf("runs");
  const paths = reportTables(report).map(({ path }) => path);
  expect(paths).toEqual([
    ...["values", "differences"],
    ...["other/results", "other/settings", "seed-0/results", "seed-0/settings"],
    ...["seed-1/results", "seed-1/settings"],
  ]);
  const [heading, ...rows] = table(report, "values");
  const column = (name: string) => rows.map((row) => row[heading.indexOf(name)]);
  expect(column("entry")).toEqual(["stick 0.5", "hypergrid", "seed 0", "seed 1"]);
  expect(column("last total variation")).toEqual(["0.5", "0.5", "0.25", "0.75"]);
  const deviation = column("last total variation, standard deviation");
  expect(deviation.map(Number)).toEqual([0, Math.sqrt(0.125), 0, 0]);
  expect(table(report, "seed-0/results")).toContainEqual(["total variation", "0.25", "0.01", "0.5", "exact"]);
  expect(table(report, "differences")[0]).toEqual(["setting", "other!", "seed 0", "seed 1"]);
});

test("figures and tables of a page have readable names that differ", async () => {
  const report = await reportOf("c");
  const paths = reportFigures(report, "calls").map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["tv", "tv-stick-0-25", "tv-stick-0-25-2"]));
  expect(new Set(paths).size).toBe(paths.length);
  expect(reportTables(report).map(({ path }) => path)).toContain("results-stick-0-25");
});

test("a backtest has its charts and its metrics", async () => {
  const report = await reportOf("bt");
  expect(reportFigures(report, "iteration").map(({ path }) => path)).toEqual([
    ...["forecasts", "coverage", "error-by-step"],
  ]);
  expect(table(report, "forecast-metrics")).toEqual([
    ["model", "MAE"],
    ["Naive", "1.5"],
  ]);
});
