// Tests of the file of an experiment: records survive a round trip, and any damage is detected.

import { describe, expect, test } from "vitest";
import { experimentFileText, parseExperimentFile } from "./experiment-file.ts";
import type { ExperimentRecord } from "./experiment-record.ts";

const experiment = { method: "kl-entropy:0.25", stick: 0.5, seed: 3 };
const records = [
  { calls: 0, tv: 0.5, kl: Number.POSITIVE_INFINITY, best: null },
  { calls: 128, tv: 0.1 + 0.2, kl: 1e-9, best: 0.75 },
] as ExperimentRecord[];
const text = experimentFileText(experiment, records);

test("records survive exactly, including infinities and null", () => {
  expect(parseExperimentFile(text, experiment)).toEqual(records);
});

describe("the file counts as damaged", () => {
  test("if it is truncated anywhere", () => {
    for (let length = 0; length < text.length; length++)
      expect(parseExperimentFile(text.slice(0, length), experiment)).toBeNull();
  });

  test("if any character is changed", () => {
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === "7" ? "8" : "7";
      expect(parseExperimentFile(text.slice(0, i) + other + text.slice(i + 1), experiment)).toBeNull();
    }
  });

  test("if it belongs to another experiment", () => {
    expect(parseExperimentFile(text, { ...experiment, seed: 4 })).toBeNull();
    expect(parseExperimentFile(text, { ...experiment, method: "kl" })).toBeNull();
  });
});
