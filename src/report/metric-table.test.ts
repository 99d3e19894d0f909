// Tests of tables of metrics: marks of the best values, and skill relative to the reference.

import { expect, test } from "vitest";
import { type ModelMetrics, metricTable, skillTable } from "./metric-table.ts";
import { decimalsFor, markdownTable, plainTable } from "./tables.ts";

const metrics = [
  { name: "mae", label: "MAE" },
  { name: "r2", best: "most" },
  { name: "coverage", best: 0.8 },
] as const;
const models: readonly ModelMetrics[] = [
  { name: "seasonal-naive", values: { mae: 200, r2: 0.5, coverage: 0.95 } },
  { name: "gflownet", values: { mae: 150, r2: 0.7, coverage: 0.78 } },
  { name: "broken", values: { mae: null, r2: Number.NaN } },
];

test("the lowest, the highest or the nearest value is marked as the best of its column", () => {
  expect(plainTable(metricTable({ metrics, models, caption: "All" }))).toBe(
    [
      "All; * best of its column",
      "model               MAE        r2  coverage",
      "seasonal-naive    200.0    0.5000    0.9500",
      "gflownet        150.0 *  0.7000 *  0.7800 *",
      "broken                –         –         –",
    ].join("\n"),
  );
});

test("equal best values are all marked; a single model is not marked", () => {
  const two = [0, 1].map((i) => ({ name: `m${i}`, values: { mae: 1 } }));
  expect(markdownTable(metricTable({ metrics: [metrics[0]], models: two }))).toContain("| m1 | 1.000 \\* |");
  const one = metricTable({ metrics: [metrics[0]], models: two.slice(0, 1) });
  expect(one.caption).toBeUndefined();
  expect(plainTable(one)).not.toContain("*");
});

test("skill is 1 − error / error of the reference, for error metrics only", () => {
  expect(plainTable(skillTable({ metrics, models }, "seasonal-naive"))).toBe(
    [
      "Skill against seasonal-naive: 1 − error / error of seasonal-naive",
      "model        MAE",
      "gflownet  25.0 %",
      "broken         –",
    ].join("\n"),
  );
});

test("an unknown reference is refused, and an error of 0 has no skill", () => {
  expect(() => skillTable({ metrics, models }, "naive")).toThrow(
    "skillTable: the reference must be one of the models seasonal-naive, gflownet, broken, got naive",
  );
  const perfect = [
    { name: "a", values: { mae: 0 } },
    { name: "b", values: { mae: 1 } },
  ];
  expect(skillTable({ metrics: [metrics[0]], models: perfect }, "a").rows[0].cells).toEqual([null]);
});

test("the number of decimals depends on the largest value", () => {
  expect([[12_345], [123.4, 5], [0.0301], [0], [], [1e-20]].map((values) => decimalsFor(values, 4))).toEqual([
    ...[0, 1, 5, 0, 0, 8],
  ]);
});

test("skill that rounds to 0 has no sign", () => {
  const close = [
    { name: "a", values: { mae: 100 } },
    { name: "b", values: { mae: 100.01 } },
    { name: "c", values: { mae: 101 } },
  ];
  const table = plainTable(skillTable({ metrics: [metrics[0]], models: close }, "a"));
  expect(table.split("\n").slice(2)).toEqual(["b       0.0 %", "c      -1.0 %"]);
});
