// Tests of the commands backtest, compare and verify of `gflownet forecast`, and of messages about unusable files.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { jsonLines } from "./support/command-line.ts";
import { csvOf, daily, dayAt, forecastFiles, SMALL } from "./support/forecast-files.ts";
import { reportIn } from "./support/report-data.ts";

const { cli, write, run } = forecastFiles();

const metricsIn = (object: Readonly<Record<string, unknown>>) =>
  object.metrics as Record<string, number | null>;

describe("backtest", () => {
  test("gives the exact errors of baselines on a linear series, as one JSON object per model", () => {
    const words = ["--horizon", "2", "--windows", "3", "--season", "1", "--models", "naive,drift"];
    const found = jsonLines(run("backtest", "line.csv", ...words, "--out", "line", "--json"));
    expect(found.map(({ model }) => model)).toEqual(["Naive", "Drift", "SeasonalNaive"]);
    const [naive, drift, seasonal] = found.map(metricsIn);
    expect(naive).toMatchObject({ MAE: 4.5, MASE: 1.5, energy: null, "coverage-80": 0.5 });
    expect(naive.RMSE).toBeCloseTo(Math.sqrt(22.5), 12);
    expect(drift.MAE).toBeCloseTo(0, 12);
    expect(seasonal).toEqual(naive);
    const rows = csvOf(readFileSync(cli.at("line", "forecasts.csv"), "utf8"));
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatchObject({
      unique_id: "series",
      ds: dayAt(24),
      cutoff: dayAt(23),
      y: "72",
      Naive: "69",
    });
  });

  test("uses empirical quantiles for baselines and the reference with --predictive-distribution empirical", () => {
    // The series rises by 1 every third day and is constant in between. No normal distribution describes such
    // differences.
    write(
      "jumps.csv",
      daily(31, (t) => Math.floor(t / 3)),
    );
    const words = ["--horizon", "1", "--season", "1", "--models", "naive", "--levels", "50", "--json"];
    const spreads = ["gaussian", "empirical"].map((spread) =>
      jsonLines(
        run("backtest", "jumps.csv", ...words, "--predictive-distribution", spread, "--out", spread),
      ).map(metricsIn),
    );
    const widths = spreads.map((models) => models.map((metrics) => metrics["width-50"]));
    // The Gaussian interval reaches √(1/3) · 0.674 to either side. The empirical interval reaches from the lower
    // quartile of the errors, 0, to the upper quartile, 1.
    const deviation = Math.sqrt(9 / 29);
    expect(widths[0][0]).toBeCloseTo(2 * 0.6828 * deviation, 2);
    expect(widths[1]).toEqual([1, 1]);
  });

  test("runs the learned model and all baselines, and writes tables and a page", () => {
    const printed = run("backtest", "line.csv", "--horizon", "3", "--windows", "2", ...SMALL, "--out", "all");
    expect(printed).toContain(
      "forecasts of 3 steps of D.\n2 cutoffs, 3 steps apart, each with all rows before it; fitted at the first cutoff.\n",
    );
    for (const name of ["TokenModel", "WindowAverage", "MSTL-ETS", "Skill against SeasonalNaive"]) {
      expect(printed).toContain(name);
    }
    const metrics = csvOf(readFileSync(cli.at("all", "metrics.csv"), "utf8"));
    expect(metrics).toHaveLength(9 * (1 + 1 + 3));
    expect(metrics[0]).toMatchObject({ model: "TokenModel", series: "", step: "" });
    const { details, views, pages } = reportIn(cli.at("all", "report.html"));
    expect(details[0].views).toEqual(["forecast", "calibration"]);
    expect(views.map(({ data }) => data.view)).toEqual(["forecast", "calibration"]);
    const page = JSON.stringify(pages);
    for (const part of ["Error by step ahead", "Reliability", "PIT", "The last window", "version of node"]) {
      expect(page).toContain(part);
    }
    expect(page).not.toContain("NaN");
  });

  test.each([
    ["naive", 10, 31],
    ["token-model", 10, 32],
  ])("of %s at %i cutoffs needs %i rows", (models, windows, rows) => {
    const words = ["--horizon", "3", "--windows", `${windows}`, "--models", models];
    const { status, stdout, stderr } = cli.gflownet("forecast", "backtest", "line.csv", ...words);
    expect({ status, stdout, stderr }).toEqual({
      ...{ status: 2, stdout: "" },
      stderr: `gflownet: --windows: 10 windows of 3 steps, 3 apart, need a series of at least ${rows} rows, got 30; lower the number of windows, the step size or the horizon\n`,
    });
  });

  test("explains why a constant series has no MASE", () => {
    write(
      "constant.csv",
      daily(30, () => 5),
    );
    const words = ["--horizon", "2", "--models", "naive", "--out", "constant"];
    const { status, stdout, stderr } = cli.gflownet(
      "forecast",
      "backtest",
      "constant.csv",
      ...words,
      "--json",
    );
    expect(status).toBe(0);
    expect(stderr).toContain(
      "MASE, RMSSE, MSIS-80, MSIS-95: the past of the series is constant or too short",
    );
    expect(metricsIn(jsonLines(stdout)[0])).toMatchObject({ MAE: 0, MASE: null });
  });
});

describe("series that end at different dates", () => {
  const rowsOf = (id: string, count: number) =>
    Array.from({ length: count }, (_, t) => `${id},${dayAt(t)},${t % 3}`);
  const words = [
    "backtest",
    "ends.csv",
    "--horizon",
    "2",
    "--windows",
    "2",
    "--models",
    "naive",
    "--season",
    "3",
  ];

  test("are all judged, and the headline says how many are if some are too short", () => {
    write("ends.csv", ["unique_id,ds,y", ...rowsOf("a", 20), ...rowsOf("ended", 9), ...rowsOf("tiny", 2)]);
    const printed = cli.gflownet("forecast", ...words, "--out", "ends");
    expect(printed.stdout).toContain("ends, 3 series (2 of them judged), 31 rows");
    expect(printed.stderr).toContain(
      'series "tiny" is skipped in window 1: it has no rows before the cutoff',
    );
    const rows = csvOf(readFileSync(cli.at("ends", "forecasts.csv"), "utf8"));
    expect([...new Set(rows.map(({ unique_id, cutoff }) => `${unique_id} ${cutoff}`))].sort()).toEqual([
      ...[`a ${dayAt(15)}`, `a ${dayAt(17)}`, `ended ${dayAt(4)}`, `ended ${dayAt(6)}`],
    ]);
  });

  test("fall out with --align time", () => {
    const { stdout: printed } = cli.gflownet("forecast", ...words, "--align", "time", "--out", "aligned");
    expect(printed).toContain("ends, 3 series (1 of them judged), 31 rows");
    expect(printed).toContain(
      "2 cutoffs, 2 steps apart, at the same time for all series, each with all rows",
    );
  });
});

test("three rows and a horizon of 1 give the baselines, each with its kind", () => {
  write(
    "three.csv",
    daily(3, (t) => [1, 3, 2][t]),
  );
  const words = ["backtest", "three.csv", "--horizon", "1", "--json", "--out", "three"];
  const { status, stdout, stderr } = cli.gflownet("forecast", ...words);
  expect(status).toBe(0);
  expect(stderr).toContain("TokenModel is left out, because the rows before the first cutoff are too few");
  const rows = jsonLines(stdout);
  expect(rows).toHaveLength(8);
  for (const { kind } of rows) expect(kind).toBe("baseline");
});

test("--series selects the series to forecast", () => {
  const rows = ["a", "b"].flatMap((id, i) =>
    Array.from({ length: 20 }, (_, t) => `${id},${dayAt(t)},${t + i}`),
  );
  write("two.csv", ["unique_id,ds,y", ...rows]);
  const words = ["predict", "two.csv", "--horizon", "1", "--models", "drift", "--levels", "80"];
  expect(csvOf(run(...words, "--series", "b"))).toMatchObject([{ unique_id: "b", Drift: "21" }]);
  const { status, stderr } = cli.gflownet("forecast", ...words, "--series", "c");
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'gflownet: --series: there is no series "c"; choose from a, b\n',
  });
});

test("compare runs learned models once per seed, and baselines once", () => {
  const words = ["--horizon", "2", "--models", "token-model,token-model:bins=2,naive", "--seeds", "2"];
  const found = jsonLines(run("compare", "weeks.csv", "line.csv", ...words, ...SMALL, "--json"));
  const cells = found.map(({ file, seed, model }) => `${file} ${seed} ${model}`);
  const of = (file: string) => [
    ...[
      "0 TokenModel",
      "0 TokenModel:bins=2",
      "0 Naive",
      "0 SeasonalNaive",
      "1 TokenModel",
      "1 TokenModel:bins=2",
    ].map((cell) => `${file} ${cell}`),
  ];
  expect(cells).toEqual([...of("weeks.csv"), ...of("line.csv")]);
});

test("a model that is given twice is rejected, because columns need different names", () => {
  const words = ["--horizon", "2", "--models", "naive,drift,naive"];
  const { status, stderr } = cli.gflownet("forecast", "predict", "line.csv", ...words);
  expect(status).toBe(2);
  expect(stderr).toBe("gflownet: --models: must contain each model once, got Naive twice\n");
});

test("compare checks all files before the first backtest", () => {
  const words = ["--horizon", "2", "--models", "naive"];
  const { status, stdout, stderr } = cli.gflownet("forecast", "compare", "weeks.csv", "no.csv", ...words);
  expect({ status, stdout, stderr }).toEqual({
    ...{ status: 2, stdout: "" },
    stderr: "gflownet: no.csv cannot be read: it does not exist\n",
  });
});

test("future rows that are missing up to the horizon are reported", () => {
  const rows = Array.from({ length: 42 }, (_, t) => `${dayAt(t)},${t < 40 ? t % 7 : ""},${t % 3},${t % 2}`);
  write("ahead.csv", ["ds,y,price,promo", ...rows]);
  const known = ["--known-future-columns", "price,promo", "--horizon", "4"];
  run("fit", "ahead.csv", ...known, ...SMALL, "--out", "ahead", "--quiet");
  expect(csvOf(run("predict", "ahead", "--horizon", "2"))).toHaveLength(2);
  expect(cli.gflownet("forecast", "predict", "ahead", "--horizon", "3").stderr).toBe(
    'gflownet: price, promo should be known in the future, but series "series" has 2 of 3 future rows; the others are treated as missing\n',
  );
});

describe("verify", () => {
  test("prints one row per case with total variation, limit and log Z error", () => {
    const words = ["verify", "--quick", "--only", "V3-blind"];
    const [row] = jsonLines(run(...words, "--json"));
    expect(row).toMatchObject({ id: "V3-blind", contexts: 12, passed: true });
    expect(row.limit).toBeGreaterThan(0.1);
    const names = ["tv", "worstTv", "limit", "logZError", "worstLogZError"];
    const [mean, worst, limit, logZ, worstLogZ] = names.map((name) => Number(row[name]));
    expect(worst).toBeGreaterThan(mean);
    expect(worstLogZ).toBeGreaterThan(logZ);
    const [heads, cells] = run(...words)
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(heads).toEqual("case,name,contexts,mean TV,worst TV,limit,log Z error,worst,time".split(","));
    const figures = [mean, worst, limit, logZ, worstLogZ].map((figure) => figure.toFixed(4));
    expect(cells.slice(2, 8)).toEqual(["12", ...figures]);
  });

  test("rejects an unknown case", () => {
    const { status, stderr } = cli.gflownet("forecast", "verify", "--only", "V99");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^gflownet: .*V1, .*, got "?V99"?\n$/);
  });
});

describe("an unusable file is reported with row and column:", () => {
  const day = (value: number | string, t: number) => `${dayAt(t)},${value}`;
  test.each<[string, string[], string]>([
    ["an empty one", [], "bad.csv must start with a line of column names, got an empty line"],
    ["one row", ["ds,y", "2020-01-01,1"], "bad.csv has one row, and at least two are needed"],
    ["all missing", ["ds,y", "2020-01-01,", "2020-01-02,"], 'No row has a value of "y": all are missing'],
    [
      "words",
      ["ds,y", ...[1, "two", 3].map(day)],
      'bad.csv, row 2, column "y": a number is needed, got "two"',
    ],
    [
      "infinite values",
      ["ds,y", ...[1, 2, "-inf"].map(day)],
      'bad.csv, row 3, column "y": a finite number is needed, got "-inf"',
    ],
    [
      "mixed time zones",
      ["ds,y", "2020-01-01T00:00Z,1", "2020-01-02T00:00,2"],
      'bad.csv, row 2, column "ds": either all times or none must have a UTC offset, got "2020-01-02T00:00"',
    ],
    [
      "the same time twice",
      ["ds,y", "2020-01-01,1", "2020-01-01,2"],
      '--duplicates: row 2 has the same time as row 1 in series "series", 2020-01-01; choose one of mean, sum, last, first to merge them',
    ],
    [
      "no times",
      ["a,b,y", "1,2,3", "4,5,6"],
      '--time-column: bad.csv has no column named ds, timestamp, datetime, date, time; choose one of its columns: "a", "b", "y"',
    ],
    [
      "a horizon longer than the data",
      daily(2, (t) => t),
      "--horizon: must be below the 2 rows of the longest series, got 2",
    ],
  ])("%s", (_, lines, sentence) => {
    write("bad.csv", lines);
    const { status, stdout, stderr } = cli.gflownet(
      "forecast",
      "fit",
      "bad.csv",
      "--horizon",
      "2",
      "--out",
      "bad",
    );
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `gflownet: ${sentence}\n` });
    expect(existsSync(cli.at("bad"))).toBe(false);
  });
});

test("unsorted rows and a season longer than the series give a forecast without NaN", () => {
  const [head, ...rows] = daily(20, (t) => t % 7);
  write("odd.csv", [head, ...rows.reverse()]);
  const models =
    "token-model,naive,seasonal-naive,drift,seasonal-naive-drift,window-average,mstl-ets,theta,croston";
  const { status, stdout } = cli.gflownet(
    ...["forecast", "predict", "odd.csv", "--season", "365", "--horizon", "3", "--models", models, ...SMALL],
  );
  expect(status).toBe(0);
  const found = csvOf(stdout);
  expect(found.map(({ ds }) => ds)).toEqual([dayAt(20), dayAt(21), dayAt(22)]);
  for (const { unique_id: _, ds: __, ...numbers } of found) {
    for (const text of Object.values(numbers)) expect(text).toMatch(/^-?\d/);
  }
});
