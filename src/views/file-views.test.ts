// Tests of the views that come from files alone: forecasts, calibration, residuals, modes and candidates.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { viewOf } from "../../test/support/view-runs.ts";
import { candidateCsv } from "../design/candidate-files.ts";
import { formatEvent } from "../run/event-lines.ts";
import type { CalibrationView, CandidatesView, ForecastView, ModesView, ResidualView } from "./view-data.ts";
import { viewsOf } from "./views.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet files é "));
afterAll(() => rmSync(base, { recursive: true }));

let made = 0;
/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): { readonly folder: string } {
  const folder = join(base, `folder ${++made}`);
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder };
}

/** Two windows of two steps, of two series and one model. */
const FORECASTS = [
  "unique_id,ds,cutoff,y,Own,Own-median,Own-lo-95,Own-lo-80,Own-hi-80,Own-hi-95",
  ...["a", '"b, ""c"""'].flatMap((id, i) =>
    [1, 2].flatMap((cutoff) =>
      [1, 2].map((step) => {
        const mean = 10 * i + cutoff + step;
        const y = cutoff + step === 4 ? "" : mean + 0.5;
        return [id, cutoff + step, cutoff, y, mean + 7, mean, mean - 2, mean - 1, mean + 1, mean + 2].join(
          ",",
        );
      }),
    ),
  ),
  "",
].join("\n");

describe("forecast", () => {
  test("draws the mean of a file without medians, and says so", async () => {
    const place = folderOf({ "forecasts.csv": "unique_id,ds,cutoff,y,Own\na,2,1,5,4\n" });
    const { models, notes } = await viewOf<ForecastView>(place, "forecast");
    expect(models[0].cutoffs[0].median).toEqual([4]);
    expect(notes.join(" ")).toContain("mean, because the file has no medians");
  });

  test("has the values and intervals of one series, by model and cutoff", async () => {
    const place = folderOf({ "forecasts.csv": FORECASTS });
    expect(await viewsOf(place.folder, "backtest")).toEqual(["forecast"]);
    const data = await viewOf<ForecastView>(place, "forecast");
    expect([data.series, data.chosen]).toEqual([["a", 'b, "c"'], "a"]);
    expect([data.times, data.actual]).toEqual([
      ["2", "3", "4"],
      [2.5, 3.5, null],
    ]);
    expect(data.models.map(({ name }) => name)).toEqual(["Own"]);
    expect(data.models[0].cutoffs[1]).toEqual({
      cutoff: "2",
      times: ["3", "4"],
      median: [3, 4],
      intervals: [
        { level: 0.95, low: [1, 2], high: [5, 6] },
        { level: 0.8, low: [2, 3], high: [4, 5] },
      ],
    });
    expect(data.notes.join(" ")).not.toContain("the file has no medians");
    const other = await viewOf<ForecastView>(place, "forecast", { series: 'b, "c"' });
    expect(other.actual).toEqual([12.5, 13.5, null]);
    await expect(viewOf(place, "forecast", { series: "z" })).rejects.toThrow(
      /^series: there is no series "z"/,
    );
  });

  test("of many windows shows the last ones, in little space", async () => {
    const lines = Array.from({ length: 800 }, (_, window) =>
      Array.from(
        { length: 24 },
        (_, step) => `a,${window + step + 1},${window},1.2345678,1.3456789,0.1234567,2.3456789`,
      ),
    ).flat();
    const place = folderOf({
      "forecasts.csv": `unique_id,ds,cutoff,y,Own,Own-lo-80,Own-hi-80\n${lines.join("\n")}\n`,
    });
    const data = await viewOf<ForecastView>(place, "forecast");
    expect(JSON.stringify(data).length).toBeLessThan(400_000);
    expect(data.models[0].cutoffs.at(-1)?.cutoff).toBe("799");
    expect(data.notes.join(" ")).toMatch(/The last \d+ of 800 cutoffs/);
  });

  test("says what is damaged", async () => {
    const missing = folderOf({ "forecasts.csv": "a,b\n1,2\n" });
    await expect(viewOf(missing, "forecast")).rejects.toThrow("is damaged: it has no column unique_id");
    const short = folderOf({ "forecasts.csv": "unique_id,ds,cutoff,y\na,1\n" });
    await expect(viewOf(short, "forecast")).rejects.toThrow("line 2 must have 4 cells, got 2");
    await expect(viewOf(folderOf({}), "forecast")).rejects.toThrow("forecasts.csv does not exist");
    await expect(viewOf(folderOf({ "forecasts.csv": "unique_id,ds\n" }), "forecast")).rejects.toThrow(
      "has no forecasts",
    );
  });
});

test("calibration has coverage, metrics and errors by step of each model", async () => {
  const place = folderOf({
    "metrics.csv":
      "model,series,step,MAE,MASE,coverage-80,coverage-95\nOwn,,,2,,0.75,1\nOwn,a,,9,,0.1,0.2\nOwn,,1,1.5,,0.7,1\nOwn,,2,2.5,,0.8,1\n",
  });
  expect(await viewsOf(place.folder, "backtest")).toEqual(["calibration"]);
  const { models, notes, stepError } = await viewOf<CalibrationView>(place, "calibration");
  expect(models).toEqual([
    {
      name: "Own",
      coverage: [
        { nominal: 0.8, actual: 0.75 },
        { nominal: 0.95, actual: 1 },
      ],
      metrics: { MAE: 2, MASE: null, "coverage-80": 0.75, "coverage-95": 1 },
      byStep: [
        { step: 1, error: 1.5 },
        { step: 2, error: 2.5 },
      ],
    },
  ]);
  expect(notes.join(" ")).toContain("no probability integral transforms");
  expect(stepError).toBe("MAE");
  await expect(viewOf(folderOf({ "metrics.csv": "a\n1\n" }), "calibration")).rejects.toThrow("is damaged");
});

const CONFIG = '{"version": 1, "task": "hypergrid", "residuals": true}\n';
const lines = (events: readonly object[]) => events.map(formatEvent).join("");

describe("residuals", () => {
  const event = (iteration: number, steps = 2) => ({
    kind: "iteration",
    iteration,
    loss: 1,
    residuals: {
      steps,
      mean: Array.from({ length: steps }, (_, t) => iteration + t),
      rootMeanSquare: Array.from({ length: steps }, () => 2),
      terms: { "log F": Array.from({ length: steps }, (_, t) => (t === 0 ? Number.NaN : 3)) },
    },
  });

  test("have a row for each logged iteration and a column for each step", async () => {
    const events = [
      { kind: "iteration", iteration: 5, loss: 1 },
      event(10),
      { ...event(20), residuals: "?" },
      event(30),
    ];
    const place = folderOf({ "config.json": CONFIG, "metrics.jsonl": lines(events) });
    expect(await viewsOf(place.folder, "run")).toEqual(["residuals"]);
    const data = await viewOf<ResidualView>(place, "residuals");
    expect([data.iterations, data.steps]).toEqual([[10, 30], 2]);
    expect(data.mean).toEqual([
      [10, 11],
      [30, 31],
    ]);
    expect(data.rootMeanSquare[0]).toEqual([2, 2]);
    expect(data.terms).toEqual([
      {
        name: "log F",
        mean: [
          [null, 3],
          [null, 3],
        ],
      },
    ]);
    const none = folderOf({ "config.json": CONFIG, "metrics.jsonl": lines([events[0]]) });
    await expect(viewOf(none, "residuals")).rejects.toThrow("has logged no residuals");
  });

  test("of whole trajectories have one column, and their terms one for each step", async () => {
    const whole = (length: number) => ({
      ...event(10, 1),
      residuals: {
        ...{ steps: 1, mean: [-6], rootMeanSquare: [7] },
        terms: {
          logZ: [4, ...Array.from({ length: length - 1 }, () => 0)],
          policy: Array.from({ length }, () => -10 / length),
        },
      },
    });
    const viewed = async (length: number) =>
      viewOf<ResidualView>(
        folderOf({ "config.json": CONFIG, "metrics.jsonl": lines([whole(length)]) }),
        "residuals",
      );
    const short = await viewed(4);
    expect([short.steps, short.mean, short.terms]).toEqual([
      ...[1, [[-6]]],
      [
        { name: "logZ", mean: [[4, 0, 0, 0]] },
        { name: "policy", mean: [[-2.5, -2.5, -2.5, -2.5]] },
      ],
    ]);
    // Steps that share a column are added up, so that all columns together still have the residual.
    const { terms } = await viewed(100);
    expect(terms[1].mean[0]).toHaveLength(50);
    const total = terms.flatMap(({ mean }) => mean[0]).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    expect(total).toBeCloseTo(-6, 3);
  });

  test("of long runs and long trajectories stay small", async () => {
    const events = Array.from({ length: 600 }, (_, i) => event(10 * (i + 1), 200));
    const place = folderOf({ "config.json": CONFIG, "metrics.jsonl": lines(events) });
    const data = await viewOf<ResidualView>(place, "residuals");
    expect(JSON.stringify(data).length).toBeLessThan(400_000);
    expect(data.steps).toBe(50);
    expect(data.mean[0][0]).toBe(10 + 1.5); // the mean of the first four steps
    expect([data.iterations[0], data.iterations.at(-1)]).toEqual([10, 6000]);
    expect(data.iterations.length).toBeGreaterThan(100);
  });
});

describe("modes", () => {
  test("have what each evaluation counted, and what a perfect sampler finds", async () => {
    const evaluation = (iteration: number, found: number) => ({
      kind: "evaluation",
      ...{ iteration, exact: true, seconds: 1 },
      modes: { samples: 1000, circles: 7, knownModes: { found, of: 4, expected: 3.25 }, localMaxima: null },
    });
    const place = folderOf({
      "config.json": CONFIG,
      "metrics.jsonl": lines([
        evaluation(0, 1),
        { kind: "iteration", iteration: 1, loss: 1 },
        evaluation(10, 3),
      ]),
    });
    expect(await viewsOf(place.folder, "run")).toEqual(["residuals", "modes"]);
    const data = await viewOf<ModesView>(place, "modes");
    expect(data.iterations).toEqual([0, 10]);
    expect(data.series).toEqual([
      { name: "circles", found: [7, 7], of: null, expected: null },
      { name: "modes of the task", found: [1, 3], of: 4, expected: 3.25 },
    ]);
    const none = folderOf({ "config.json": CONFIG, "metrics.jsonl": "" });
    await expect(viewOf(none, "modes")).rejects.toThrow("has counted no modes");
  });
});

describe("candidates", () => {
  const row = (rank: number, string: string) => ({
    ...{ rank, string, score: 1 / rank, circle: 1, isCentre: true, distanceToKnown: null },
    ...{ logProbability: -rank, expectedScore: null, expectedScoreError: null },
  });

  test("of a design have their strings as they are, without empty columns", async () => {
    const place = folderOf({
      "candidates.csv": candidateCsv([row(1, "=ab"), row(2, "'=x"), row(3, "plain")]),
    });
    const { columns, rows } = await viewOf<CandidatesView>(place, "candidates");
    expect(columns.map(({ name }) => name)).toEqual(["rank", "string", "score", "log_probability", "circle"]);
    expect(columns.map(({ kind }) => kind)).toEqual(["number", "text", "number", "number", "number"]);
    expect(rows[0]).toEqual([1, "=ab", 1, -1, 1]);
    expect(rows.map((cells) => cells[1])).toEqual(["=ab", "'=x", "plain"]);
  });

  test("of long strings are cut to a part of the list", async () => {
    const place = folderOf({
      "candidates.csv": candidateCsv(Array.from({ length: 900 }, (_, i) => row(i + 1, "A".repeat(1000)))),
    });
    const data = await viewOf<CandidatesView>(place, "candidates");
    expect(data.rows).toHaveLength(200);
    expect(data.notes).toContain("The first 200 of 900 rows are shown.");
    await expect(viewOf(folderOf({ "candidates.csv": "a\n1\n" }), "candidates")).rejects.toThrow(
      "it has no column string",
    );
  });
});
