// Intentions that are not known are drawn from the backward policy, and those that are known stay.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { rowsOf } from "../../test/support/environment-walk.ts";
import { evaluate } from "../../test/support/gradients.ts";
import { slippingStrings } from "../../test/support/own-kernel.ts";
import { nodeAfter, stepsOf } from "../../test/support/tabular.ts";
import { RandomStream } from "../engine/index.ts";
import { flatten } from "./batch.ts";
import type { EnumerableEnvironment } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { follow, uniformsPerStep } from "./rollout.ts";
import { withThoughts } from "./thoughts.ts";

const B = 1000;
const UNKNOWN = -1;

interface Thought {
  /** Intentions by step and episode, [T][B]; −1 where there is none. */
  readonly actions: number[][];
  /** The class of each step, [T][B]; −1 where there is none. */
  readonly classes: number[][];
  /** log of the backward policy over classes, not normalised, [T][classes], of the state after each step. */
  readonly logits: number[][];
}

/** B episodes along one way, thought through with a backward policy of random logits. */
function thought(environment: EnumerableEnvironment, way: number[], known: number[]): Thought {
  const { actions: A, backwardClasses: K, maxSteps: T, stops } = environment;
  const stream = RandomStream.fromSeed(6);
  const perStep = (numbers: readonly number[]) =>
    Array.from({ length: T }, (_, t) => new Array<number>(B).fill(numbers[t] ?? UNKNOWN)).flat();
  const intended = Array.from({ length: T }, (_, t) => {
    if (t >= way.length) return stops ? A - 1 : UNKNOWN;
    return known[t] ?? UNKNOWN;
  });
  const logits = Array.from({ length: T + 1 }, () => Array.from({ length: K }, () => 1.5 * stream.normal()));
  const width = uniformsPerStep(environment);
  const said = evaluate(
    ({ actions, outcomes, backward, uniform }) => {
      const batch = flatten(environment, follow(environment, { actions, outcomes }));
      const { actions: filled, backwardClass } = withThoughts(environment, batch, backward, uniform);
      return { filled, backwardClass };
    },
    {
      actions: { shape: [T, B], dtype: "int32", data: perStep(intended) },
      outcomes: { shape: [T, B], dtype: "int32", data: perStep(way) },
      backward: {
        shape: [(T + 1) * B, K],
        data: logits.flatMap((row) => Array.from({ length: B }, () => row).flat()),
      },
      uniform: { shape: [T * B, width], data: stream.fillUniform(new Float32Array(T * B * width)) },
    },
    "float32",
  );
  const numbers = (oneHot: Float64Array) => {
    const rows = rowsOf(oneHot, T * B).map((row) => {
      expect(row.filter((x) => x !== 0).length).toBeLessThanOrEqual(1);
      return row.indexOf(1);
    });
    return Array.from({ length: T }, (_, t) => rows.slice(t * B, (t + 1) * B));
  };
  return { actions: numbers(said.filled), classes: numbers(said.backwardClass), logits: logits.slice(1) };
}

/** Intentions by which each outcome of a way can have come, and their probabilities by the backward policy. */
function expected(
  environment: EnumerableEnvironment,
  way: readonly number[],
  classOf: (action: number, outcome: number) => number,
  logits: readonly number[][],
) {
  const listed = environment.enumerate();
  const steps = [...stepsOf(listed)];
  let state = 0;
  return way.map((outcome, t) => {
    const here = steps.filter((step) => step.state === state && step.outcome === outcome);
    state = nodeAfter(listed, here[0]);
    const weights = here.map(({ action }) => Math.exp(logits[t][classOf(action, outcome)]));
    const sum = weights.reduce((a, b) => a + b, 0);
    return new Map(here.map(({ action }, i) => [action, weights[i] / sum]));
  });
}

function checkDraws(
  environment: EnumerableEnvironment,
  way: number[],
  classOf: (a: number, c: number) => number,
) {
  const { actions, classes, logits } = thought(environment, way, []);
  expected(environment, way, classOf, logits).forEach((probabilities, t) => {
    const possible = [...probabilities.keys()];
    // Nothing that cannot have been.
    for (const action of new Set(actions[t])) expect(possible).toContain(action);
    const counts = possible.map((action) => actions[t].filter((a) => a === action).length);
    const shares = [...probabilities.values()];
    expect(chiSquare(counts, shares)).toBeLessThan(chiSquareLimit(shares));
    expect(classes[t]).toEqual(actions[t].map((action) => classOf(action, way[t])));
  });
  return actions;
}

describe("what is not known is drawn from the backward policy", () => {
  test("on strings, from all letters", () => {
    const strings = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0.25 });
    const actions = checkDraws(strings, [2, 0, 3], (action) => action);
    expect(actions.map((step) => new Set(step).size)).toEqual([4, 4, 4]);
  });

  test("on strings without noise, where it can only be what came out", () => {
    const certain = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0 });
    const actions = checkDraws(certain, [2, 0, 3], (action) => action);
    expect(actions.map((step) => [...new Set(step)])).toEqual([[2], [0], [3]]);
  });

  test("under noise that confuses one letter only, from what it can have confused", () => {
    const actions = checkDraws(slippingStrings(3, 0.2), [1, 0, 1], (action) => action);
    expect(actions.map((step) => new Set(step).size)).toEqual([1, 2, 1]);
  });

  test("on a grid, from the moves that were legal in the cell before", () => {
    const grid = hypergridEnvironment({ dimensions: 3, side: 3, stick: 0.25 });
    // After two moves along the first axis it is at its end, and cannot have been intended any more.
    const actions = checkDraws(grid, [0, 0, 1, 2, 1, 2], (action, moved) => 3 * moved + action);
    expect(actions.slice(0, 6).map((step) => [...new Set(step)].sort())).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
      [2],
    ]);
  });
});

describe("what is known stays:", () => {
  test("intentions of episodes that were played", () => {
    const strings = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0.25 });
    const { actions, classes } = thought(strings, [2, 0, 3], [1, UNKNOWN, 3]);
    expect(new Set(actions[0])).toEqual(new Set([1]));
    expect(new Set(actions[1]).size).toBe(4);
    expect(new Set(actions[2])).toEqual(new Set([3]));
    expect(classes).toEqual(actions);
  });

  test("stops, and that nothing happens after the end", () => {
    const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
    const { actions, classes } = thought(stopping, [1], []);
    expect(new Set(actions[0])).toEqual(new Set([0, 1]));
    for (const step of actions.slice(1)) expect(new Set(step)).toEqual(new Set([2]));
    for (const step of classes.slice(1)) expect(new Set(step)).toEqual(new Set([-1]));
  });
});
