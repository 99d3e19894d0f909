// `gflownet forecast` on files as people have them: times that count, no header, steps that do not fit, few rows; and output
// that programs read.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";

let cli: CommandLine;
beforeAll(() => {
  cli = buildCommandLine();
  write("index.csv", ["ds,y", ...numbers(40).map((t) => `${t + 1},${t % 4}`)]);
  write("newer.csv", ["ds,y", ...numbers(48).map((t) => `${t + 1},${t % 4}`)]);
  write("bare.csv", [...numbers(30).map((t) => `${t},${(t % 5) / 2}`)]);
  write("days.csv", ["ds,y", ...numbers(30).map((t) => `${dayAt(t)},${t % 7}`)]);
  write("four.csv", ["ds,y", ...[1, 3, 2, 4].map((y, t) => `${dayAt(t)},${y}`)]);
});
afterAll(() => cli?.remove());

/** A network that learns in no time. */
const SMALL = "--iterations 40 --every 20 --batch 8 --hidden 8 --width 4 --bins 4 --samples 20".split(" ");

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, t) => t);
}

function dayAt(t: number): string {
  return new Date(Date.UTC(2020, 0, 1 + t)).toISOString().slice(0, 10);
}

function write(name: string, lines: readonly string[]): void {
  writeFileSync(cli.at(name), `${lines.join("\n")}\n`);
}

function forecast(...words: readonly string[]) {
  return cli.gflownet("forecast", ...words);
}

/** What a verb says when it refuses. */
function refusal(...words: readonly string[]): string {
  const { status, stdout, stderr } = forecast(...words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  return stderr;
}

function column(text: string, name: string): string[] {
  const [head, ...rows] = text.trim().split("\n");
  return rows.map((row) => row.split(",")[head.split(",").indexOf(name)]);
}

describe("times that count steps", () => {
  test("are written as the numbers that follow, in rows, JSON and backtests", () => {
    const words = ["index.csv", "--season", "4", "--horizon", "3", "--models", "seasonal-naive"];
    const { stdout } = forecast("predict", ...words, "--level", "80");
    expect(column(stdout, "ds")).toEqual(["41", "42", "43"]);
    expect(column(stdout, "SeasonalNaive")).toEqual(["0", "1", "2"]);
    expect(jsonLines(forecast("predict", ...words, "--json").stdout)[0]).toMatchObject({ ds: 41 });
    forecast("predict", ...words, "--report", "counted.html", "--quiet");
    const forecastPage = readFileSync(cli.at("counted.html"), "utf8");
    expect(forecastPage).not.toMatch(/1970|time \(UTC\)/);
    forecast("backtest", ...words, "--n-windows", "2", "--out", "counted", "--quiet");
    const rows = readFileSync(cli.at("counted", "forecasts.csv"), "utf8");
    expect(column(rows, "ds")).toEqual(["35", "36", "37", "38", "39", "40"]);
    expect(column(rows, "cutoff")).toEqual(["34", "34", "34", "37", "37", "37"]);
    const page = readFileSync(cli.at("counted", "report.html"), "utf8");
    expect(page).toContain(">step<");
    expect(page).not.toContain("1970");
  });

  test("are known to a model that was fitted on such", () => {
    forecast("fit", "index.csv", "--season", "4", "--horizon", "4", ...SMALL, "--out", "model", "--quiet");
    const { stdout } = forecast("predict", "model", "--data", "newer.csv", "--horizon", "2");
    expect(column(stdout, "ds")).toEqual(["49", "50"]);
    expect(refusal("predict", "model", "--data", "days.csv")).toBe(
      "gflownet: A frequency of 1 is for times that are whole numbers, got 2020-01-01; model has learned steps of 1\n",
    );
  });
});

describe("a file without names and times", () => {
  test("is read by numbers of columns and rows", () => {
    const words = "predict bare.csv --wide --no-header --models naive --horizon 1 --level 80".split(" ");
    const { status, stdout } = forecast(...words);
    expect(status).toBe(0);
    expect(column(stdout, "unique_id")).toEqual(["1", "2"]);
    expect(column(stdout, "ds")).toEqual(["31", "31"]);
    expect(column(stdout, "Naive")).toEqual(["29", "2"]);
  });

  test("is asked about if nothing was said", () => {
    expect(refusal("check", "bare.csv")).toBe(
      'gflownet: bare.csv must begin with a line of names, got "0,0"; if it has none, use --no-header\n',
    );
  });
});

describe("what would be done in silence is refused:", () => {
  test.each([
    [
      "steps finer than the data",
      ["check", "days.csv", "--freq", "h"],
      "Steps of h are finer than all gaps between times, which are at least 24 of them; leave --freq out, or use --resample",
    ],
    [
      "steps of time between numbers",
      ["check", "index.csv", "--freq", "D"],
      "Times are whole numbers that count steps, so the frequency must be a number of them, got D; use --time-unit s or ms if they count time since 1970",
    ],
    [
      "a folder that is there, for a model",
      ["fit", "days.csv", "--horizon", "2", "--out", "."],
      `${"FOLDER"} is not empty; choose another name for the model`,
    ],
    [
      "a folder that is there, for a backtest",
      ["backtest", "days.csv", "--horizon", "2", "--out", "."],
      `${"FOLDER"} is not empty; choose another name for the backtest`,
    ],
  ])("%s", (_, words, sentence) => {
    expect(refusal(...words)).toBe(`gflownet: ${sentence.replace("FOLDER", cli.folder)}\n`);
  });
});

describe("four rows", () => {
  test("have no strength of a trend, and it is said why", () => {
    const [{ strengths }] = jsonLines(forecast("check", "four.csv", "--json").stdout);
    const why = "the strength of the trend is left out, as it needs 16 values and there are 4";
    expect(strengths).toMatchObject([{ trend: null, season: null, notes: expect.arrayContaining([why]) }]);
  });

  test("give wide intervals and a remark, learned or not", () => {
    const models = "gflownet,naive,seasonal-naive,drift,seasonal-naive-drift,window-average,mstl-ets";
    const { status, stdout, stderr } = forecast(
      ...["predict", "four.csv", "--horizon", "1", "--models", models, "--json", ...SMALL, "--seed", "3"],
    );
    expect(status).toBe(0);
    expect(stderr).toBe(
      'gflownet: fewer than 8 values tell little of how far forecasts may be off: series "series"\n',
    );
    const [row] = jsonLines(stdout) as Record<string, number>[];
    const names = Object.keys(row).filter((name) => name.endsWith("-hi-80"));
    expect(names).toHaveLength(7);
    for (const name of names) expect(row[name] - row[name.replace("-hi-", "-lo-")]).toBeGreaterThan(2);
  });
});

describe("steps and seasons that are not known", () => {
  test.each<[string, string[], (t: number) => string, string]>([
    [
      "of irregular times",
      [],
      (t) => dayAt(t * t),
      "times are irregular, so there are no steps and no season; --freq or --resample sets steps",
    ],
    [
      "of numbers that count",
      [],
      (t) => `${t}`,
      "times count steps, so no season is known; if there is one, --season says it",
    ],
    [
      "as the season is too long",
      ["--season", "30"],
      dayAt,
      "a season of 30 steps is longer than all series, the longest of 12 rows",
    ],
  ])("%s are said", (_, words, time, sentence) => {
    write("steps.csv", ["ds,y", ...Array.from({ length: 12 }, (_, t) => `${time(t)},${t % 5}`)]);
    const { status, stderr } = forecast(
      "predict",
      "steps.csv",
      "--horizon",
      "1",
      "--models",
      "naive",
      ...words,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: `gflownet: ${sentence}\n` });
  });
});

describe("for programs", () => {
  const models = ["--horizon", "2", "--models", "gflownet,naive", ...SMALL];

  test("every line that a verb prints with --json is an object", () => {
    for (const words of [
      ["fit", "days.csv", "--horizon", "2", ...SMALL],
      ["predict", "model", "--event", "max >= 100", "--tune-iterations", "0"],
      ["backtest", "days.csv", ...models],
      ["compare", "days.csv", "--seeds", "1", ...models],
    ]) {
      const { status, stdout } = forecast(...words, "--json");
      expect({ words, status }).toEqual({ words, status: 0 });
      const lines = jsonLines(stdout);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toBeTypeOf("object");
    }
  });

  test("a verb that is quiet prints nothing", () => {
    expect(forecast("compare", "days.csv", "--seeds", "1", ...models, "--quiet")).toMatchObject({
      ...{ status: 0, stdout: "", stderr: "" },
    });
  });
});
