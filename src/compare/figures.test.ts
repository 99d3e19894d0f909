// Figures and page of a comparison: what is there, what is left out, and that a method looks the same everywhere.

import { describe, expect, test } from "vitest";
import { htmlPage } from "../report/page.ts";
import type { Comparison } from "./comparison.ts";
import { type FigureOptions, type Figures, figuresOf } from "./figures.ts";
import type { FinishedCell } from "./folder.ts";
import { comparisonPage } from "./page.ts";
import type { CellRecord } from "./record.ts";
import { outcomesOf } from "./summary.ts";

const grid = { methods: ["kl-entropy:0.25", "metropolis", "random"], sticks: [0.25, 0.5] };
const START: CellRecord = {
  ...{ calls: 0, seconds: 1, iteration: 0, tv: 0.5, kl: 1, expectedReward: 0.2 },
  ...{ sampledTv: null, sampledFloor: null, limitTv: 0.1, limitKl: 0.2, uniformTv: 0.6, uniformKl: 0.7 },
  ...{ callsToHalf: null, callsToAll: null },
  ...{ modesFound: 0, modes: 4, best: null, topMean: null, diversity: null, loss: null, dynamicsLoss: null },
  ...{ entropyRatio: null, dynamicsFloor: null },
};

function cell(method: string, changes: Partial<CellRecord>): FinishedCell {
  const end = { ...START, calls: 100, seconds: 9, modesFound: 3, best: 1, topMean: 0.9, diversity: 3 };
  const both = [START, end].map((record) => ({ ...record, ...changes }));
  return { method, stick: 0.25, seed: 0, records: both };
}

const finished = [
  cell("kl-entropy:0.25", { entropyRatio: 1.5, dynamicsLoss: 0.8, dynamicsFloor: 0.75 }),
  cell("metropolis", { tv: null, kl: null, sampledTv: 0.8, sampledFloor: 0.7 }),
  cell("random", {}),
];
const options: FigureOptions = { ...grid, finished, progress: "oracle calls" };
const figures = figuresOf(options);
const namesOf = (all: Figures) =>
  Object.values(all).flatMap((group) => group.map(({ name }: { name: string }) => name));
const svgOf = (name: string) =>
  Object.values(figures)
    .flat()
    .find((each) => each.name === name)?.svg ?? "";

describe("figures", () => {
  test("are there for what has data, and only for levels of noise that have ended", () => {
    expect(namesOf(figures)).toEqual([
      ...["modes-found", "tv_stick=0.25", "kl_stick=0.25", "best", "diversity"],
      ...["entropy-ratio", "dynamics-loss_stick=0.25"],
    ]);
    expect(namesOf(figuresOf({ ...options, finished: [] }))).toEqual([]);
    expect(namesOf(figuresOf({ ...options, finished: [finished[2]] }))).not.toContain("entropy-ratio");
  });

  test("by the clock show modes against calls and against time", () => {
    expect(namesOf(figuresOf({ ...options, progress: "seconds" }))).toEqual(
      expect.arrayContaining(["modes-found", "modes-found_seconds"]),
    );
  });

  test("of distances leave out methods without an exact law, and have the limit and the uniform policy in", () => {
    expect(svgOf("modes-found")).toContain("metropolis");
    expect(svgOf("tv_stick=0.25")).not.toContain("metropolis");
    expect(svgOf("tv_stick=0.25")).toContain("limit 0.1");
    expect(svgOf("tv_stick=0.25")).toContain("uniform 0.6");
    expect(svgOf("entropy-ratio")).not.toContain("kl-entropy");
    expect(svgOf("dynamics-loss_stick=0.25")).toContain("floor 0.75");
  });

  test("give a method the same look, whoever else is in them", () => {
    const colourOf = (svg: string) => svg.match(/stroke="(#\w+)"[^>]*\/><text[^>]*>random</)?.[1];
    expect(colourOf(svgOf("modes-found"))).toMatch(/^#/);
    expect(colourOf(svgOf("tv_stick=0.25"))).toBe(colourOf(svgOf("modes-found")));
  });
});

test("the page says what was compared, what is missing and what failed, and has all figures", () => {
  const comparison: Comparison = {
    ...{ ...grid, seeds: [0], calls: 100, seconds: null, evaluations: 1, onPolicy: true },
    settings: { task: "hypergrid", rewardExponent: 2 },
  };
  const outcomes = outcomesOf(grid, finished, [{ method: "random", stick: 0.5, seed: 0 }]);
  const html = htmlPage(comparisonPage({ name: "c", comparison, outcomes, figures, scores: "made up" }));
  expect(html).toContain("hypergrid, reward exponent 2: made up.");
  expect(html).toContain("3 methods under 2 levels of noise, 1 seed each, 100 oracle calls per cell.");
  expect(html).toContain("1 of 6 cells failed. 2 of 6 cells were not run yet.");
  expect(html).toContain("with γ = 0.25");
  expect(html.match(/<svg xmlns/g)).toHaveLength(namesOf(figures).length);
});
