// Uniformly drawn strings of a first round: distinct, legal, far apart, reproducible.

import { expect, test } from "vitest";
import { RandomStream } from "../../engine/random-stream.ts";
import { constrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { uniformStrings } from "./uniform-strings.ts";

const environment = constrainedSequenceEnvironment({
  space: { tokens: ["A", "C", "G", "T"], length: { min: 6, max: 6 } },
  constraints: [{ kind: "homopolymer", longest: 2 }],
  noise: { kind: "none" },
});
const draw = (seed: number, isNew = (_: string) => true, count = 8) =>
  uniformStrings(environment, {
    ...{ count, radius: 2, distance: "hamming", isNew },
    stream: RandomStream.fromSeed(seed),
  });

test("they are distinct legal strings that are farther apart than the radius", () => {
  const strings = draw(1);
  expect(new Set(strings).size).toBe(8);
  for (const [i, string] of strings.entries()) {
    expect(environment.isLegal(string)).toBe(true);
    const differing = (other: string) => [...string].filter((letter, at) => letter !== other[at]).length;
    for (const other of strings.slice(0, i)) expect(differing(other)).toBeGreaterThan(2);
  }
});

test("the same seed gives the same strings, another seed others", () => {
  expect(draw(1)).toEqual(draw(1));
  expect(draw(2)).not.toEqual(draw(1));
});

test("strings that are not new are left out, and neighbours are taken if there are too few others", () => {
  const allowed = new Set(["ACACAC", "ACACAG", "GTGTGT"]);
  const strings = draw(1, (string) => allowed.has(string), 30).sort();
  expect(strings).toEqual([...allowed]);
});
