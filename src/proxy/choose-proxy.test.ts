// The decision whether mirrored strings have equal scores.

import { expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { isMirrored } from "./choose-proxy.ts";
import { reverseComplementOf } from "./strands.ts";

const [TOKENS, LENGTH] = [4, 6];
const mirror = reverseComplementOf(["A", "C", "G", "T"])!;
const stream = RandomStream.fromSeed(5);
const effects = Array.from({ length: LENGTH * TOKENS }, () => stream.normal());
const additive = (string: ArrayLike<number>) =>
  Array.from(string).reduce((sum, token, i) => sum + effects[i * TOKENS + token], 0);
const strings = Array.from({ length: 60 }, () =>
  Array.from({ length: LENGTH }, () => stream.integer(TOKENS)),
);

test.each([
  [
    "scores of both strands are found to be equal",
    (string: number[]) => additive(string) + additive(mirror(string)),
    true,
  ],
  ["scores of one strand are not", additive, false],
  ["scores without any structure are not", () => stream.normal(), false],
])("%s", (_, score, expected) => {
  const scores = strings.map((string) => score(string));
  expect(isMirrored({ strings, scores, mirror, tokens: TOKENS, length: LENGTH })).toBe(expected);
});
