// The choice of candidates: best first, circles before neighbours, distances to known strings.

import { describe, expect, test } from "vitest";
import { type ChoiceOptions, chooseCandidates, meanOfBest } from "./candidates.ts";

const OPTIONS: ChoiceOptions = { count: 3, radius: 1, distance: "hamming", goal: "maximise", known: [] };
const designs = [
  { string: "AAAA", score: 10 },
  { string: "AAAC", score: 9 },
  { string: "AACC", score: 8 },
  { string: "TTTT", score: 7 },
  { string: "GGGG", score: 1 },
];
const stringsOf = (options: Partial<ChoiceOptions>) =>
  chooseCandidates(designs, { ...OPTIONS, ...options }).map(({ string }) => string);

describe("candidates", () => {
  test("are centres of circles first, and the list is sorted by score", () => {
    expect(stringsOf({})).toEqual(["AAAA", "AACC", "TTTT"]);
  });

  test("include neighbours of a centre if there are too few circles", () => {
    expect(stringsOf({ count: 5 })).toEqual(["AAAA", "AAAC", "AACC", "TTTT", "GGGG"]);
  });

  test("name the circle of each design", () => {
    const chosen = chooseCandidates(designs, { ...OPTIONS, count: 5 });
    expect(chosen.map(({ circle, isCentre }) => [circle, isCentre])).toEqual([
      [1, true],
      [1, false],
      [2, true],
      [3, true],
      [4, true],
    ]);
  });

  test("begin with the lowest score if scores are minimised", () => {
    expect(stringsOf({ count: 2, goal: "minimise" })).toEqual(["GGGG", "TTTT"]);
  });

  test("leave out known strings, and have the distance to the nearest of them", () => {
    const chosen = chooseCandidates(designs, { ...OPTIONS, known: ["AAAA", "TTTA"] });
    expect(chosen.map(({ string, distanceToKnown }) => [string, distanceToKnown])).toEqual([
      ["AAAC", 1],
      ["TTTT", 1],
      ["GGGG", 4],
    ]);
  });

  test("do not reach far down the list for another circle", () => {
    const near = Array.from({ length: 40 }, (_, i) => ({
      string: `AAA${"ACGT"[i % 4]}${i}`,
      score: 100 - i,
    }));
    const far = { string: "TTTTTT", score: 0 };
    const chosen = chooseCandidates([...near, far], { ...OPTIONS, count: 2, radius: 5, distance: "edit" });
    expect(chosen.map(({ string }) => string)).toEqual(["AAAA0", "AAAC1"]);
  });
});

test("the mean of the best counts from the good end", () => {
  expect(meanOfBest([1, 5, 3], 2, "maximise")).toBe(4);
  expect(meanOfBest([1, 5, 3], 2, "minimise")).toBe(2);
  expect(meanOfBest([1, 5, 3], 10, "maximise")).toBe(3);
});
