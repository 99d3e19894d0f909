// Tests that drawn Ehrlich instances are feasible by construction: pairs that connect all letters, and a string of value 1.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ehrlichLandscape } from "./ehrlich.ts";
import { type EhrlichOptions, generateEhrlich } from "./ehrlich-generator.ts";
import { ehrlichIssues } from "./ehrlich-instance.ts";

const sizes: readonly Omit<EhrlichOptions, "seed">[] = [
  { states: 2, length: 3, motifs: 1, motifLength: 3 },
  { states: 4, length: 8, motifs: 2, motifLength: 4 },
  { states: 4, length: 12, motifs: 2, motifLength: 4, quantization: 2, forbidden: 1 },
  { states: 20, length: 15, motifs: 2, motifLength: 5, quantization: 5 },
  { states: 20, length: 64, motifs: 4, motifLength: 10, forbidden: 0.5 },
  { states: 32, length: 32, motifs: 4, motifLength: 4, quantization: 4, forbidden: 0 },
  { states: 5, length: 9, motifs: 3, motifLength: 1 },
];

describe.each(sizes)("instances of $states letters, length $length", (options) => {
  const instances = Array.from({ length: 20 }, (_, seed) => generateEhrlich({ ...options, seed }));

  test("are valid, and have a string of value 1", () => {
    for (const instance of instances) {
      expect(ehrlichIssues(instance)).toEqual([]);
      const [, [optimum, value]] = instance.checks!;
      expect(value).toBe(1);
      expect(ehrlichLandscape(instance).score(optimum)).toBe(1);
    }
  });

  test("connect all letters by allowed pairs, and allow repetitions, so that the walk is ergodic", () => {
    for (const { allowed, states } of instances) {
      const reached = [0];
      for (const letter of reached) {
        expect(allowed[letter][letter]).toBe("1");
        [...allowed[letter]].forEach((bit, next) => {
          if (bit === "1" && !reached.includes(next)) reached.push(next);
        });
      }
      expect(reached).toHaveLength(states);
    }
  });

  test("forbid the same number of letters after each letter", () => {
    const { states, forbidden = 0.25 } = options;
    const expected = forbidden === 0 || states === 2 ? 0 : Math.max(1, Math.round(forbidden * (states - 2)));
    for (const { allowed } of instances) {
      for (const row of allowed) expect(row.split("0").length - 1).toBe(expected);
    }
  });

  test("depend on the seed only", () => {
    expect(generateEhrlich({ ...options, seed: 3 })).toEqual(instances[3]);
    if (options.length > 3) expect(instances[4].motif).not.toEqual(instances[3].motif);
  });
});

test("the committed instance is the one of its options", () => {
  const text = readFileSync("examples/ehrlich/instance.json", "utf8");
  const { states, length, motifs, motifLength, quantization, seed } = JSON.parse(text);
  const drawn = generateEhrlich({ states, length, motifs, motifLength, quantization, seed });
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(drawn)));
});

test("bad options are reported all at once", () => {
  expect(() => generateEhrlich({ states: 1, length: 0, motifs: 2, motifLength: 2, seed: -1 })).toThrow(
    /3 problems:\n {2}states: must be a whole number from 2 to 1000, got 1\n {2}length: .*\n {2}seed: /,
  );
  expect(() =>
    generateEhrlich({ states: 4, length: 7, motifs: 2, motifLength: 4, quantization: 5, seed: 0 }),
  ).toThrow(
    /length: must be at least `motifs` · `motifLength`, which is 8, got 7\n {2}quantization: must be/,
  );
});
