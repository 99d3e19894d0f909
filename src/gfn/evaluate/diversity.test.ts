import { expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { editDistance } from "../../math/edit-distance.ts";
import { meanPairwiseDistance, novelty, topK } from "./diversity.ts";

test("edit distance counts insertions, deletions and replacements", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "ACG")).toBe(3);
  expect(editDistance("ACGTACGT", "CGTACGTA")).toBe(2);
  expect(editDistance([1, 2, 3], Int32Array.of(1, 3))).toBe(1);
});

test("edit distance agrees with the recursive definition on random strings", () => {
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

test("edit distance of strings longer than 32 letters agrees with dynamic programming", () => {
  const table = (a: string, b: string) => {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (const letter of a) {
      const next = [row[0] + 1];
      for (let j = 1; j <= b.length; j++) {
        next.push(Math.min(row[j - 1] + (letter === b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1));
      }
      row = next;
    }
    return row[b.length];
  };
  const stream = RandomStream.fromSeed(2);
  const draw = (length: number) => Array.from({ length }, () => "ACG"[stream.integer(3)]).join("");
  for (const length of [0, 1, 31, 32, 33, 63, 64, 65, 100]) {
    for (const other of [0, 1, 30, 32, 64, 90]) {
      const [a, b] = [draw(length), draw(other)];
      expect(editDistance(a, b), `${a} ${b}`).toBe(table(a, b));
      expect(editDistance(a, `${b}${a}`), `${a} ${b}${a}`).toBe(other);
    }
  }
});

test("diversity is the mean over pairs", () => {
  expect(meanPairwiseDistance(["AA", "AC", "CC"])).toBeCloseTo((1 + 1 + 2) / 3, 12);
  expect(meanPairwiseDistance(["AA"])).toBeNaN();
});

test("topK has mean, median, maximum and diversity of the best distinct sequences", () => {
  const sequences = ["AA", "CC", "AA", "GG", "AC"];
  const rewards = [4, 1, 4, 0.5, 3];
  expect(topK(sequences, rewards, 3)).toEqual({ count: 3, mean: 8 / 3, median: 3, max: 4, diversity: 4 / 3 });
  expect(topK(sequences, rewards, 2)).toEqual({ count: 2, mean: 3.5, median: 3.5, max: 4, diversity: 1 });
  expect(topK(sequences, rewards).count).toBe(4);
});

test("novelty is the distance to the nearest known sequence", () => {
  const { mean, distances } = novelty(["AAAA", "AACC", "GGGG"], ["AAAA", "CCCC"]);
  expect(distances).toEqual([0, 2, 4]);
  expect(mean).toBe(2);
});

test("empty inputs are refused", () => {
  expect(() => topK([], [])).toThrow("topK: there must be at least one sequence, got none");
  expect(() => topK(["A"], [1], 0)).toThrow("topK: k must be a positive whole number, got 0");
  expect(() => novelty(["A"], [])).toThrow("novelty: there must be at least one known sequence, got none");
  expect(() => novelty([], ["A"])).toThrow("novelty: there must be at least one sequence, got none");
});
