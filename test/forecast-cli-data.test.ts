// Tests of `gflownet forecast` on unusual files (step numbers as times, no header, unsuitable frequencies, few rows),
// and of its JSON output.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildCommandLine, type CommandLine, jsonLines } from "./support/command-line.ts";
import { reportIn } from "./support/report-data.ts";

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

/** Flags of a network that trains in a moment. */
const SMALL =
  "--iterations 40 --validate-every 20 --batch 8 --hidden 8 --width 4 --bins 4 --samples 20".split(" ");

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

/** The message of a command that rejects its input. */
function refusal(...words: readonly string[]): string {
  const { status, stdout, stderr } = forecast(...words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  return stderr;
}

function column(text: string, name: string): string[] {
  const [head, ...rows] = text.trim().split("\n");
  return rows.map((row) => row.split(",")[head.split(",").indexOf(name)]);
}

describe("step numbers as times", () => {
  test("are continued as numbers in CSV, JSON and backtests", () => {
    const words = ["index.csv", "--season", "4", "--horizon", "3", "--models", "seasonal-naive"];
    const { stdout } = forecast("predict", ...words, "--levels", "80");
    expect(column(stdout, "ds")).toEqual(["41", "42", "43"]);
    expect(column(stdout, "SeasonalNaive")).toEqual(["0", "1", "2"]);
    expect(jsonLines(forecast("predict", ...words, "--json").stdout)[0]).toMatchObject({ ds: 41 });
    forecast("predict", ...words, "--report", "counted.html", "--quiet");
    const forecastPage = readFileSync(cli.at("counted.html"), "utf8");
    expect(forecastPage).not.toMatch(/1970|time \(UTC\)/);
    forecast("backtest", ...words, "--windows", "2", "--out", "counted", "--quiet");
    const rows = readFileSync(cli.at("counted", "forecasts.csv"), "utf8");
    expect(column(rows, "ds")).toEqual(["35", "36", "37", "38", "39", "40"]);
    expect(column(rows, "cutoff")).toEqual(["34", "34", "34", "37", "37", "37"]);
    const page = readFileSync(cli.at("counted", "page.json"), "utf8");
    expect(page).toContain(">step<");
    expect(page).not.toContain("1970");
    expect(reportIn(cli.at("counted", "report.html")).pages[0].page.title).toContain("index");
  });

  test("are required by a model that was fitted on them", () => {
    forecast("fit", "index.csv", "--season", "4", "--horizon", "4", ...SMALL, "--out", "model", "--quiet");
    const { stdout } = forecast("predict", "model", "--data", "newer.csv", "--horizon", "2");
    expect(column(stdout, "ds")).toEqual(["49", "50"]);
    expect(refusal("predict", "model", "--data", "days.csv")).toBe(
      "gflownet: a number of steps, 1, needs times that are whole numbers, got 2020-01-01; model was fitted on steps of 1\n",
    );
  });
});

describe("a file without header and times", () => {
  test("has column numbers as names and row numbers as times", () => {
    const words = "predict bare.csv --wide --no-header --models naive --horizon 1 --levels 80".split(" ");
    const { status, stdout } = forecast(...words);
    expect(status).toBe(0);
    expect(column(stdout, "unique_id")).toEqual(["1", "2"]);
    expect(column(stdout, "ds")).toEqual(["31", "31"]);
    expect(column(stdout, "Naive")).toEqual(["29", "2"]);
  });

  test("is an error without --no-header", () => {
    expect(refusal("check", "bare.csv")).toBe(
      'gflownet: bare.csv must start with a line of column names, got "0,0"; if the file has no column names, read it without a header\n',
    );
  });
});

describe("a file of dates and sales", () => {
  test("needs no names of columns: the only numeric column is the target, and the output says so", () => {
    write("sales.csv", ["date,sales", ...numbers(30).map((t) => `${dayAt(t)},${t % 7}`)]);
    const { status, stdout } = forecast("check", "sales.csv");
    expect(status).toBe(0);
    expect(stdout).toContain("  targets  sales\n");
    expect(stdout).toContain(
      'The target is "sales", the only numeric column besides times and series names.',
    );
    const predicted = forecast("predict", "sales.csv", "--models", "naive", "--horizon", "1");
    expect(column(predicted.stdout, "Naive")).toEqual(["1"]);
    expect(predicted.stderr).toBe(
      'gflownet: the target is "sales", the only numeric column besides times and series names\n',
    );
  });

  test("may have decimal commas, which only --decimal reads", () => {
    write("comma.csv", ["date;sales", ...numbers(30).map((t) => `${dayAt(t)};${t % 7},5`)]);
    expect(refusal("check", "comma.csv")).toBe(
      'gflownet: comma.csv, row 1, column "sales": a number is needed, got "0,5"; set --decimal to a comma to read decimal commas\n',
    );
    const words = ["predict", "comma.csv", "--decimal", ",", "--models", "naive", "--horizon", "1"];
    expect(column(forecast(...words).stdout, "Naive")).toEqual(["1.5"]);
    expect(refusal("check", "comma.csv", "--decimal", "comma")).toBe(
      'gflownet: --decimal: must be "." or ",", got "comma"\n',
    );
  });
});

test("rows without a value give the irregular times to forecast, and the median gap continues them", () => {
  const hours = [0, 1, 2, 27.4, 28.4, 29.4, 54.8, 55.8, 56.8, 82.2, 83.2];
  const timeAt = (hour: number) => new Date(hour * 3_600_000).toISOString().replace(".000Z", "Z");
  write("irregular.csv", [
    "ds,y",
    ...hours.map((hour, t) => `${timeAt(hour)},${t % 3}`),
    ...[84.2, 109.6].map((hour) => `${timeAt(hour)},`),
  ]);
  const { stdout, stderr } = forecast("predict", "irregular.csv", "--horizon", "3", ...SMALL);
  expect(column(stdout, "ds")).toEqual([84.2, 109.6, 110.6].map(timeAt));
  expect(stderr).not.toContain("ends with");
});

describe("is rejected:", () => {
  test.each([
    [
      "a frequency finer than the data",
      ["check", "days.csv", "--frequency", "h"],
      "--frequency: steps of h are finer than all gaps between times, which have at least 24 steps; omit the frequency, or resample",
    ],
    [
      "a calendar frequency for step numbers",
      ["check", "index.csv", "--frequency", "D"],
      "--frequency: must be a number of steps, because the times are whole numbers that count steps, got D; give the time unit, s or ms, if they are timestamps",
    ],
    [
      "an existing folder, for a model",
      ["fit", "days.csv", "--horizon", "2", "--out", "."],
      `${"FOLDER"} is not empty; choose another name for the model`,
    ],
    [
      "an existing folder, for a backtest",
      ["backtest", "days.csv", "--horizon", "2", "--out", "."],
      `${"FOLDER"} is not empty; choose another name for the backtest`,
    ],
  ])("%s", (_, words, sentence) => {
    expect(refusal(...words)).toBe(`gflownet: ${sentence.replace("FOLDER", cli.folder)}\n`);
  });
});

describe("settings that contradict each other are rejected before the data are read:", () => {
  const HEADS = "must divide --width, got 3 heads for a width of 32";
  test.each([
    ["fit --width 33", "--width: must be even, got 33"],
    ["fit --heads 3", `--heads: ${HEADS}`],
    ["predict --heads 3", `--heads: ${HEADS}`],
    ["backtest --heads 3", `--heads: ${HEADS}`],
    [
      "compare --models naive,token-model:heads=3",
      `--models: token-model:heads=3 has a wrong heads, which ${HEADS}`,
    ],
    [
      "fit --width 33 --smoothing 1 --noise",
      'the command line has 2 problems:\n  there is no flag --noise\n  --smoothing: must be a number in [0, 1), got "1"',
    ],
  ])("%s", (words, message) => {
    const [command, ...flags] = words.split(" ");
    expect(refusal(command, "none.csv", "--horizon", "2", ...flags)).toBe(`gflownet: ${message}\n`);
  });

  test("more threads than the machine has", () => {
    expect(refusal("fit", "none.csv", "--horizon", "2", "--threads", "200", "--engine", "native")).toMatch(
      /^gflownet: --threads: must be at most \d+ on this machine, got 200\n$/,
    );
  });

  test("but a baseline ignores the settings of networks", () => {
    const words = ["--horizon", "2", "--models", "naive", "--width", "33"];
    expect(forecast("predict", "days.csv", ...words)).toMatchObject({ status: 0 });
  });
});

describe("four rows", () => {
  test("have no strength of trend, and a note explains why", () => {
    const [{ strengths }] = jsonLines(forecast("check", "four.csv", "--json").stdout);
    const note = "the strength of the trend is skipped, because it needs 16 values and there are 4";
    expect(strengths).toMatchObject([{ trend: null, season: null, notes: expect.arrayContaining([note]) }]);
  });

  test("give wide intervals and a note, for learned models and baselines", () => {
    const models =
      "token-model,naive,seasonal-naive,drift,seasonal-naive-drift,window-average,mstl-ets,theta,croston";
    const { status, stdout, stderr } = forecast(
      ...["predict", "four.csv", "--horizon", "1", "--models", models, "--json", ...SMALL, "--seed", "3"],
    );
    expect(status).toBe(0);
    expect(stderr).toBe('gflownet: intervals are unreliable with fewer than 8 values: series "series"\n');
    const [row] = jsonLines(stdout) as Record<string, number>[];
    const names = Object.keys(row).filter((name) => name.endsWith("-hi-80"));
    expect(names).toHaveLength(9);
    for (const name of names) expect(row[name] - row[name.replace("-hi-", "-lo-")]).toBeGreaterThan(2);
  });
});

describe("a note about an unknown frequency or season is printed", () => {
  test.each<[string, string[], (t: number) => string, string]>([
    [
      "for irregular times",
      [],
      (t) => dayAt(t * t),
      "times are irregular, so there are no steps and no season; set a frequency or resample",
    ],
    [
      "for step numbers",
      [],
      (t) => `${t}`,
      "times count steps, so there is no default season; set a season if there is one",
    ],
    [
      "if the season is too long",
      ["--season", "30"],
      dayAt,
      "a season of 30 steps is longer than the longest series, 12 rows",
    ],
  ])("%s", (_, words, time, sentence) => {
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

describe("output for programs", () => {
  const models = ["--horizon", "2", "--models", "token-model,naive", ...SMALL];

  test("every line of a command with --json is an object", () => {
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

  test("a command with --quiet prints nothing", () => {
    expect(forecast("compare", "days.csv", "--seeds", "1", ...models, "--quiet")).toMatchObject({
      ...{ status: 0, stdout: "", stderr: "" },
    });
  });
});
