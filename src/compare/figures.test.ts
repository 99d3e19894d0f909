// Tests of the figures and the page of a comparison: present and omitted figures, and consistent colours.

import { describe, expect, test } from "vitest";
import { htmlPage } from "../report/page.ts";
import type { Comparison } from "./comparison.ts";
import type { FinishedExperiment } from "./comparison-folder.ts";
import { comparisonPage } from "./comparison-page.ts";
import type { ExperimentRecord } from "./experiment-record.ts";
import { type FigureOptions, type Figures, figuresOf } from "./figures.ts";
import { methodResultsOf } from "./summary.ts";

const grid = { methods: ["kl-entropy:0.25", "metropolis", "random"], sticks: [0.25, 0.5] };
const START: ExperimentRecord = {
  ...{ calls: 0, seconds: 1, iteration: 0, tv: 0.5, kl: 1, expectedReward: 0.2 },
  ...{ sampledTv: null, sampledFloor: null, limitTv: 0.1, limitKl: 0.2, uniformTv: 0.6, uniformKl: 0.7 },
  ...{ callsToHalf: null, callsToAll: null },
  ...{
    modesFound: 0,
    modesScored: 0,
    modes: 4,
    best: null,
    topMean: null,
    diversity: null,
    loss: null,
    dynamicsLoss: null,
  },
  ...{ entropyRatio: null, dynamicsFloor: null },
};

function experiment(method: string, changes: Partial<ExperimentRecord>): FinishedExperiment {
  const end = { ...START, calls: 100, seconds: 9, modesFound: 3, best: 1, topMean: 0.9, diversity: 3 };
  const records = [START, end].map((record) => ({ ...record, ...changes }));
  return { method, stick: 0.25, seed: 0, records };
}

const finished = [
  experiment("kl-entropy:0.25", { entropyRatio: 1.5, dynamicsLoss: 0.8, dynamicsFloor: 0.75 }),
  experiment("metropolis", { tv: null, kl: null, sampledTv: 0.8, sampledFloor: 0.7 }),
  experiment("random", {}),
];
const options: FigureOptions = { ...grid, finished, progressUnit: "oracle calls" };
const figures = figuresOf(options);
const namesOf = (all: Figures) =>
  Object.values(all).flatMap((group) => group.map(({ name }: { name: string }) => name));
const svgOf = (name: string) =>
  Object.values(figures)
    .flat()
    .find((each) => each.name === name)?.svg ?? "";

describe("figures", () => {
  test("exist for fields with data and for noise levels with finished experiments", () => {
    expect(namesOf(figures)).toEqual([
      ...["modes-found", "tv_stick=0.25", "kl_stick=0.25", "best", "diversity"],
      ...["entropy-ratio", "dynamics-loss_stick=0.25"],
    ]);
    expect(namesOf(figuresOf({ ...options, finished: [] }))).toEqual([]);
    expect(namesOf(figuresOf({ ...options, finished: [finished[2]] }))).not.toContain("entropy-ratio");
  });

  test("with a budget of seconds show modes against calls and against time", () => {
    expect(namesOf(figuresOf({ ...options, progressUnit: "seconds" }))).toEqual(
      expect.arrayContaining(["modes-found", "modes-found_seconds"]),
    );
  });

  test("of distances omit methods without an exact distribution, and show the limit and the uniform policy", () => {
    expect(svgOf("modes-found")).toContain("metropolis");
    expect(svgOf("tv_stick=0.25")).not.toContain("metropolis");
    expect(svgOf("tv_stick=0.25")).toContain("limit 0.1");
    expect(svgOf("tv_stick=0.25")).toContain("uniform 0.6");
    expect(svgOf("entropy-ratio")).not.toContain("kl-entropy");
    expect(svgOf("dynamics-loss_stick=0.25")).toContain("floor 0.75");
  });

  test("give a method the same colour in every figure", () => {
    const colourOf = (svg: string) => svg.match(/stroke="(#\w+)"[^>]*\/><text[^>]*>random</)?.[1];
    expect(colourOf(svgOf("modes-found"))).toMatch(/^#/);
    expect(colourOf(svgOf("tv_stick=0.25"))).toBe(colourOf(svgOf("modes-found")));
  });
});

test("the page describes the comparison, counts missing and failed experiments, and has all figures", () => {
  const comparison: Comparison = {
    ...{ ...grid, seeds: [0], calls: 100, seconds: null, evaluations: 1, onPolicy: true },
    settings: { task: "hypergrid", rewardExponent: 2 },
  };
  const results = methodResultsOf(grid, finished, [{ method: "random", stick: 0.5, seed: 0 }]);
  const html = htmlPage(
    comparisonPage({ name: "c", comparison, results, figures, scores: "invented scores" }),
  );
  expect(html).toContain("hypergrid, reward exponent 2: invented scores.");
  expect(html).toContain("3 methods at 2 noise levels, 1 seed each, 100 oracle calls per experiment.");
  expect(html).toContain("1 of 6 experiments failed. 2 of 6 experiments have not run yet.");
  expect(html).toContain("with γ = 0.25");
  expect(html.match(/<svg xmlns/g)).toHaveLength(namesOf(figures).length);
});
