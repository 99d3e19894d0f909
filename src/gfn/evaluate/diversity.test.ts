import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { editDistance, meanPairwiseDistance, novelty, topK } from "./diversity.ts";

test("edit distance counts insertions, deletions and replacements", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "ACG")).toBe(3);
  expect(editDistance("ACGTACGT", "CGTACGTA")).toBe(2);
  expect(editDistance([1, 2, 3], Int32Array.of(1, 3))).toBe(1);
});

test("edit distance is that of the recursive definition, on random strings", () => {
  const recursive = (a: string, b: string): number =>
    a === "" || b === ""
      ? a.length + b.length
      : a[0] === b[0]
        ? recursive(a.slice(1), b.slice(1))
        : 1 + Math.min(recursive(a.slice(1), b), recursive(a, b.slice(1)), recursive(a.slice(1), b.slice(1)));
  const stream = RandomStream.fromSeed(1);
  const draw = () => Array.from({ length: stream.integer(7) }, () => "AC"[stream.integer(2)]).join("");
  for (let i = 0; i < 50; i++) {
    const [a, b] = [draw(), draw()];
    expect(editDistance(a, b)).toBe(recursive(a, b));
  }
});

test("diversity is the mean over pairs", () => {
  expect(meanPairwiseDistance(["AA", "AC", "CC"])).toBeCloseTo((1 + 1 + 2) / 3, 12);
  expect(meanPairwiseDistance(["AA"])).toBeNaN();
});

test("the top k are the best distinct ones, with mean, median, maximum and diversity", () => {
  const sequences = ["AA", "CC", "AA", "GG", "AC"];
  const rewards = [4, 1, 4, 0.5, 3];
  expect(topK(sequences, rewards, 3)).toEqual({ count: 3, mean: 8 / 3, median: 3, max: 4, diversity: 4 / 3 });
  expect(topK(sequences, rewards, 2)).toEqual({ count: 2, mean: 3.5, median: 3.5, max: 4, diversity: 1 });
  expect(topK(sequences, rewards).count).toBe(4);
});

test("novelty is the distance to the nearest known string", () => {
  const { mean, distances } = novelty(["AAAA", "AACC", "GGGG"], ["AAAA", "CCCC"]);
  expect(distances).toEqual([0, 2, 4]);
  expect(mean).toBe(2);
});

test("nothing to measure is an error that says so", () => {
  expect(() => topK([], [])).toThrow("topK: there are no sequences");
  expect(() => topK(["A"], [1], 0)).toThrow("topK: k must be a positive whole number, got 0");
  expect(() => novelty(["A"], [])).toThrow("novelty: no known sequences were given");
  expect(() => novelty([], ["A"])).toThrow("novelty: there are no sequences");
});
