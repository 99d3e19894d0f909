import { expect, test } from "vitest";
import type { Panel } from "../types.ts";
import { codeCount, encodeLevels, fitCategories } from "./categories.ts";

const panel: Panel = {
  targets: ["y"],
  covariates: [
    { name: "event", kind: "categorical", known: true },
    { name: "price", kind: "numeric", known: false },
  ],
  frequency: null,
  season: 1,
  series: [
    {
      ...{ id: "a", times: Float64Array.of(1, 2, 3), targets: [Float64Array.of(1, 2, 3)] },
      covariates: { event: ["fair", null, "sale"], price: Float64Array.of(1, 2, 3) },
      statics: { store: "big", size: 3 },
      future: { times: Float64Array.of(4), covariates: { event: ["strike"] } },
    },
    {
      ...{ id: "b", times: Float64Array.of(1), targets: [Float64Array.of(1)] },
      covariates: { event: ["sale"], price: Float64Array.of(1) },
      statics: { store: null, size: null },
    },
  ],
};

test("levels are those of rows that have passed, sorted; numbers have none", () => {
  expect(fitCategories(panel)).toEqual([
    { name: "event", levels: ["fair", "sale"] },
    { name: "store", levels: ["big"] },
  ]);
});

test("a level that was never seen and one that is missing have codes of their own", () => {
  const [event] = fitCategories(panel);
  expect([...encodeLevels(event, ["sale", "strike", null, "fair", "constructor"])]).toEqual([3, 1, 0, 2, 1]);
  expect(codeCount(event)).toBe(4);
});
