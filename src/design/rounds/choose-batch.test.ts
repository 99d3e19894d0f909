// The choice of a batch: searchers in turn, far apart first.

import { expect, test } from "vitest";
import { chooseBatch } from "./choose-batch.ts";

const string = (text: string, ...values: number[]) => ({
  ...{ string: text, tokens: [...text].map(Number), deviation: 0, mean: values[0] },
  values: Float64Array.from(values),
});
const nothing = { exploited: 0, top: [], family: 1, distance: "hamming" } as const;
const choose = (strings: readonly ReturnType<typeof string>[], count: number, radius: number) =>
  chooseBatch(strings, { ...nothing, count, radius }).map((each) => each.string);

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

test("strings that are chosen by their means would be among the best, and leave places to other families", () => {
  const scored = (text: string, score: number) => ({ string: text, score });
  // Eight places among the best, so one for each family.
  const top = [scored("0000", 9), ...Array.from({ length: 7 }, (_, i) => scored(`${i + 1}999`, 2))];
  const strings = [
    string("0001", 8),
    string("0002", 10),
    string("1111", 5),
    string("1112", 4),
    string("2222", 1),
  ];
  const options = { ...nothing, count: 4, exploited: 4, radius: 0, top };
  const chosen = chooseBatch(strings, options).map((each) => each.string);
  // 0001 is no better than 0000 and 0002, 1112 no better than 1111, and 2222 would not be among the best: the searcher chooses the
  // latter first, because its family has a place left.
  expect(chosen).toEqual(["0002", "1111", "2222", "0001"]);
});
