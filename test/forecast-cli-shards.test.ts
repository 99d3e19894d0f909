// Tests of `gflownet forecast backtest` and `compare` in shards, with processes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { jsonLines } from "./support/command-line.ts";
import { forecastFiles } from "./support/forecast-files.ts";
import { reportIn } from "./support/report-data.ts";
import { writeSeriesParquet } from "./support/series-parquet.ts";

const { cli, run } = forecastFiles();
const COMMON = ["--models", "naive,drift", "--horizon", "6", "--windows", "2"];
const read = (...names: string[]) => readFileSync(cli.at(...names), "utf8");
/** The file of metrics without the rows of single series. */
const withoutSeries = (csv: string) =>
  csv.split("\n").filter((line) => line.split(",")[1] === "" || line.startsWith("model,"));

beforeAll(() => writeSeriesParquet(cli.at("series.parquet"), { series: 300 }), 60_000);

describe("backtest in shards", () => {
  test("writes the metrics of the undivided backtest, the scores of all series, and a report", () => {
    cli.gflownet("forecast", "backtest", "series.parquet", ...COMMON, "--quiet", "--out", "whole");
    const { status, stdout, stderr } = cli.gflownet(
      ...[
        "forecast",
        "backtest",
        "series.parquet",
        ...COMMON,
        "--jobs",
        "2",
        "--shards",
        "4",
        "--out",
        "parts",
      ],
    );
    expect(status).toBe(0);
    expect(stderr).toContain("12 of 300 series have no forecast; scores.parquet has the reason");
    expect(stdout).toMatch(
      /series, 300 series, [\d,]+ rows, season 12; forecasts of 6 steps of M\.\n4 shards, each of at most 3 row groups of 6\./,
    );
    expect(stdout).toContain("Every series: parts/scores.parquet");
    expect(read("parts", "metrics.csv").trimEnd().split("\n")).toEqual(
      withoutSeries(read("whole", "metrics.csv")),
    );
    expect(readdirSync(cli.at("parts")).sort()).toEqual([
      "forecasts.csv",
      "metrics.csv",
      "page.json",
      "report.html",
      "scores.parquet",
    ]);
    const rows = read("parts", "forecasts.csv").trimEnd().split("\n");
    // Series 13 ends early, and has cutoffs of its own.
    expect(rows.length).toBe(1 + 12 * 2 * 6);
    const whole = new Set(read("whole", "forecasts.csv").replaceAll('"', "").split("\n"));
    for (const row of rows) expect(whole).toContain(row.replaceAll('"', ""));
    const { views, pages } = reportIn(cli.at("parts", "report.html"));
    expect(new Set(views.map(({ data }) => data.view))).toEqual(new Set(["calibration", "forecast"]));
    expect(pages[0].page.sections.map(({ heading }) => heading)).toContain("Calibration");
  });

  test("continues after a kill, with the same results", async () => {
    const words = [
      "series.parquet",
      ...COMMON,
      "--jobs",
      "1",
      "--shards",
      "20",
      "--out",
      "killed",
      "--quiet",
    ];
    const started = cli.start("forecast", "backtest", ...words);
    while (!existsSync(cli.at("killed", "shards", "000003.json"))) await sleep(10);
    started.child.kill("SIGKILL");
    await started.ended;
    const kept = readdirSync(cli.at("killed", "shards")).filter((name) => /^\d+\.json$/.test(name)).length;
    expect(kept).toBeLessThan(21);
    expect(cli.gflownet("forecast", "backtest", ...words.with(4, "5")).stderr).toContain(
      "killed has shards of other data, options or another version; choose another folder, or remove it",
    );
    const { status, stdout } = cli.gflownet("forecast", "backtest", ...words.slice(0, -1));
    expect(status).toBe(0);
    expect(Number(/(\d+) shards of them already finished/.exec(stdout)?.[1])).toBe(Math.min(20, kept));
    expect(read("killed", "metrics.csv")).toBe(read("parts", "metrics.csv"));
    expect(
      readFileSync(cli.at("killed", "scores.parquet")).equals(
        readFileSync(cli.at("parts", "scores.parquet")),
      ),
    ).toBe(true);
    expect(existsSync(cli.at("killed", "shards"))).toBe(false);
  }, 300_000);

  test("is refused for other files and for the learned model", () => {
    const fails = (...words: string[]) => cli.gflownet("forecast", "backtest", ...words).stderr;
    expect(fails("line.csv", "--horizon", "2", "--jobs", "2")).toBe(
      "gflownet: --jobs: needs a Parquet file, because only its rows can be read in parts\n",
    );
    expect(fails("series.parquet", "--horizon", "2", "--shards", "2", "--models", "token-model")).toContain(
      "--models: cannot have token-model in shards, because it is trained on all series together",
    );
    expect(fails("series.parquet", "--horizon", "2", "--shards", "2", "--id-column", "item")).toContain(
      "item",
    );
  });
});

test("compare in shards prints the scores of the undivided comparison", () => {
  const scores = (...words: string[]) =>
    jsonLines(
      cli.gflownet("forecast", "compare", "series.parquet", ...COMMON, "--json", ...words).stdout,
    ).map(({ model, metrics, skill, pit }) => ({ model, metrics, skill, pit }));
  const whole = scores();
  expect(whole.map(({ model }) => model)).toEqual(["Naive", "Drift", "SeasonalNaive"]);
  expect(scores("--shards", "5", "--out", "compared")).toEqual(whole);
  expect(readdirSync(cli.at("compared", "series"))).toContain("scores.parquet");
  expect(run("compare", "--help")).toContain("--shards <n>");
});
