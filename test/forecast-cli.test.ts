// `gflownet forecast` as a user meets it: files in, files out, the same for the same seed. Backtests, comparisons and files
// that cannot be used: forecast-cli-backtest.test.ts.

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { decodeForecastModel } from "../src/forecast/model/index.ts";
import { jsonLines } from "./support/command-line.ts";
import { csvOf, daily, dayAt, forecastFiles, SMALL } from "./support/forecast-files.ts";

const { cli, write, run } = forecastFiles();

describe("check", () => {
  test("tells what there is, for people and for programs", () => {
    expect(run("check", "weeks.csv")).toContain("step     D");
    const [description] = jsonLines(run("check", "weeks.csv", "--json"));
    expect(description).toMatchObject({ series: 1, rows: 70, frequency: "D", season: 7, missing: 0 });
    expect(description.strengths).toEqual([{ series: "series", target: "y", trend: null, season: 1 }]);
  });

  test("writes parts that add up", () => {
    const { status, stderr } = cli.gflownet("forecast", "check", "line.csv", "--parts", "no/parts.csv");
    expect(status).toBe(2);
    expect(stderr).toBe("gflownet: --parts must name a file in a folder that is there, got no/parts.csv\n");
    run("check", "line.csv", "--parts", "parts.csv", "--quiet");
    const rows = csvOf(readFileSync(cli.at("parts.csv"), "utf8"));
    expect(rows).toHaveLength(30);
    for (const { y, trend, season, residual } of rows) {
      expect(Number(trend) + Number(season) + Number(residual)).toBeCloseTo(Number(y), 9);
    }
  });
});

describe("a model that is fitted", () => {
  beforeAll(() => {
    run("fit", "weeks.csv", "--horizon", "7", ...SMALL, "--out", "model", "--quiet");
  });

  test("is a folder whose networks are .onnx files", () => {
    expect(readdirSync(cli.at("model")).sort()).toEqual([
      ...["encoder.onnx", "manifest.json", "model.safetensors", "paths.onnx", "training.jsonl"],
    ]);
    const { status, stdout } = cli.gflownet("inspect", "model/paths.onnx", "--json");
    expect(status).toBe(0);
    expect(stdout).toContain("tokens");
  });

  test("repeats weeks that never change, at the times after the last", () => {
    run("predict", "model", "--level", "80,80", "--quantiles", "0.25,0.25", "--out", "f.csv");
    const rows = csvOf(readFileSync(cli.at("f.csv"), "utf8"));
    expect(Object.keys(rows[0])).toEqual([
      ...["unique_id", "ds", "GFlowNet", "GFlowNet-lo-80", "GFlowNet-hi-80", "GFlowNet-q-25"],
    ]);
    expect(rows.map(({ ds }) => ds)).toEqual(Array.from({ length: 7 }, (_, h) => dayAt(70 + h)));
    for (const [h, row] of rows.entries()) expect(Number(row.GFlowNet)).toBeCloseTo(h, 4);
  });

  test("is the same to the bit when fitted again, and forecasts as one that is fitted on the spot", () => {
    run("fit", "weeks.csv", "--horizon", "7", ...SMALL, "--out", "again", "--quiet");
    const [one, other] = ["model", "again"].map((folder) => {
      const file = cli.at(folder, "model.safetensors");
      return decodeForecastModel(readFileSync(file), file);
    });
    expect(one.parameters).toEqual(other.parameters);
    expect(one.bins).toEqual(other.bins);
    // In a process that did not fit it.
    const saved = cli.alone("forecast", "predict", "model").stdout;
    expect(saved).toContain("GFlowNet-hi-95");
    expect(cli.gflownet("forecast", "predict", "weeks.csv", "--horizon", "7", ...SMALL).stdout).toBe(saved);
    expect(cli.gflownet("forecast", "predict", "model", "--seed", "1").stdout).not.toBe(saved);
  });

  test("reads by a normaliser and doubles its bins, or says what it cannot take", () => {
    const fit = ["fit", "weeks.csv", "--horizon", "7", ...SMALL, "--quiet"];
    const { status, stderr } = cli.gflownet("forecast", ...fit, "--normaliser", "log");
    expect(status).toBe(2);
    expect(stderr).toBe(
      'gflownet: the normaliser log takes values above 0 only, got 0 in row 1 of y in series "series"\n',
    );
    run(...fit, "--normaliser", "log1p", "--refine", "1", "--out", "logs");
    const [coarse, fine] = ["model", "logs"].map((folder) => {
      const file = cli.at(folder, "model.safetensors");
      return decodeForecastModel(readFileSync(file), file);
    });
    expect(fine.bins.edges.length - 1).toBe(2 * (coarse.bins.edges.length - 1));
    csvOf(run("predict", "logs")).forEach(({ GFlowNet }, h) => {
      expect(Number(GFlowNet)).toBeCloseTo(h, 3);
    });
  });

  test("has a column of its point forecast where it was fitted with one, and none elsewhere", () => {
    const fit = ["fit", "weeks.csv", "--horizon", "7", ...SMALL, "--quiet"];
    run(...fit, "--point", "mae", "--out", "pointed");
    run("predict", "pointed", "--level", "80", "--out", "point.json", "--quiet");
    const written = JSON.parse(readFileSync(cli.at("point.json"), "utf8")) as Record<string, number>[];
    const rows = csvOf(run("predict", "pointed", "--level", "80"));
    expect(Object.keys(rows[0])).toEqual([
      ...["unique_id", "ds", "GFlowNet", "GFlowNet-point", "GFlowNet-lo-80", "GFlowNet-hi-80"],
    ]);
    expect(rows.map((row) => Number(row["GFlowNet-point"]))).toEqual(
      written.map((row) => row["GFlowNet-point"]),
    );
    for (const row of written) expect(row["GFlowNet-point"]).toBeTypeOf("number");
    expect(run("predict", "model")).not.toContain("-point");
    // What the head says is not what comes under a condition.
    const asked = ["--constraint", "max < 100", "--tune-iterations", "1", "--level", "80"];
    expect(cli.gflownet("forecast", "predict", "pointed", ...asked).stdout).toMatch(
      /^unique_id,ds,GFlowNet,GFlowNet-lo-80,GFlowNet-hi-80\n/,
    );
  });

  test("gives fewer steps, paths and a page", () => {
    run(
      ..."predict model --horizon 2 --samples 5 --out f.json --paths p.csv --report r.html --quiet".split(
        " ",
      ),
    );
    expect(JSON.parse(readFileSync(cli.at("f.json"), "utf8"))).toHaveLength(2);
    const paths = csvOf(readFileSync(cli.at("p.csv"), "utf8"));
    expect(paths).toHaveLength(10);
    expect(paths[9]).toMatchObject({ model: "GFlowNet", sample: "5", ds: dayAt(71) });
    const page = readFileSync(cli.at("r.html"), "utf8");
    expect(page).toContain("Parts of the series");
    expect(page).not.toMatch(/(src|href)="http/);
  });

  test.each([
    [
      "a longer horizon",
      ["--horizon", "8"],
      "--horizon must be a whole number from 1 to 7, which was learned, got 8\n",
    ],
    ["other settings", ["--bins", "8"], "model is a model that has its settings"],
    ["a file that is not there", ["--data", "no.csv"], "no.csv cannot be read: it does not exist"],
    [
      "data in other steps",
      ["--data", "hours.csv"],
      'Row 2 of series "series" is at 2020-01-01T01:00:00Z, which is no step of D from 2020-01-01; model has learned steps of D',
    ],
    [
      "a file in no folder",
      ["--out", "no/f.csv"],
      "--out must name a file in a folder that is there, got no/f.csv",
    ],
    [
      "to write over the data",
      ["--paths", "weeks.csv"],
      "--paths must name a file of its own, got that of the data",
    ],
    ["what changes nothing", ["--of", "y"], "--of goes with one of --constraint, --event"],
    ["a target that is not there", ["--event", "max > 1", "--of", "q"], '--of must be one of y, got "q"\n'],
    [
      "a spread of baselines",
      ["--spread", "empirical"],
      "--spread goes with baselines, and model is a model that has none beside it\n",
    ],
    ["two questions at once", ["--event", "max > 1", "--infill"], "--event goes without --infill"],
    [
      "noise that leaves no intention",
      ["--noise", "1"],
      '--noise: must be a number from 0 on and below 1, got "1"',
    ],
    ["an event of plans", ["--event", "max > 1", "--noise", "0.1"], "--event goes without --noise"],
    ["branches of no gap", ["--branches", "9"], "--branches goes with --infill"],
    ["gaps filled by plans", ["--infill", "--noise", "0.1"], "--infill goes without --noise"],
    ["another ending", ["--out", "f.xls"], '--out must end in .csv or .json, got "f.xls"'],
  ])("refuses %s", (_, words, sentence) => {
    const { status, stdout, stderr } = cli.gflownet("forecast", "predict", "model", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`gflownet: ${sentence}`);
  });
});

test("paths that no model draws are refused before anything is written", () => {
  const words = "predict weeks.csv --horizon 2 --models naive,drift --out none.csv --paths none-p.csv".split(
    " ",
  );
  const { status, stdout, stderr } = cli.gflownet("forecast", ...words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toBe(
    "gflownet: --paths goes with a model that draws paths, which is gflownet, got naive, drift\n",
  );
  expect(["none.csv", "none-p.csv"].map((name) => existsSync(cli.at(name)))).toEqual([false, false]);
});

test.each(["predict weeks.csv --horizon 2", "backtest weeks.csv --horizon 2 --models gflownet"])(
  "a spread that no baseline has is refused: %s",
  (words) => {
    const { status, stdout, stderr } = cli.gflownet("forecast", ...words.split(" "), "--spread", "empirical");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      "gflownet: --spread goes with baselines; name one with --models, such as seasonal-naive\n",
    );
  },
);

describe("a model whose manifest is damaged", () => {
  test.each([
    ["null", "manifest.json must be the manifest of a forecast, got no kind"],
    [
      '{"kind":"forecast","version":1,"name":"a","data":5,"flags":{}}',
      "manifest.json is damaged: it must say",
    ],
    [
      '{"kind":"forecast","version":1,"name":"a","data":"a.csv","flags":null}',
      "manifest.json is damaged: it must say",
    ],
  ])("by %s is refused", (text, sentence) => {
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

  test("say that what always comes has probability 1, and what never comes 0", () => {
    expect(event("last >= 5.5")).toBeCloseTo(1, 5);
    expect(event("max >= 100")).toBe(0);
  });

  test("meet a condition on every path", () => {
    const words =
      "--constraint,value[2] > 1,--tune-iterations,5,--paths,met.csv,--out,met-f.csv,--quiet".split(",");
    run("predict", "model", "--horizon", "2", ...words);
    const second = csvOf(readFileSync(cli.at("met.csv"), "utf8")).filter(({ ds }) => ds === dayAt(71));
    expect(second).toHaveLength(20);
    for (const { y } of second) expect(Number(y)).toBeGreaterThan(1);
  });

  test("have what was intended beside what came of it, and no noise changes nothing", () => {
    const words = "predict model --horizon 2 --out plan-f.csv --paths".split(" ");
    const { stderr } = cli.gflownet("forecast", ...words, "plan.csv", "--noise", "0.3", "--samples", "200");
    expect(stderr).toMatch(
      /^gflownet: series "series": at noise 0.3, 2000 paths that come of plans are worth \d+ /,
    );
    const rows = csvOf(readFileSync(cli.at("plan.csv"), "utf8"));
    expect(rows).toHaveLength(400);
    const astray = rows.filter(({ y, intended }) => y !== intended).length / 400;
    expect(astray).toBeGreaterThan(0.15);
    expect(astray).toBeLessThan(0.4);
    run(...words, "zero.csv", "--noise", "0", "--quiet");
    run(...words, "plain.csv", "--quiet");
    const [zero, plain] = ["zero.csv", "plain.csv"].map((name) => readFileSync(cli.at(name), "utf8"));
    expect(zero).toBe(plain);
    expect(zero).not.toContain("intended");
  });

  test("fill gaps with what stands there every week", () => {
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
    expect(stderr).toMatch(/^gflownet: 1 gap is filled; its weighted paths are worth \d+ plain draws\n$/);
    const rows = csvOf(stdout);
    expect(rows.map(({ ds }) => ds)).toEqual([dayAt(30), dayAt(31)]);
    for (const [i, row] of rows.entries()) expect(Number(row.GFlowNet)).toBeCloseTo(2 + i, 4);
  });

  test("fill gaps of two targets, one of them longer than the horizon", () => {
    const lines = daily(70, (t) => (t > 29 && t < 36 ? "" : t % 7)).map((line, i) =>
      i === 0 ? `${line},z` : `${line},${i === 31 ? "" : (i - 1) % 7}`,
    );
    write("two.csv", lines);
    run("fit", "two.csv", "--horizon", "4", "--target-col", "y,z", ...SMALL, "--out", "two", "--quiet");
    const rows = csvOf(
      cli.gflownet("forecast", "predict", "two", "--infill", "--tune-iterations", "0").stdout,
    );
    expect(rows.map(({ target, ds }) => `${target} ${ds}`)).toEqual([
      ...[30, 31, 32, 33, 34, 35].map((t) => `y ${dayAt(t)}`),
      `z ${dayAt(30)}`,
    ]);
    for (const [i, row] of rows.entries())
      expect(Number(row.GFlowNet)).toBeCloseTo(i < 6 ? (2 + i) % 7 : 2, 4);
  });

  test("refuse conditions that cannot be read, and files", () => {
    const wrong = cli.gflownet("forecast", "predict", "model", "--event", "maximum > 3");
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('condition "maximum > 3": one of sum,');
    const { stderr } = cli.gflownet("forecast", "predict", "weeks.csv", "--horizon", "2", "--infill");
    expect(stderr).toBe("gflownet: --infill goes with a folder that gflownet forecast fit has made\n");
  });
});

test("one window, one iteration and one row are told as one", () => {
  write(
    "one-ahead.csv",
    daily(31, (t) => (t === 30 ? "" : t % 7)),
  );
  const words = ["--horizon", "1", ...SMALL, "--window-step", "1000", "--iterations", "1", "--out", "one"];
  const { status, stdout, stderr } = cli.gflownet("forecast", "fit", "one-ahead.csv", ...words);
  expect(status).toBe(0);
  expect(stdout).toMatch(/; 1 step of D ahead\.\n/);
  expect(stdout).toMatch(/Learned from 1 window in 1 iteration and /);
  expect(stderr).toContain('series "series" ends with 1 row without y; ');
});

test("a category that was never seen is said, and taken as unknown", () => {
  const lines = (odd: string) => [
    "ds,y,sky",
    ...Array.from({ length: 40 }, (_, t) => `${dayAt(t)},${t % 7},${t === 5 ? odd : "clear"}`),
  ];
  write("sky.csv", lines("cloudy"));
  write("new-sky.csv", lines("green"));
  run("fit", "sky.csv", "--past", "sky", "--horizon", "3", ...SMALL, "--out", "skies", "--quiet");
  const { status, stdout, stderr } = cli.gflownet("forecast", "predict", "skies", "--data", "new-sky.csv");
  expect(status).toBe(0);
  expect(csvOf(stdout)).toHaveLength(3);
  expect(stderr).toBe('gflownet: column sky: "green" was never seen in training and is taken as unknown\n');
});

test("mistakes in flags are said all at once, and without data nothing begins", () => {
  const { status, stderr } = cli.gflownet(
    ...["forecast", "backtest", "line.csv", "--horizon", "0", "--level", "180", "--models", "naif"],
  );
  expect(status).toBe(2);
  expect(stderr).toContain("the command line has 3 problems");
  expect(cli.gflownet("forecast", "fit").stderr).toBe(
    "gflownet: name a file of time series, or use --demo\n",
  );
  expect(cli.gflownet("forecast", "fit", "line.csv").stderr).toContain("--horizon must be given");
  expect(cli.gflownet("forecast", "fit", "line.csv", "--horizon", "2", "--out", "model").stderr).toContain(
    "model is not empty",
  );
});

test("Ctrl-C ends it, and leaves nothing", async () => {
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
  await printed(/steps of D ahead/);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 130, stderr: "gflownet: stopped; nothing was written\n" });
  expect(existsSync(cli.at("stopped"))).toBe(false);
});
