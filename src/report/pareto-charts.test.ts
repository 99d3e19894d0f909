// Charts of several objectives: one figure for each further objective, axes with goals, and thinned points.

import { expect, test } from "vitest";
import { type ParetoReport, paretoCharts } from "./pareto-charts.ts";

const report: ParetoReport = {
  objectives: [
    { name: "binding", goal: "maximise" },
    { name: "cost", goal: "minimise" },
    { name: "size", goal: "maximise" },
  ],
  values: [
    [0.1, 3, 1],
    [0.9, 2, 2],
  ],
  front: [[0.9, 2, 2]],
  summary: "",
};

test("the first objective is drawn against each of the others, with the front", () => {
  const [cost, size, ...more] = paretoCharts(report);
  expect(more).toEqual([]);
  expect(cost).toContain("cost against binding");
  expect(cost).toContain("cost (low is good)");
  expect(size).toContain("size (high is good)");
  for (const figure of [cost, size]) {
    expect(figure).toContain("binding (high is good)");
    expect(figure).toContain("Pareto front");
    expect(figure).not.toContain("are drawn");
  }
});

test("of many strings some are drawn, and a note says how many", () => {
  const values = Array.from({ length: 5000 }, (_, i) => [i, i % 7, 1]);
  const [cost] = paretoCharts({ ...report, values });
  expect(cost).toContain("2,000 of 5,000 scored strings are drawn.");
});

test("without any string there are no points and no error", () => {
  expect(paretoCharts({ ...report, values: [], front: [] })).toHaveLength(2);
});
