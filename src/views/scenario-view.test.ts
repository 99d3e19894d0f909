// Tests the folder of a forecast and its view: values, paths, probabilities and the quantity of the condition.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { viewOf } from "../../test/support/view-runs.ts";
import {
  type ForecastFolderContents,
  forecastFiles,
  readForecastRecord,
} from "../forecast/forecast-folder.ts";
import type { Panel } from "../forecast/types.ts";
import { entryDetail } from "./entry-detail.ts";
import { EntryIndex } from "./entry-index.ts";
import { MetricStore } from "./metric-store.ts";
import type { ScenarioView } from "./view-data.ts";
import { viewsOf } from "./views.ts";

const base = mkdtempSync(join(tmpdir(), "gflownet forecasts é "));
afterAll(() => rmSync(base, { recursive: true }));

const LENGTH = 100;
const SAMPLES = 100;

/** Two series that count steps. The path s of the model has the values s and 2 s, that of the scenario a tenth of them. */
const panel: Panel = {
  series: ["a", 'b, "c"'].map((id, i) => ({
    ...{ id, times: Float64Array.from({ length: LENGTH }, (_, t) => t), covariates: {}, statics: {} },
    targets: [
      Float64Array.from({ length: LENGTH }, (_, t) => (t === LENGTH - 2 ? Number.NaN : 1000 * i + t)),
    ],
  })),
  ...{ targets: ["y"], covariates: [], frequency: { unit: "step", count: 1 }, season: 1 },
};

const forecastsBy = (factor: number) =>
  panel.series.map(({ id }) => ({
    ...{ id, target: "y", mean: Float64Array.of(50 * factor, 100 * factor) },
    // The lower end, the median and the upper end of an interval of 80 %.
    quantiles: [10, 50, 90].map((q) => Float64Array.of(q * factor, 2 * q * factor)),
    paths: Array.from({ length: SAMPLES }, (_, s) => Float64Array.of(s * factor, 2 * s * factor)),
  }));

const report = { drawn: 2000, acceptance: 0.25, effectiveSampleSize: 300, iterations: 5, seconds: 1 };
const contents: ForecastFolderContents = {
  record: {
    ...{ data: "numbers", seed: 3, scenario: { constraint: "sum <= 30 and min >= 0" }, events: [] },
    reports: panel.series.map(({ id }) => ({
      ...{ id, ...report, logZ: Math.log(0.1), relativeError: 0.05, learnedLogZ: Number.NaN },
    })),
  },
  models: [
    { name: "TokenModel", forecasts: forecastsBy(1) },
    { name: "Scenario", forecasts: forecastsBy(0.1) },
  ],
  panel,
  columns: { horizon: 2, levels: [80], quantiles: [] },
};

let made = 0;
function folderOf(changed: Partial<ForecastFolderContents> = {}): string {
  const folder = join(base, `forecast-${++made}`);
  mkdirSync(folder);
  for (const [name, text] of forecastFiles({ ...contents, ...changed })) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The folder with another `forecast.json`. */
function changedRecord(change: (record: Record<string, unknown>) => unknown): string {
  const folder = folderOf();
  const path = join(folder, "forecast.json");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
  return folder;
}

describe("a forecast with a scenario", () => {
  test("has history, means, intervals and paths of each model", async () => {
    const folder = folderOf();
    expect(await viewsOf(folder, "forecast")).toEqual(["scenario"]);
    const data = await viewOf<ScenarioView>({ folder }, "scenario");
    expect([data.exact, data.chosen, data.series]).toEqual([false, "a", ["a", 'b, "c"']]);
    expect(data.question).toBe("sum <= 30 and min >= 0");
    expect(data.history.times).toHaveLength(60);
    expect(data.history.values.slice(-3)).toEqual([97, null, 99]);
    expect(data.times).toEqual(["100", "101"]);
    expect(data.models.map(({ name, median }) => [name, median])).toEqual([
      ["TokenModel", [50, 100]],
      ["Scenario", [5, 10]],
    ]);
    expect(data.models[1].intervals).toEqual([{ level: 0.8, low: [1, 2], high: [9, 18] }]);
    expect(data.models[0].paths).toHaveLength(24);
    expect(data.models[0].paths[7]).toEqual([7, 14]);
    expect(data.notes).toContain("24 of 100 sampled paths are drawn.");
    const other = await viewOf<ScenarioView>({ folder }, "scenario", { series: 'b, "c"' });
    expect(other.history.values.at(-1)).toBe(1099);
    await expect(viewOf({ folder }, "scenario", { series: "z" })).rejects.toThrow(
      /^series: there is no series "z"/,
    );
  });

  test("has probabilities with their errors", async () => {
    const { numbers } = await viewOf<ScenarioView>({ folder: folderOf() }, "scenario");
    const [probability, ...others] = numbers;
    expect(probability.label).toBe("probability of sum <= 30 and min >= 0");
    expect(probability.value).toBeCloseTo(0.1, 12);
    expect(probability.error).toBeCloseTo(0.005, 12);
    expect(others).toContainEqual({ label: "their effective sample size", value: 300, error: null });
    expect(others.map(({ label }) => label)).not.toContain("log Z, learned"); // nothing was fine-tuned
  });

  test("counts the quantity of the condition over all paths of each model", async () => {
    const { quantity } = await viewOf<ScenarioView>({ folder: folderOf() }, "scenario");
    // Sums are 3 s and 0.3 s.
    expect([quantity?.label, quantity?.bound]).toEqual(["sum of a path", 30]);
    const { edges, shares } = quantity!;
    expect([edges[0], edges.at(-1)]).toEqual([0, 297]);
    for (const { shares: ofModel } of shares) {
      expect(ofModel.reduce((sum, share) => sum + share)).toBeCloseTo(1, 9);
    }
    const within = (name: string) =>
      shares
        .find((each) => each.name === name)!
        .shares.filter((_, i) => edges[i + 1] <= 40)
        .reduce((sum, share) => sum + share);
    expect(within("Scenario")).toBeCloseTo(1, 9);
    expect(within("TokenModel")).toBeLessThan(0.12);
  });

  test("is listed with its question and its probabilities", async () => {
    const folder = folderOf();
    const index = new EntryIndex(base);
    const indexed = await index.find(folder.slice(base.length + 1));
    expect(indexed?.entry).toMatchObject({ kind: "forecast", state: "finished", seed: 3, problem: null });
    const detail = await entryDetail(indexed!, new MetricStore());
    expect(detail.description).toEqual([
      "Forecast of numbers, 2 steps ahead, by TokenModel and Scenario.",
      "The scenario: sum <= 30 and min >= 0.",
    ]);
    expect(detail.results.map(({ model, label }) => [model, label])).toEqual([
      ["a", "probability of sum <= 30 and min >= 0"],
      ['b, "c"', "probability of sum <= 30 and min >= 0"],
    ]);
    expect(detail.files).toEqual(["forecast.json", "history.csv", "forecast.csv", "paths.csv"]);
  });
});

test("the probability of an event stands beside the frequency among plain samples", async () => {
  const event = {
    ...{ id: "a", probability: 0.02, standardError: 0.001, effectiveSampleSize: 90 },
    ...{ counted: { probability: 0.03, standardError: 0.004 }, learnedLogProbability: -4 },
  };
  const folder = folderOf({
    record: { ...contents.record, scenario: { event: "max >= 150" }, reports: [], events: [event] },
    models: contents.models.slice(0, 1),
  });
  const data = await viewOf<ScenarioView>({ folder }, "scenario");
  expect(data.numbers.slice(0, 2)).toEqual([
    { label: "probability of max >= 150", value: 0.02, error: 0.001 },
    { label: "counted among plain samples", value: 0.03, error: 0.004 },
  ]);
  expect(data.quantity?.label).toBe("largest value of a path");
});

test("a forecast without paths and without a scenario has values only", async () => {
  const forecasts = forecastsBy(1).map(({ paths: _, ...forecast }) => forecast);
  const folder = folderOf({
    record: { ...contents.record, scenario: {}, reports: [] },
    models: [{ name: "Naive", forecasts }],
  });
  const data = await viewOf<ScenarioView>({ folder }, "scenario");
  expect([data.question, data.quantity, data.numbers, data.models[0].paths]).toEqual([null, null, [], []]);
});

describe("a folder that cannot be read", () => {
  test.each([
    ["a newer version", { version: 99 }, /version 99 and this gflownet reads up to 1; use a newer gflownet$/],
    ["no version", { version: undefined }, /is damaged: its version is missing; make the forecast again$/],
    ["models that are no names", { models: [1] }, /is damaged: models and targets must be lists of names/],
    ["no scenario", { scenario: 1 }, /is damaged: scenario must be an object/],
  ])("because of %s is listed as broken, with the reason", async (_, change, message) => {
    const folder = changedRecord((record) => ({ ...record, ...change }));
    await expect(readForecastRecord(folder)).rejects.toThrow(message);
    const entries = await new EntryIndex(base).entries();
    const { entry } = entries.get(folder.slice(base.length + 1))!;
    expect([entry.kind, entry.state]).toEqual(["forecast", "broken"]);
    expect(entry.problem).toMatch(message);
  });

  test("because it was only half written is listed as broken", async () => {
    const folder = folderOf();
    rmSync(join(folder, "forecast.json"));
    const entries = await new EntryIndex(base).entries();
    const { entry } = entries.get(folder.slice(base.length + 1))!;
    expect([entry.kind, entry.state]).toEqual(["forecast", "broken"]);
    expect(entry.problem).toContain("does not exist; make the forecast again");
  });

  test("because its condition makes no sense gives one sentence", async () => {
    const folder = changedRecord((record) => ({ ...record, scenario: { constraint: "sum <" } }));
    await expect(viewOf({ folder }, "scenario")).rejects.toThrow(/a number is expected/);
  });
});
