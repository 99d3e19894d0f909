// Tests of the settings of a comparison: the round trip through their file, differences, and damaged files.

import { describe, expect, test } from "vitest";
import { type Comparison, comparisonText, differences, parseComparison } from "./comparison.ts";
import { experimentFileName, experimentsOf } from "./experiment-grid.ts";

const comparison: Comparison = {
  ...{ methods: ["kl", "kl-entropy:0.25"], sticks: [0.25, 0.5], seeds: [0, 1, 2] },
  ...{ calls: 100, seconds: null, evaluations: 20, onPolicy: false },
  settings: { task: "hypergrid", batch: 128, learningRate: { from: 1, to: 0 } },
};

test("survives a round trip through its file", () => {
  expect(parseComparison(comparisonText(comparison), "file")).toEqual(comparison);
});

test.each([
  [{ calls: 200 }, ["calls: 100, got 200"]],
  [{ calls: null, seconds: 5 }, ["calls: 100, got omitted", "seconds: omitted, got 5"]],
  [{ methods: ["kl"] }, ['methods: ["kl","kl-entropy:0.25"], got ["kl"]']],
  [{ settings: { ...comparison.settings, batch: 64 } }, ["batch: 128, got 64"]],
  [{ settings: { task: "hypergrid", batch: 128 } }, ['learningRate: {"from":1,"to":0}, got omitted']],
])("%j is another comparison", (changes, expected) => {
  const issues = differences(comparison, { ...comparison, ...changes });
  const texts = issues.map(({ path, message }) => {
    return `${path}: ${message.replace("must be ", "").replace(" as in the existing comparison", "")}`;
  });
  expect(texts).toEqual(expected);
  expect(differences(comparison, { ...comparison })).toEqual([]);
});

describe("a damaged file is refused:", () => {
  test.each([
    ["{", "is not JSON"],
    ["null", "must be an object, got null"],
    [comparisonText(comparison).replace('"version": 3', '"version": 4'), "has version 4"],
    [comparisonText({ ...comparison, methods: [] }), "methods is []"],
    [comparisonText({ ...comparison, methods: ["kl-entropy:2"] }), 'methods is ["kl-entropy:2"]'],
    [comparisonText(comparison).replace("100", '"x"'), 'calls is "x"'],
  ])("%s", (text, message) => {
    expect(() => parseComparison(text, "c.json")).toThrow(/^c\.json /);
    expect(() => parseComparison(text, "c.json")).toThrow(message);
  });
});

test("the grid has every experiment once, each with a unique and portable file name", () => {
  const experiments = experimentsOf(comparison);
  expect(experiments).toHaveLength(12);
  const names = experiments.map(experimentFileName);
  expect(new Set(names).size).toBe(12);
  expect(names).toContain("kl-entropy-0.25_stick=0.5_seed=2.jsonl");
  for (const name of names) expect(name).toMatch(/^[\w.=-]+$/);
});
