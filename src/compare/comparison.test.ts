// What a comparison was told comes back from its file, and what differs is named.

import { describe, expect, test } from "vitest";
import { type Comparison, comparisonText, difference, parseComparison } from "./comparison.ts";
import { cellFile, cellsOf } from "./grid.ts";

const comparison: Comparison = {
  ...{ methods: ["kl", "kl-entropy:0.25"], sticks: [0.25, 0.5], seeds: [0, 1, 2] },
  ...{ calls: 100, seconds: null, evaluations: 20, onPolicy: false },
  settings: { task: "hypergrid", batch: 128, learningRate: { from: 1, to: 0 } },
};

test("it comes back from its file", () => {
  expect(parseComparison(comparisonText(comparison), "file")).toEqual(comparison);
});

test.each([
  [{ calls: 200 }, "calls was 100 and is 200"],
  [{ calls: null, seconds: 5 }, "calls was 100 and is not given"],
  [{ methods: ["kl"] }, 'methods was ["kl","kl-entropy:0.25"] and is ["kl"]'],
  [{ settings: { ...comparison.settings, batch: 64 } }, "batch was 128 and is 64"],
  [{ settings: { task: "hypergrid", batch: 128 } }, 'learningRate was {"from":1,"to":0} and is not given'],
])("%j is another comparison", (changes, said) => {
  expect(difference(comparison, { ...comparison, ...changes })).toBe(said);
  expect(difference(comparison, { ...comparison })).toBeNull();
});

describe("a file is refused that", () => {
  test.each([
    ["{", "is not JSON"],
    ["null", "is no object"],
    [comparisonText(comparison).replace('"version": 1', '"version": 2'), "has version 2"],
    [comparisonText({ ...comparison, methods: [] }), "methods is []"],
    [comparisonText(comparison).replace("100", '"x"'), 'calls is "x"'],
  ])("is %s", (text, said) => {
    expect(() => parseComparison(text, "c.json")).toThrow(/^c\.json /);
    expect(() => parseComparison(text, "c.json")).toThrow(said);
  });
});

test("the grid is complete, every cell once, and each has a file of its own that all systems can name", () => {
  const cells = cellsOf(comparison);
  expect(cells).toHaveLength(12);
  const names = cells.map(cellFile);
  expect(new Set(names).size).toBe(12);
  expect(names).toContain("kl-entropy-0.25_stick=0.5_seed=2.jsonl");
  for (const name of names) expect(name).toMatch(/^[\w.=-]+$/);
});
