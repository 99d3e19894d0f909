// Every mistake in a plain environment is refused with one sentence, and so are worlds that are too large.

import { describe, expect, test } from "vitest";
import { UserError } from "../../issues.ts";
import { environment } from "./plain-environment.ts";

describe("a mistake is refused with one sentence:", () => {
  const right = {
    name: "mine",
    start: 0,
    actions: () => ["on"],
    step: (n: number) => [{ state: n + 1 }],
    reward: () => 1,
    steps: 2,
  };
  test.each<[string, object]>([
    ["steps: must be a whole number from 1 on, got 0", { steps: 0 }],
    ["steps: must be a whole number from 1 on, got undefined", { steps: undefined }],
    ["step: must be a function, got undefined", { step: undefined }],
    ["objectOf: must be a function, got 3", { objectOf: 3 }],
    ["start: start must be a plain value, but is NaN; it may consist of", { start: Number.NaN }],
    ["actions: must return an array, got undefined for 0", { actions: () => undefined }],
    ["actions: must give the start at least one action, got none for 0", { actions: () => [] }],
    ['actions: must list each action once, got ["a","a"] for 0', { actions: () => ["a", "a"] }],
    ["actions: must be texts or finite numbers, got NaN for 0", { actions: () => [Number.NaN] }],
    ["actions: must not have both the text and the number 1, got both", { actions: () => ["1", 1] }],
    [
      'step: must return a list of one or more { state, probability }, got [] for (0, "on")',
      { step: () => [] },
    ],
    ["step: must return a list of { state, probability }, got 1 in it", { step: () => [1] }],
    [
      'step: must return probabilities that sum to 1, got 0.75 for (0, "on")',
      { step: (n: number) => [{ state: n, probability: 0.75 }] },
    ],
    [
      "step: must return probabilities from 0 to 1, got -0.5",
      { step: (n: number) => [{ state: n, probability: -0.5 }] },
    ],
    [
      'step: a state of step(0, "on") must be a plain value, but has a function at .f; it may consist of',
      { step: () => [{ state: { f: () => 1 } }] },
    ],
    ["objectOf: objectOf(2) must be a plain value, but is undefined", { objectOf: () => undefined }],
    ["reward: must be finite and not negative, got -1 for 2", { reward: () => -1 }],
    ["reward: must be above 0 for at least one object, got 0 for all 1", { reward: () => 0 }],
    [
      'step: throws for ({"n":0}, "on"): Cannot assign to read only property',
      {
        start: { n: 0 },
        step(state: { n: number }) {
          state.n++;
          return [{ state }];
        },
      },
    ],
  ])("%s", (message, wrong) => {
    const make = () => environment({ ...right, ...wrong } as typeof right);
    expect(make).toThrow(UserError);
    expect(make).toThrow(`mine: ${message}`);
  });

  const double = (n: number, bit: number) => [{ state: (2 * n + bit) % 1000 }];

  test("too many states", () => {
    const cycles = { ...right, actions: () => [0, 1], step: double, steps: 400 };
    expect(() => environment(cycles)).toThrow(
      /^mine: steps: must give at most 200,000 pairs of step and state, got more after 208 of 400 steps; .*docs\/add-an-environment\.md/,
    );
  });

  test("too many transitions", () => {
    const numbers = Array.from({ length: 150 }, (_, i) => i);
    const dense = {
      ...right,
      actions: () => numbers,
      step: (n: number, k: number) => [{ state: (n + k) % 150 }],
    };
    expect(() => environment({ ...dense, steps: 100 })).toThrow(
      "mine: steps: must give at most 2,000,000 transitions, got more after 90 of 100 steps",
    );
    const wide = numbers.map((state) => ({ state, probability: 1 / 150 }));
    expect(() => environment({ ...dense, step: () => wide })).toThrow(
      "mine: step: must give at most 2,000,000 transitions, got more in the first 150 states",
    );
  });

  test("too many actions", () => {
    const actions = Array.from({ length: 257 }, (_, i) => i);
    expect(() => environment({ ...right, actions: () => actions, step: (n) => [{ state: n }] })).toThrow(
      /^mine: actions: may give up to 256, got 257 actions/,
    );
  });

  test("too many ways into one object", () => {
    const merging = { ...right, actions: () => [0, 1], step: double, steps: 13, objectOf: () => "end" };
    const lasting = { ...merging, step: (n: number, bit: number) => [{ state: 2 * n + bit }], start: 1 };
    expect(() => environment(merging)).not.toThrow();
    expect(() => environment(lasting)).toThrow(
      /^mine: objectOf: may lead to an object or state from at most 4,096 pairs of state and action, got 8,192 for the object "end"/,
    );
  });

  test("tables that would be too large", () => {
    const numbers = Array.from({ length: 250 }, (_, i) => i);
    const wide = {
      ...right,
      start: -1,
      actions: (n: number) => (n < 0 ? numbers : [0]),
      step: (n: number, k: number) => [{ state: n < 0 ? k : n }],
      steps: 25,
    };
    expect(() => environment(wide)).toThrow(
      /^mine: steps: must give tables of at most 1 GiB, got 1\.4 GiB for 6,001 pairs of step and state with up to 250 outcomes/,
    );
  });
});
