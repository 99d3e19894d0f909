// The choice of a batch: searchers in turn, far apart first.

import { expect, test } from "vitest";
import { chooseBatch } from "./choose-batch.ts";

const string = (text: string, ...values: number[]) => ({
  ...{ string: text, tokens: [...text].map(Number), deviation: 0 },
  values: Float64Array.from(values),
});
const choose = (strings: readonly ReturnType<typeof string>[], count: number, radius: number) =>
  chooseBatch(strings, { count, radius, distance: "hamming" }).map((each) => each.string);

test("the searchers choose in turn, each its best string that is not taken", () => {
  const strings = [string("0000", 4, 3), string("1111", 3, 4), string("2222", 2, 1), string("3333", 1, 2)];
  expect(choose(strings, 4, 1)).toEqual(["0000", "1111", "2222", "3333"]);
});

test("strings near a chosen one are left out", () => {
  expect(choose([string("0000", 5), string("0001", 4), string("1111", 3)], 2, 1)).toEqual(["0000", "1111"]);
});

test("the radius shrinks if there are too few strings", () => {
  const strings = [string("0000", 5), string("0001", 4), string("0011", 3)];
  expect(choose(strings, 3, 2)).toEqual(["0000", "0011", "0001"]);
  expect(choose(strings, 9, 2)).toHaveLength(3);
  expect(choose([], 2, 1)).toEqual([]);
});
