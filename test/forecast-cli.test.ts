// Tests of the commands check, fit and predict of `gflownet forecast`: files, seeds, scenarios and messages. See
// forecast-cli-backtest.test.ts for backtests, comparisons and unusable files.

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { models } from "gflownet/forecast";
import { beforeAll, describe, expect, test } from "vitest";
import { jsonLines } from "./support/command-line.ts";
import { csvOf, daily, dayAt, forecastFiles, SMALL } from "./support/forecast-files.ts";

const { cli, write, run } = forecastFiles();

describe("check", () => {
  test("describes a file as text and as JSON", () => {
    expect(run("check", "weeks.csv")).toContain("step     D");
    const [description] = jsonLines(run("check", "weeks.csv", "--json"));
    expect(description).toMatchObject({ series: 1, rows: 70, frequency: "D", season: 7, missing: 0 });
    expect(description.strengths).toEqual([{ series: "series", target: "y", trend: null, season: 1 }]);
  });

  test("writes components that add up to the values", () => {
    const { status, stderr } = cli.gflownet("forecast", "check", "line.csv", "--parts", "no/parts.csv");
    expect(status).toBe(2);
    expect(stderr).toBe("gflownet: --parts: must be a file in an existing folder, got no/parts.csv\n");
    run("check", "line.csv", "--parts", "parts.csv", "--quiet");
    const rows = csvOf(readFileSync(cli.at("parts.csv"), "utf8"));
    expect(rows).toHaveLength(30);
    for (const { y, trend, season, residual } of rows) {
      expect(Number(trend) + Number(season) + Number(residual)).toBeCloseTo(Number(y), 9);
    }
  });
});

describe("a fitted model", () => {
  beforeAll(() => {
    run("fit", "weeks.csv", "--horizon", "7", ...SMALL, "--out", "model", "--quiet");
  });

  test("is a folder with networks as .onnx files", () => {
    expect(readdirSync(cli.at("model")).sort()).toEqual([
      ...["encoder.onnx", "manifest.json", "model.safetensors", "paths.onnx", "training.jsonl"],
    ]);
    const { status, stdout } = cli.gflownet("inspect", "model/paths.onnx", "--json");
    expect(status).toBe(0);
    expect(stdout).toContain("tokens");
  });

  test("forecasts constant weeks exactly, at the times after the last row", () => {
    run("predict", "model", "--levels", "80,80", "--quantiles", "0.25,0.25", "--out", "f.csv");
    const rows = csvOf(readFileSync(cli.at("f.csv"), "utf8"));
    expect(Object.keys(rows[0])).toEqual([
      ...[
        "unique_id",
        "ds",
        "TokenModel",
        "TokenModel-median",
        "TokenModel-lo-80",
        "TokenModel-hi-80",
        "TokenModel-q-25",
      ],
    ]);
    expect(rows.map(({ ds }) => ds)).toEqual(Array.from({ length: 7 }, (_, h) => dayAt(70 + h)));
    for (const [h, row] of rows.entries()) expect(Number(row.TokenModel)).toBeCloseTo(h, 4);
  });

  test("is bit-identical when fitted again, and forecasts like a model fitted by predict", () => {
    run("fit", "weeks.csv", "--horizon", "7", ...SMALL, "--out", "again", "--quiet");
    const [one, other] = ["model", "again"].map((folder) => {
      const file = cli.at(folder, "model.safetensors");
      return models.decodeForecastModel(readFileSync(file), file);
    });
    expect(one.parameters).toEqual(other.parameters);
    expect(one.bins).toEqual(other.bins);
    // The forecast is made in a different process from the one that fitted the model.
    const saved = cli.alone("forecast", "predict", "model").stdout;
    expect(saved).toContain("TokenModel-hi-95");
    expect(cli.gflownet("forecast", "predict", "weeks.csv", "--horizon", "7", ...SMALL).stdout).toBe(saved);
    expect(cli.gflownet("forecast", "predict", "model", "--seed", "1").stdout).not.toBe(saved);
  });

  test("uses the given normaliser and doubles its bins, or reports values that the normaliser rejects", () => {
    const fit = ["fit", "weeks.csv", "--horizon", "7", ...SMALL, "--quiet"];
    const { status, stderr } = cli.gflownet("forecast", ...fit, "--normaliser", "log");
    expect(status).toBe(2);
    expect(stderr).toContain(
      '--normaliser: log needs values above 0, got 0 in row 1 of y in series "series"',
    );
    run(...fit, "--normaliser", "log1p", "--bin-doublings", "1", "--out", "logs");
    const [coarse, fine] = ["model", "logs"].map((folder) => {
      const file = cli.at(folder, "model.safetensors");
      return models.decodeForecastModel(readFileSync(file), file);
    });
    expect(fine.bins.edges.length - 1).toBe(2 * (coarse.bins.edges.length - 1));
    csvOf(run("predict", "logs")).forEach(({ TokenModel }, h) => {
      expect(Number(TokenModel)).toBeCloseTo(h, 3);
    });
  });

  test("has a point-forecast column only if it has a point-forecast head", () => {
    const fit = ["fit", "weeks.csv", "--horizon", "7", ...SMALL, "--quiet"];
    run(...fit, "--point-loss", "mae", "--out", "pointed");
    run("predict", "pointed", "--levels", "80", "--out", "point.json", "--quiet");
    const written = JSON.parse(readFileSync(cli.at("point.json"), "utf8")) as Record<string, number>[];
    const rows = csvOf(run("predict", "pointed", "--levels", "80"));
    expect(Object.keys(rows[0])).toEqual([
      ...[
        "unique_id",
        "ds",
        "TokenModel",
        "TokenModel-median",
        "TokenModel-point",
        "TokenModel-lo-80",
        "TokenModel-hi-80",
      ],
    ]);
    expect(rows.map((row) => Number(row["TokenModel-point"]))).toEqual(
      written.map((row) => row["TokenModel-point"]),
    );
    for (const row of written) expect(row["TokenModel-point"]).toBeTypeOf("number");
    expect(run("predict", "model")).not.toContain("-point");
    // With a constraint there is no point-forecast column, because the point-forecast head does not depend on the
    // constraint.
    const asked = ["--constraint", "max < 100", "--tune-iterations", "1", "--levels", "80"];
    expect(cli.gflownet("forecast", "predict", "pointed", ...asked).stdout).toMatch(
      /^unique_id,ds,TokenModel,TokenModel-median,TokenModel-lo-80,TokenModel-hi-80\n/,
    );
  });

  test("writes a shorter forecast, paths and a page", () => {
    run(
      ..."predict model --horizon 2 --samples 5 --out f.json --paths p.csv --report r.html --quiet".split(
        " ",
      ),
    );
    expect(JSON.parse(readFileSync(cli.at("f.json"), "utf8"))).toHaveLength(2);
    const paths = csvOf(readFileSync(cli.at("p.csv"), "utf8"));
    expect(paths).toHaveLength(10);
    expect(paths[9]).toMatchObject({ model: "TokenModel", sample: "5", ds: dayAt(71) });
    const page = readFileSync(cli.at("r.html"), "utf8");
    expect(page).toContain("Parts of the series");
    expect(page).not.toMatch(/(src|href)="http/);
  });

  test.each([
    [
      "a longer horizon",
      ["--horizon", "8"],
      "--horizon: must be at most 7, the horizon of the model, got 8\n",
    ],
    ["other settings", ["--bins", "8"], "--bins: cannot be changed for model, a fitted model;"],
    ["a missing file", ["--data", "no.csv"], "no.csv cannot be read: it does not exist"],
    [
      "data with another frequency",
      ["--data", "hours.csv"],
      'row 2 of series "series" has the time 2020-01-01T01:00:00Z, which is not a whole number of steps of D after 2020-01-01; model was fitted on steps of D',
    ],
    [
      "an output file in a missing folder",
      ["--out", "no/f.csv"],
      "--out: must be a file in an existing folder, got no/f.csv",
    ],
    [
      "to overwrite the data",
      ["--paths", "weeks.csv"],
      "--paths: must be a different file from the data, got weeks.csv",
    ],
    ["a flag without effect", ["--target", "y"], "--target: needs one of --constraint, --event"],
    ["an unknown target", ["--event", "max > 1", "--target", "q"], '--target: must be one of y, got "q"\n'],
    [
      "a predictive distribution of baselines",
      ["--predictive-distribution", "empirical"],
      "--predictive-distribution: applies to baselines only, got the model model\n",
    ],
    ["two outputs at once", ["--event", "max > 1", "--infill"], "--event: cannot be combined with --infill"],
    ["noise of 1", ["--noise", "1"], '--noise: must be a number in [0, 1), got "1"'],
    [
      "an event with noise",
      ["--event", "max > 1", "--noise", "0.1"],
      "--event: cannot be combined with --noise",
    ],
    ["particles without --infill", ["--particles", "9"], "--particles: needs --infill"],
    ["infilling with noise", ["--infill", "--noise", "0.1"], "--infill: cannot be combined with --noise"],
    [
      "another file extension",
      ["--out", "f.xls"],
      '--out: must be a file that ends in .csv or .json, or a folder, got "f.xls"',
    ],
  ])("rejects %s", (_, words, sentence) => {
    const { status, stdout, stderr } = cli.gflownet("forecast", "predict", "model", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`gflownet: ${sentence}`);
  });
});

test("--paths without a model that samples paths is rejected before anything is written", () => {
  const words = "predict weeks.csv --horizon 2 --models naive,drift --out none.csv --paths none-p.csv".split(
    " ",
  );
  const { status, stdout, stderr } = cli.gflownet("forecast", ...words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toBe("gflownet: --paths: needs a model that samples paths, token-model, got naive, drift\n");
  expect(["none.csv", "none-p.csv"].map((name) => existsSync(cli.at(name)))).toEqual([false, false]);
});

test.each(["predict weeks.csv --horizon 2", "backtest weeks.csv --horizon 2 --models token-model"])(
  "--predictive-distribution without a baseline is rejected: %s",
  (words) => {
    const { status, stdout, stderr } = cli.gflownet(
      "forecast",
      ...words.split(" "),
      "--predictive-distribution",
      "empirical",
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      "gflownet: --predictive-distribution: applies to baselines only; choose a baseline such as seasonal-naive\n",
    );
  },
);

describe("a model with a damaged manifest", () => {
  test.each([
    ["null", "manifest.json must be the manifest of a forecasting model, got no kind"],
    [
      '{"kind":"forecast","version":2,"name":"a","data":5,"options":{}}',
      "manifest.json is damaged: it must contain name, data and options",
    ],
    [
      '{"kind":"forecast","version":2,"name":"a","data":"a.csv","options":null}',
      "manifest.json is damaged: it must contain name, data and options",
    ],
  ])("%s is rejected", (text, sentence) => {
    cpSync(cli.at("model"), cli.at("damaged"), { recursive: true });
    writeFileSync(cli.at("damaged", "manifest.json"), text);
    const { status, stdout, stderr } = cli.gflownet("forecast", "predict", "damaged");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(sentence);
  });
});

describe("scenarios of a saved model", () => {
  const event = (text: string) =>
    jsonLines(run("predict", "model", "--event", text, "--tune-iterations", "0", "--json"))[0].probability;

  test("give a certain event probability 1 and an impossible one 0", () => {
    expect(event("last >= 5.5")).toBeCloseTo(1, 5);
    expect(event("max >= 100")).toBe(0);
  });

  test("sample only paths that meet the constraint", () => {
    const words =
      "--constraint,value[2] > 1,--tune-iterations,5,--paths,met.csv,--out,met-f.csv,--quiet".split(",");
    run("predict", "model", "--horizon", "2", ...words);
    const second = csvOf(readFileSync(cli.at("met.csv"), "utf8")).filter(({ ds }) => ds === dayAt(71));
    expect(second).toHaveLength(20);
    for (const { y } of second) expect(Number(y)).toBeGreaterThan(1);
  });

  test("into a folder have the forecast without them too, and a report that the dashboard lists", () => {
    const words = ["--constraint", "value[2] > 1", "--tune-iterations", "5", "--samples", "20"];
    const { stdout } = cli.gflownet("forecast", "predict", "model", ...words, "--out", "forecasts/second");
    expect(stdout).toContain("The forecast is in forecasts/second; show it with: ");
    const read = (name: string) => readFileSync(cli.at("forecasts/second", name), "utf8");
    expect(readdirSync(cli.at("forecasts/second")).sort()).toEqual([
      ...["forecast.csv", "forecast.json", "history.csv", "paths.csv", "report.html"],
    ]);
    const record = JSON.parse(read("forecast.json"));
    expect(record).toMatchObject({
      ...{ version: 1, horizon: 7, models: ["TokenModel", "Scenario"] },
      scenario: { constraint: "value[2] > 1" },
    });
    expect(record.reports).toHaveLength(1);
    const second = csvOf(read("paths.csv")).filter(({ ds }) => ds === dayAt(71));
    const models = second.map(({ model }) => model);
    expect([models.length, new Set(models)]).toEqual([40, new Set(["TokenModel", "Scenario"])]);
    for (const { model, y } of second) if (model === "Scenario") expect(Number(y)).toBeGreaterThan(1);
    expect(csvOf(read("history.csv")).at(-1)).toMatchObject({ ds: dayAt(69), y: "6" });
    // The folder is not overwritten.
    const again = cli.gflownet("forecast", "predict", "model", ...words, "--out", "forecasts/second");
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("forecasts/second")]);
  });

  test("of events into a folder have the probability and the forecast", () => {
    const words = ["--event", "last >= 5.5", "--tune-iterations", "0", "--json"];
    const [row] = jsonLines(run("predict", "model", ...words, "--out", "forecasts/event"));
    expect(row.probability).toBeCloseTo(1, 5);
    const record = JSON.parse(readFileSync(cli.at("forecasts/event/forecast.json"), "utf8"));
    expect(record.events[0].probability).toBeCloseTo(1, 5);
    expect(record.models).toEqual(["TokenModel"]);
    const infill = cli.gflownet("forecast", "predict", "model", "--infill", "--out", "forecasts/filled");
    expect([infill.status, infill.stderr]).toEqual([
      ...[2, 'gflownet: --out: must end in .csv or .json with --infill, got "forecasts/filled"\n'],
    ]);
  });

  test("write intended values beside realised ones, and zero noise changes nothing", () => {
    const words = "predict model --horizon 2 --out plan-f.csv --paths".split(" ");
    const { stderr } = cli.gflownet("forecast", ...words, "plan.csv", "--noise", "0.3", "--samples", "200");
    expect(stderr).toMatch(
      /^gflownet: series "series": at noise 0.3, 2000 realised paths have an effective sample size of \d+ /,
    );
    const rows = csvOf(readFileSync(cli.at("plan.csv"), "utf8"));
    expect(rows).toHaveLength(400);
    const differing = rows.filter(({ y, intended }) => y !== intended).length / 400;
    expect(differing).toBeGreaterThan(0.15);
    expect(differing).toBeLessThan(0.4);
    run(...words, "zero.csv", "--noise", "0", "--quiet");
    run(...words, "plain.csv", "--quiet");
    const [zero, plain] = ["zero.csv", "plain.csv"].map((name) => readFileSync(cli.at(name), "utf8"));
    expect(zero).toBe(plain);
    expect(zero).not.toContain("intended");
  });

  test("fill gaps with the weekly pattern", () => {
    write(
      "gap.csv",
      daily(70, (t) => (t === 30 || t === 31 ? "" : t % 7)),
    );
    run("fit", "gap.csv", "--horizon", "4", ...SMALL, "--out", "gaps", "--quiet");
    const { stdout, stderr } = cli.gflownet(
      "forecast",
      "predict",
      "gaps",
      "--infill",
      "--tune-iterations",
      "0",
    );
    expect(stderr).toMatch(
      /^gflownet: 1 gap is filled; the effective sample size of the weighted paths is \d+\n$/,
    );
    const rows = csvOf(stdout);
    expect(rows.map(({ ds }) => ds)).toEqual([dayAt(30), dayAt(31)]);
    for (const [i, row] of rows.entries()) expect(Number(row.TokenModel)).toBeCloseTo(2 + i, 4);
  });

  test("fill gaps of two targets, one of them longer than the horizon", () => {
    const lines = daily(70, (t) => (t > 29 && t < 36 ? "" : t % 7)).map((line, i) =>
      i === 0 ? `${line},z` : `${line},${i === 31 ? "" : (i - 1) % 7}`,
    );
    write("two.csv", lines);
    run("fit", "two.csv", "--horizon", "4", "--target-columns", "y,z", ...SMALL, "--out", "two", "--quiet");
    const rows = csvOf(
      cli.gflownet("forecast", "predict", "two", "--infill", "--tune-iterations", "0").stdout,
    );
    expect(rows.map(({ target, ds }) => `${target} ${ds}`)).toEqual([
      ...[30, 31, 32, 33, 34, 35].map((t) => `y ${dayAt(t)}`),
      `z ${dayAt(30)}`,
    ]);
    for (const [i, row] of rows.entries())
      expect(Number(row.TokenModel)).toBeCloseTo(i < 6 ? (2 + i) % 7 : 2, 4);
  });

  test("reject invalid conditions, and files instead of model folders", () => {
    const wrong = cli.gflownet("forecast", "predict", "model", "--event", "maximum > 3");
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('condition "maximum > 3": one of sum,');
    const { stderr } = cli.gflownet("forecast", "predict", "weeks.csv", "--horizon", "2", "--infill");
    expect(stderr).toBe(
      `gflownet: --infill: needs a model folder; create one with: ${cli.command} forecast fit FILE\n`,
    );
  });
});

test("messages use the singular for one window, one iteration and one row", () => {
  write(
    "one-ahead.csv",
    daily(31, (t) => (t === 30 ? "" : t % 7)),
  );
  const words = ["--horizon", "1", ...SMALL, "--window-step", "1000", "--iterations", "1", "--out", "one"];
  const { status, stdout, stderr } = cli.gflownet("forecast", "fit", "one-ahead.csv", ...words);
  expect(status).toBe(0);
  expect(stdout).toMatch(/; forecasts of 1 step of D\.\n/);
  expect(stdout).toMatch(/Trained on 1 window for 1 iteration in /);
  expect(stderr).toContain('series "series" ends with 1 row without y; ');
});

test("a category that was not in the training data is reported and treated as unknown", () => {
  const lines = (odd: string) => [
    "ds,y,sky",
    ...Array.from({ length: 40 }, (_, t) => `${dayAt(t)},${t % 7},${t === 5 ? odd : "clear"}`),
  ];
  write("sky.csv", lines("cloudy"));
  write("new-sky.csv", lines("green"));
  run("fit", "sky.csv", "--past-columns", "sky", "--horizon", "3", ...SMALL, "--out", "skies", "--quiet");
  const { status, stdout, stderr } = cli.gflownet("forecast", "predict", "skies", "--data", "new-sky.csv");
  expect(status).toBe(0);
  expect(csvOf(stdout)).toHaveLength(3);
  expect(stderr).toBe(
    'gflownet: column sky: "green" was not in the training data and is treated as unknown\n',
  );
});

test("all invalid flags are reported at once, and missing data or options are errors", () => {
  const { status, stderr } = cli.gflownet(
    ...["forecast", "backtest", "line.csv", "--horizon", "0", "--levels", "180", "--models", "naif"],
  );
  expect(status).toBe(2);
  expect(stderr).toContain("the command line has 3 problems");
  expect(cli.gflownet("forecast", "fit").stderr).toBe("gflownet: give a file of time series, or --demo\n");
  expect(cli.gflownet("forecast", "fit", "line.csv").stderr).toContain("--horizon: must be given");
  expect(cli.gflownet("forecast", "fit", "line.csv", "--horizon", "2", "--out", "model").stderr).toContain(
    "model is not empty",
  );
});

test("Ctrl-C stops training and leaves no folder", async () => {
  const { child, ended, printed } = cli.start(
    ...[
      "forecast",
      "fit",
      "weeks.csv",
      "--horizon",
      "2",
      ...SMALL,
      "--iterations",
      "10000000",
      "--out",
      "stopped",
    ],
  );
  await printed(/forecasts of 2 steps of D/);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: "gflownet: stopped; nothing was written\n" });
  expect(existsSync(cli.at("stopped"))).toBe(false);
});
