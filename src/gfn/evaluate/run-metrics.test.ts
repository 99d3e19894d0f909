import { describe, expect, test } from "vitest";
import { RandomStream } from "../../engine/index.ts";
import { sequenceCodec } from "../environments/sequence-codec.ts";
import { modesOf } from "./run-metrics.ts";

/** All strings of two letters out of ABCDEFGHIJ, all of score 1 but a few. */
const letters = "ABCDEFGHIJ";
const text = (terminal: number) => letters[Math.floor(terminal / 10)] + letters[terminal % 10];
const table = (scores: Readonly<Record<string, number>>) =>
  Float64Array.from({ length: 100 }, (_, terminal) => scores[text(terminal)] ?? 1);
const strings = { decode: text, letters: 10, length: 2 };

describe("local maxima found", () => {
  test("are those among the best hundredth of all strings", () => {
    // One string is a hundredth of a hundred: CD is a local maximum too, but not good enough.
    const task = { ...strings, scores: table({ AB: 9, CD: 8 }) };
    const found = (...samples: string[]) =>
      modesOf({ samples, scores: samples.map(() => 1), task }).localMaxima;
    expect(found("AB", "CD", "AB")).toEqual({ found: 1, of: 1 });
    expect(found("CD", "AC")).toEqual({ found: 0, of: 1 });
    expect(found()).toEqual({ found: 0, of: 1 });
  });

  test("include all that are as good as the last of the hundredth, unless a change of one letter is better", () => {
    const task = { ...strings, scores: table({ AB: 9, CD: 9, EF: 9 }) };
    expect(modesOf({ samples: ["EF"], scores: [9], task }).localMaxima).toEqual({ found: 1, of: 3 });
    // A thousand strings have ten best. Next to each other, only the better one is a maximum.
    const long = (terminal: number) => letters[Math.floor(terminal / 100)] + text(terminal % 100);
    const scores = new Float64Array(1000).fill(1);
    [9, 8, 8, 8, 8, 8, 8, 8, 8, 8].forEach((score, i) => {
      scores[100 * i + 11 * ((i + 1) % 10)] = score; // ABB, BCC, …, no two of them neighbours
    });
    scores[12] = 7; // ABC, next to ABB, and the eleventh
    const samples = ["ABC", "ABB", "JAA"];
    expect(
      modesOf({ samples, scores: [7, 9, 8], task: { scores, decode: long, letters: 10, length: 3 } })
        .localMaxima,
    ).toEqual({ found: 2, of: 10 });
    scores[12] = 8.5;
    expect(
      modesOf({ samples, scores: [8.5, 9, 8], task: { scores, decode: long, letters: 10, length: 3 } })
        .localMaxima,
    ).toEqual({ found: 2, of: 10 });
  });

  test("are none on a plain where nothing is better than the rest", () => {
    const task = { ...strings, scores: table({}) };
    expect(modesOf({ samples: ["AA"], scores: [1], task }).localMaxima).toEqual({ found: 0, of: 0 });
    const rare = Float64Array.from({ length: 10_000 }, (_, i) => +(i === 1234));
    expect(
      modesOf({
        samples: ["1234", "0000"],
        scores: [1, 0],
        task: { scores: rare, decode: (i) => `${i}`.padStart(4, "0"), letters: 10, length: 4 },
      }).localMaxima,
    ).toEqual({ found: 1, of: 1 });
  });

  test("are not counted where objects are no strings of one length, or where a function scores", () => {
    const cells = {
      scores: Float64Array.of(1, 2, 3, 4),
      decode: (cell: number) => `${cell >> 1},${cell & 1}`,
    };
    expect(modesOf({ samples: ["1,1"], scores: [4], task: cells })).toEqual({
      greedy: 1,
      recall: null,
      localMaxima: null,
    });
    expect(modesOf({ samples: ["ab", "cde"], scores: [4, 3] })).toEqual({
      greedy: 2,
      recall: null,
      localMaxima: null,
    });
  });

  test("refuse a table of another size", () => {
    const task = { ...strings, length: 3, scores: table({}) };
    expect(() => modesOf({ samples: [], scores: [], task })).toThrow("make 1000 strings, got 100 rewards");
  });
});

test("recall is the share of the task's modes among the samples, whatever their scores", () => {
  const task = { scores: table({}), decode: text, modes: [0, 11, 99, 12] }; // AA, BB, JJ, BC
  const samples = ["JJ", "AA", "AA", "AB"];
  expect(modesOf({ samples, scores: [0, 0, 0, 5], task }).recall).toBe(0.5);
  expect(modesOf({ samples, scores: [0, 0, 0, 5], task: { ...task, modes: [] } }).recall).toBeNull();
});

test("the greedy count takes the best hundred of the distinct samples", () => {
  const samples = ["AAAAAAAA", "AAAAAACC", "AAAAACCC", "TTTTTTTT", "TTTTTTTT"];
  expect(modesOf({ samples, scores: [5, 4, 3, 2, 2] }).greedy).toBe(3);
  // The middle, others near it, and a far one that is the worst: the hundredth, or beyond.
  const withNear = (count: number) => {
    const near = Array.from(
      { length: count },
      (_, i) => `AAAAAA${letters[i % 10]}${letters[Math.floor(i / 10)]}`,
    );
    const all = [...near, ...near, "TTTTTTTT"];
    return modesOf({ samples: all, scores: all.map((_, i) => -i) }).greedy;
  };
  expect(withNear(99)).toBe(2);
  expect(withNear(100)).toBe(1);
});

test("all of it takes well below 100 ms for 65,536 strings", () => {
  const codec = sequenceCodec({ alphabet: "ACGT", length: 8 });
  const decode = (i: number) => codec.decode(Array.from({ length: 8 }, (_, p) => (i >> (14 - 2 * p)) & 3));
  const stream = RandomStream.fromSeed(1);
  const scores = Float64Array.from({ length: 65_536 }, () => stream.uniform());
  const drawn = Array.from({ length: 10_000 }, () => stream.integer(65_536));
  const task = { scores, decode, letters: 4, length: 8, modes: drawn.slice(0, 100) };
  const samples = drawn.map(decode);
  const own = drawn.map((i) => scores[i]);
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    const { recall, localMaxima } = modesOf({ samples, scores: own, task });
    expect(recall).toBe(1);
    expect(localMaxima!.of).toBeGreaterThan(100);
    return performance.now() - started;
  });
  expect(Math.min(...times)).toBeLessThan(100);
});
