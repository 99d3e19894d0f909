// Tokens that may stand beside kept ones, against a list of all legal strings.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/random-stream.ts";
import { type Automaton, isAccepted } from "./automaton.ts";
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

test("there is nothing if a kept token is not of the alphabet", () => {
  for (const token of [-1, 3]) {
    expect(possibleTokens(automaton, { pattern: [token, null, null] })).toBeNull();
    expect(possibleTokens(automaton, { pattern: [token], open: true })).toBeNull();
  }
});

test("in random automata with random patterns, the tokens are those of the legal strings", () => {
  const stream = RandomStream.fromSeed(4);
  const found = { some: 0, none: 0 };
  for (let trial = 0; trial < 300; trial++) {
    const random = randomAutomaton(stream);
    const { tokens: A, length } = random;
    const strings = stringsUpTo(length.max, A).filter((string) => isAccepted(random, string));
    // Patterns may also be too short or too long for any legal string.
    const pattern = Array.from({ length: stream.integer(length.max + 2) }, () =>
      stream.uniform() < 0.5 ? null : stream.integer(A),
    );
    const open = stream.uniform() < 0.5;
    const last = pattern.findLastIndex((token) => token !== null) + 1;
    const matching = strings.filter(
      (string) =>
        (open ? string.length >= last : string.length === pattern.length) &&
        string.every((token, i) => (pattern[i] ?? token) === token),
    );
    const expected = new Uint8Array((length.max + 1) * (A + 1));
    for (const string of matching) {
      for (const [t, token] of [...string, A].entries()) expected[t * (A + 1) + token] = 1;
    }
    expect(possibleTokens(random, { pattern, open })).toEqual(matching.length > 0 ? expected : null);
    found[matching.length > 0 ? "some" : "none"]++;
  }
  expect(Math.min(found.some, found.none)).toBeGreaterThan(50);
});

/** An automaton with random edges between layers of random sizes. Strings of one node may have different continuations. */
function randomAutomaton(stream: RandomStream): Automaton {
  const A = 1 + stream.integer(3);
  const max = 1 + stream.integer(4);
  const sizes = [1, ...Array.from({ length: max }, () => 1 + stream.integer(4))];
  const layers = Int32Array.from(
    [0, ...sizes].map((_, t, all) => all.slice(0, t + 1).reduce((a, b) => a + b)),
  );
  const next = sizes.flatMap((size, t) =>
    Array.from({ length: size * A }, () =>
      t === max || stream.uniform() < 0.3 ? -1 : layers[t + 1] + stream.integer(sizes[t + 1]),
    ),
  );
  return {
    ...{ tokens: A, length: { min: 0, max }, layers, next: Int32Array.from(next) },
    accepts: Uint8Array.from(sizes.flatMap((size) => Array.from({ length: size }, () => stream.integer(2)))),
  };
}

function stringsUpTo(length: number, A: number): number[][] {
  const shorter = length === 0 ? [] : stringsUpTo(length - 1, A);
  const longest = shorter.filter((string) => string.length === length - 1);
  const extended = longest.flatMap((string) => Array.from({ length: A }, (_, token) => [...string, token]));
  return length === 0 ? [[]] : [...shorter, ...extended];
}
