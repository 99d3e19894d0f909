// The order of strings by rare letters.

import { expect, test } from "vitest";
import { byRareLetters } from "./rare-letters.ts";

test("strings with letters that few scored strings have at their positions come first", () => {
  const scored = [
    [0, 0],
    [0, 1],
    [0, 2],
  ];
  const strings = [{ tokens: [0, 0] }, { tokens: [1, 0] }, { tokens: [1, 3] }, { tokens: [0, 3] }];
  // Rarities 1/4 + 1/2, 1 + 1/2, 1 + 1, and 1/4 + 1.
  expect(byRareLetters(strings, scored).map(({ tokens }) => tokens.join(""))).toEqual([
    "13",
    "10",
    "03",
    "00",
  ]);
});
