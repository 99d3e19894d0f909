// Tests of the report of a run: figures, texts, and incomplete runs.

import { describe, expect, test } from "vitest";
import type { TrainEvent } from "../gfn/training/events.ts";
import { htmlPage } from "./page.ts";
import { type RunContents, runReport } from "./run-report.ts";

const measures = (tv: number) => ({ tv, kl: 2 * tv, pearson: 0.9, spearman: null, expectedReward: 0.3 });
const evaluation = (iteration: number, tv: number): TrainEvent => ({
  ...{ kind: "evaluation", exact: true, iteration, seconds: iteration / 10 },
  reached: { ...measures(tv), logZError: 0.01, dynamicsKl: tv / 100 },
  limit: { ...measures(0.005), gap: 0 },
  uniform: measures(0.4),
  modes: {
    ...{ samples: 1000, circles: 40, recall: null, knownModes: null },
    localMaxima: { found: 1, of: 10, expected: 1.25, probability: tv / 10, targetProbability: 0.0011 },
  },
});
const iteration = (n: number): TrainEvent => ({
  ...{ kind: "iteration", iteration: n, loss: 1 / n, dynamicsLoss: 0.7 + 1 / n, gradientNorm: 1 },
  entropyRatio: 1 + 1 / n,
});
const end = {
  ...{ kind: "end", iterations: 100, seconds: 75, stopped: false },
  metrics: {
    modes: {
      ...{ circles: 12, recall: 0.5, knownModes: { found: 2, of: 4 } },
      localMaxima: { found: 2, of: 10, expected: 1.26 },
    },
  },
} as TrainEvent;
const complete: RunContents = {
  name: "tfbind8-1",
  config: {
    ...{ task: "tfbind8", stick: 0.25, rewardExponent: 3, balance: "db", dynamics: "marginal", loss: "kl" },
    ...{ batch: 128, seed: 7, engine: "native", iterations: 100, learningRate: { from: 0.1, to: 0 } },
  },
  events: [
    evaluation(0, 0.5),
    iteration(50),
    evaluation(50, 0.1),
    iteration(100),
    evaluation(100, 0.02),
    end,
  ],
  samples: [
    { sequence: "GATTACAA", score: 0.5, logProbability: -9 },
    { sequence: "ACGTACGT", score: 1, logProbability: -8 },
    { sequence: "GATTACAA", score: 0.5, logProbability: -9 },
  ],
  scores: "a surrogate, not the measured table",
  dynamicsFloor: 0.689,
};
const titles = (contents: RunContents) =>
  runReport(contents).sections.flatMap(({ figures = [] }) =>
    figures.map((svg) => /aria-label="([^"]+)"/.exec(svg)?.[1]),
  );

describe("the report of a complete run", () => {
  const page = runReport(complete);

  test("names task, objective, duration and the source of the scores", () => {
    expect(page.title).toBe("Run tfbind8-1");
    expect(page.intro).toBe(
      "tfbind8 with stick 0.25 and reward exponent 3: a surrogate, not the measured table.\n\n" +
        "db + marginal + kl, 100 iterations of 128 trajectories in 1 min 15 s, seed 7, native engine.",
    );
  });

  test("has the last measures beside the limit and the uniform policy", () => {
    const [table] = page.sections[0].tables ?? [];
    expect(table.columns).toEqual(["", "policy", "limit", "uniform"]);
    expect(table.rows[0]).toEqual({ name: "total variation", cells: [0.02, 0.005, 0.4] });
    expect(table.rows[5]).toEqual({ name: "log Z error", cells: [0.01, "", ""] });
  });

  test("draws distances, modes, reward, log Z, losses, entropy ratio and the distribution, with their references", () => {
    expect(titles(complete)).toEqual([
      "Exact total variation over iterations",
      "Exact KL(target ‖ policy) over iterations",
      "Circles among the best samples",
      "Number of the 10 local maxima that were sampled",
      "Probability of the 10 local maxima",
      "Expected reward over iterations",
      "Error of log Z over iterations",
      "Loss over iterations",
      "Dynamics loss over iterations, and its floor",
      "Exact distance of the learned dynamics from the true ones",
      "Entropy ratio over iterations",
      "Probability against reward",
    ]);
    const html = htmlPage(page);
    for (const label of [
      ...["limit 0.005", "uniform 0.4", "limit 0.01", "floor 0.689"],
      ...["perfect sampler 1.25", "target 0.0011", "limit 0.3", "uniform 0.3"],
      "Each point counts modes in 1,000 samples.",
    ])
      expect(html).toContain(label);
  });

  test("lists each of the best objects once, and every setting", () => {
    const samples = page.sections[3];
    expect(samples.text).toBe(
      "3 objects sampled at the end, 2 of them distinct. Modes: 12 circles among the best 100, 2 of 4 known modes, 2 of 10 local maxima (a perfect sampler: 1.3).",
    );
    expect(samples.tables?.[0].rows).toEqual([
      { name: "ACGTACGT", cells: [1, -8, 1] },
      { name: "GATTACAA", cells: [0.5, -9, 2] },
    ]);
    expect(page.sections[4].tables?.[0].rows).toContainEqual({
      name: "learningRate",
      cells: ['{"from":0.1,"to":0}'],
    });
  });

  test("is deterministic", () => {
    expect(htmlPage(runReport(complete))).toBe(htmlPage(page));
  });
});

describe("the report of an incomplete run", () => {
  test("says that the run has not been evaluated", () => {
    const page = runReport({ name: "new", config: {}, events: [] });
    expect(page.sections[0].text).toBe("The run has not been evaluated yet.");
    expect(page.intro).toContain("The run is not complete.");
    expect(titles({ name: "new", config: {}, events: [] })).toEqual(["Loss over iterations"]);
  });

  test("gives the number of iterations of a stopped run", () => {
    expect(runReport({ ...complete, events: complete.events.slice(0, 3) }).intro).toContain(
      "50 of 100 iterations",
    );
  });

  test("omits dynamics, modes, log Z and entropy ratio if the run has none", () => {
    const events = complete.events.map((event) =>
      event.kind === "iteration"
        ? { ...event, dynamicsLoss: null, entropyRatio: undefined }
        : event.kind === "evaluation" && event.exact
          ? { ...event, reached: { ...event.reached, dynamicsKl: null, logZError: null }, modes: undefined }
          : event,
    );
    expect(titles({ ...complete, events, samples: [] })).toEqual([
      "Exact total variation over iterations",
      "Exact KL(target ‖ policy) over iterations",
      "Expected reward over iterations",
      "Loss over iterations",
    ]);
  });

  test("shows sampled metrics if there are no exact metrics", () => {
    const sampled = {
      ...{ kind: "evaluation", exact: false, iteration: 5, seconds: 1, oracleCalls: 10 },
      sampled: {
        samples: 10,
        distinct: 9,
        meanScore: 0.5,
        topK: { mean: 0.7, diversity: 3 },
        circles: 4,
        tv: 0.25,
      },
    } as TrainEvent;
    const [section, curves] = runReport({ ...complete, events: [sampled] }).sections;
    expect(section.tables?.[0].rows).toContainEqual({
      name: "total variation of the samples",
      cells: [0.25],
    });
    expect(section.tables?.[0].rows).toContainEqual({ name: "mean score of the best", cells: [0.7] });
    expect(section.figures).toHaveLength(1);
    expect(curves.text).toMatch(/^Each point counts modes in 10 samples\./);
    expect(curves.figures).toHaveLength(1);
  });

  test("shows objects without probabilities, and a run whose task has no noise level", () => {
    const { stick: _, ...config } = complete.config;
    const samples = [{ sequence: "ACGTACGT", score: 1, logProbability: null }];
    const contents = { ...complete, config, samples };
    expect(titles(contents)).not.toContain("Probability against reward");
    expect(titles(complete)).toContain("Probability against reward");
    const page = runReport(contents);
    expect(page.intro).toMatch(/^tfbind8 with reward exponent 3:/);
    expect(page.sections[3].tables?.[0].rows).toEqual([{ name: "ACGTACGT", cells: [1, "–", 1] }]);
  });

  test("ignores missing or invalid fields of events", () => {
    const invalid = [
      { kind: "evaluation", iteration: "<b>", reached: null },
      { kind: "evaluation", reached: { tv: "x" }, limit: 3 },
      { kind: "iteration" },
      { kind: "somethingNew", iteration: 3 },
    ] as unknown as TrainEvent[];
    const html = htmlPage(runReport({ name: "<x>", config: { task: "<script>" }, events: invalid }));
    expect(html).toContain("no data");
    expect(html).not.toMatch(/<script|<x>|<b>/);
  });

  test("can be made from very many events", () => {
    const events = Array.from({ length: 150_000 }, (_, i) => iteration(i + 1));
    expect(runReport({ ...complete, events }).intro).toContain("150,000 iterations");
  });
});
