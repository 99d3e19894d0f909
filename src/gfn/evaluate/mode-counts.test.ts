import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sequenceCodec } from "../environment/sequence-codec.ts";
import { countModes } from "./mode-counts.ts";

/** All strings of two letters out of ABCDEFGHIJ; those not in `scores` have score 1. */
const letters = "ABCDEFGHIJ";
const text = (terminal: number) => letters[Math.floor(terminal / 10)] + letters[terminal % 10];
const table = (scores: Readonly<Record<string, number>>) =>
  Float64Array.from({ length: 100 }, (_, terminal) => scores[text(terminal)] ?? 1);
const strings = { decode: text, strings: { letters: 10, length: 2 } };

describe("local maxima", () => {
  test("count if they are in the top 1 % of all strings", () => {
    // The top 1 % of 100 strings is one string. CD is a local maximum too, but not in it.
    const task = { ...strings, scores: table({ AB: 9, CD: 8 }) };
    const found = (...samples: string[]) =>
      countModes({ samples, scores: samples.map(() => 1), task }).localMaxima;
    expect(found("AB", "CD", "AB")).toMatchObject({ found: 1, of: 1 });
    expect(found("CD", "AC")).toMatchObject({ found: 0, of: 1 });
    expect(found()).toMatchObject({ found: 0, of: 1 });
  });

  test("include all ties at the threshold, except those with a better neighbour", () => {
    const task = { ...strings, scores: table({ AB: 9, CD: 9, EF: 9 }) };
    expect(countModes({ samples: ["EF"], scores: [9], task }).localMaxima).toMatchObject({ found: 1, of: 3 });
    // The top 1 % of 1000 strings is ten. Of two neighbours only the better one is a maximum.
    const long = (terminal: number) => letters[Math.floor(terminal / 100)] + text(terminal % 100);
    const scores = new Float64Array(1000).fill(1);
    [9, 8, 8, 8, 8, 8, 8, 8, 8, 8].forEach((score, i) => {
      scores[100 * i + 11 * ((i + 1) % 10)] = score; // ABB, BCC, …, no two of them neighbours
    });
    scores[12] = 7; // ABC, next to ABB, and the eleventh
    const samples = ["ABC", "ABB", "JAA"];
    expect(
      countModes({
        samples,
        scores: [7, 9, 8],
        task: { scores, decode: long, strings: { letters: 10, length: 3 } },
      }).localMaxima,
    ).toMatchObject({ found: 2, of: 10 });
    scores[12] = 8.5;
    expect(
      countModes({
        samples,
        scores: [8.5, 9, 8],
        task: { scores, decode: long, strings: { letters: 10, length: 3 } },
      }).localMaxima,
    ).toMatchObject({ found: 2, of: 10 });
  });

  test("are none if all scores are equal", () => {
    const task = { ...strings, scores: table({}) };
    expect(countModes({ samples: ["AA"], scores: [1], task }).localMaxima).toMatchObject({ found: 0, of: 0 });
    const rare = Float64Array.from({ length: 10_000 }, (_, i) => +(i === 1234));
    expect(
      countModes({
        samples: ["1234", "0000"],
        scores: [1, 0],
        task: { scores: rare, decode: (i) => `${i}`.padStart(4, "0"), strings: { letters: 10, length: 4 } },
      }).localMaxima,
    ).toMatchObject({ found: 1, of: 1 });
  });

  test("are not counted for other objects, or without a task", () => {
    const cells = {
      scores: Float64Array.of(1, 2, 3, 4),
      decode: (cell: number) => `${cell >> 1},${cell & 1}`,
    };
    expect(countModes({ samples: ["1,1"], scores: [4], task: cells })).toEqual({
      ...{ samples: 1, circles: 1, recall: null, knownModes: null },
      localMaxima: null,
    });
    expect(countModes({ samples: ["ab", "cde"], scores: [4, 3] })).toEqual({
      ...{ samples: 2, circles: 2, recall: null, knownModes: null },
      localMaxima: null,
    });
  });

  test("refuse a table of another size", () => {
    const task = { decode: text, strings: { letters: 10, length: 3 }, scores: table({}) };
    expect(() => countModes({ samples: [], scores: [], task })).toThrow(
      "there must be one reward for each of the 1000 strings of 3 letters out of 10, got 100",
    );
  });
});

test("recall is the fraction of the task's modes among the samples, whatever their scores", () => {
  const task = { scores: table({}), decode: text, modes: [0, 11, 99, 12] }; // AA, BB, JJ, BC
  const samples = ["JJ", "AA", "AA", "AB"];
  expect(countModes({ samples, scores: [0, 0, 0, 5], task }).recall).toBe(0.5);
  expect(countModes({ samples, scores: [0, 0, 0, 5], task: { ...task, modes: [] } }).recall).toBeNull();
});

test("circles are counted among the best 100 distinct samples", () => {
  const samples = ["AAAAAAAA", "AAAAAACC", "AAAAACCC", "TTTTTTTT", "TTTTTTTT"];
  expect(countModes({ samples, scores: [5, 4, 3, 2, 2] }).circles).toBe(3);
  // Many samples near each other, and a distant one with the lowest score, as sample 100 or 101.
  const withNear = (count: number) => {
    const near = Array.from(
      { length: count },
      (_, i) => `AAAAAA${letters[i % 10]}${letters[Math.floor(i / 10)]}`,
    );
    const all = [...near, ...near, "TTTTTTTT"];
    return countModes({ samples: all, scores: all.map((_, i) => -i) }).circles;
  };
  expect(withNear(99)).toBe(2);
  expect(withNear(100)).toBe(1);
});

test("counts of modes stand beside those of a perfect sampler, and the probabilities of policy and target", () => {
  const task = { ...strings, scores: table({ AB: 9, CD: 9 }), modes: [1, 23, 1, 45] };
  const target = new Float64Array(100).fill(0.005);
  [target[1], target[23], target[45]] = [0.25, 0.2, 0.1];
  const policy = new Float64Array(100).fill(0.01);
  const samples = ["AB", "AB", "EF"];
  const counts = countModes({ samples, scores: [9, 9, 1], task, distributions: { policy, target } });
  // Three samples contain an object of probability p with probability 1 − (1 − p)³.
  const among = (p: number) => 1 - (1 - p) ** 3;
  expect(counts.samples).toBe(3);
  expect(counts.recall).toBeCloseTo(2 / 3, 12);
  expect(counts.knownModes).toMatchObject({ found: 2, of: 3 });
  expect(counts.knownModes?.expected).toBeCloseTo(among(0.25) + among(0.2) + among(0.1), 12);
  expect(counts.knownModes?.probability).toBeCloseTo(0.03, 12);
  expect(counts.knownModes?.targetProbability).toBeCloseTo(0.55, 12);
  expect(counts.localMaxima).toMatchObject({ found: 1, of: 2 });
  expect(counts.localMaxima?.expected).toBeCloseTo(among(0.25) + among(0.2), 12);
  const unknown = { expected: null, probability: null, targetProbability: null };
  expect(countModes({ samples, scores: [9, 9, 1], task })).toMatchObject({
    knownModes: unknown,
    localMaxima: unknown,
  });
});

test("the modes of 65,536 strings are counted among 10,000 samples", () => {
  const codec = sequenceCodec({ alphabet: "ACGT", length: 8 });
  const decode = (i: number) => codec.decode(Array.from({ length: 8 }, (_, p) => (i >> (14 - 2 * p)) & 3));
  const stream = RandomStream.fromSeed(1);
  const scores = Float64Array.from({ length: 65_536 }, () => stream.uniform());
  const drawn = Array.from({ length: 10_000 }, () => stream.integer(65_536));
  const task = { scores, decode, strings: { letters: 4, length: 8 }, modes: drawn.slice(0, 100) };
  const samples = drawn.map(decode);
  const sampleScores = drawn.map((i) => scores[i]);
  const { recall, localMaxima } = countModes({ samples, scores: sampleScores, task });
  expect(recall).toBe(1);
  expect(localMaxima!.of).toBeGreaterThan(100);
});
