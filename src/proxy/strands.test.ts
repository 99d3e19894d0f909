// The reverse complement of DNA.

import { expect, test } from "vitest";
import { reverseComplementOf } from "./strands.ts";

test("the reverse complement follows the order of the tokens, and is its own inverse", () => {
  const [A, C, G, T] = [3, 2, 1, 0];
  const mirror = reverseComplementOf(["T", "G", "C", "A"]);
  expect(mirror?.([A, A, C, G])).toEqual([C, G, T, T]);
  expect(mirror?.(mirror([A, C, C, T]))).toEqual([A, C, C, T]);
});

test("other alphabets have none", () => {
  expect(reverseComplementOf(["A", "C", "G", "U"])).toBeNull();
  expect(reverseComplementOf(["A", "C", "G", "T", "N"])).toBeNull();
});
