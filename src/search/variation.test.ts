// Tests of single changes, of mutants under constraints and of crossover.

import { expect, test } from "vitest";
import { spaceOf } from "../../test/support/search-spaces.ts";
import { RandomStream } from "../engine/random-stream.ts";
import { legalStrings } from "./legal-strings.ts";
import { changed, changeKinds, crossed, mutated } from "./variation.ts";

const stream = RandomStream.fromSeed(1);
const texts = (draw: () => readonly number[] | null, draws = 400) =>
  [...new Set(Array.from({ length: draws }, () => draw()?.join("") ?? "none"))].sort();

test("a change substitutes, inserts or deletes one token, each possible one", () => {
  const tokens = [0, 1];
  expect(texts(() => changed(tokens, "substitution", 3, stream))).toEqual(["00", "02", "11", "21"]);
  expect(texts(() => changed(tokens, "deletion", 3, stream))).toEqual(["0", "1"]);
  expect(texts(() => changed(tokens, "insertion", 2, stream))).toEqual(["001", "010", "011", "101"]);
  expect(changed([], "deletion", 2, stream)).toBeNull();
  expect(changed([0], "substitution", 1, stream)).toBeNull();
});

test("only strings of variable length are lengthened or shortened", () => {
  expect(changeKinds({ length: { min: 4, max: 4 } })).toEqual(["substitution"]);
  expect(changeKinds({ length: { min: 3, max: 4 } })).toEqual(["substitution", "insertion", "deletion"]);
});

test("mutants are legal, and a change without a legal result is left out", () => {
  const strings = legalStrings(spaceOf("AB", { min: 3, max: 3 }, [{ kind: "homopolymer", longest: 2 }]));
  expect(texts(() => mutated(strings, [0, 0, 1], 1, stream))).toEqual(["011", "101"].sort());
  const single = legalStrings(spaceOf("AB", { min: 2, max: 2 }, [{ kind: "template", pattern: [[0], [1]] }]));
  expect(mutated(single, [0, 1], 3, stream)).toEqual([0, 1]);
});

test("crossover takes a part of the second string at the same place", () => {
  expect(texts(() => crossed([0, 0, 0], [1, 1, 1], stream))).toEqual([
    ...["000", "001", "010", "011", "100", "110", "111"],
  ]);
  expect(texts(() => crossed([0, 0, 0], [1], stream))).toEqual(["000", "100"]);
});
