// Tokens that may stand beside kept ones, against a list of all legal strings.

import { describe, expect, test } from "vitest";
import { isAccepted } from "./automaton.ts";
import { compileConstraints } from "./compile.ts";
import type { Constraint } from "./constraint.ts";
import { possibleTokens } from "./kept-letters.ts";

const CONSTRAINTS: readonly Constraint[] = [
  { kind: "composition", tokens: [0], min: 1, max: 2, unit: "count" },
  { kind: "forbid", motif: [2, 1] },
];
const automaton = compileConstraints({ tokens: ["A", "B", "C"], length: { min: 3, max: 4 } }, CONSTRAINTS);
const STRINGS = [3, 4].flatMap((length) =>
  Array.from({ length: 3 ** length }, (_, i) =>
    Array.from({ length }, (_, place) => Math.floor(i / 3 ** place) % 3),
  ).filter((string) => isAccepted(automaton, string)),
);

describe.each<readonly [string, readonly (number | null)[], boolean]>([
  ["nothing of three letters", [null, null, null], false],
  ["the ends of four letters", [2, null, null, 1], false],
  ["a letter in the middle", [null, 2, null, null], false],
  ["a beginning that may go on", [2, null, 0], true],
  ["nothing at all", [], true],
])("with %s kept", (_, pattern, open) => {
  const last = pattern.findLastIndex((token) => token !== null) + 1;
  const matching = STRINGS.filter(
    (string) =>
      (open ? string.length >= last : string.length === pattern.length) &&
      string.every((token, i) => (pattern[i] ?? token) === token),
  );

  test("a token is possible exactly if some legal string has it there", () => {
    const possible = possibleTokens(automaton, { pattern, open });
    expect(matching.length).toBeGreaterThan(0);
    for (let t = 0; t <= 4; t++) {
      const expected = [0, 1, 2].map((token) => +matching.some((string) => string[t] === token));
      const ends = +matching.some((string) => string.length === t);
      expect([...possible!.subarray(t * 4, (t + 1) * 4)]).toEqual([...expected, ends]);
    }
  });
});

test("there is nothing if no legal string has the kept letters", () => {
  expect(possibleTokens(automaton, { pattern: [2, 1, null] })).toBeNull();
});
