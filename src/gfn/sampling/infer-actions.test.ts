// Unknown actions are sampled from the backward policy, and known actions stay.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { slippingStrings } from "../../../test/support/custom-kernels.ts";
import { rowsOf } from "../../../test/support/environment-walk.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { randomPlainEnvironment } from "../../../test/support/random-plain-environment.ts";
import { nodeAfter, stepsOf } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { flattenTrajectories } from "./batch.ts";
import { withInferredActions } from "./infer-actions.ts";
import { followTrajectories, uniformsPerStep } from "./rollout.ts";

const B = 1000;
const UNKNOWN = -1;

interface Inferred {
  /** Actions by step and trajectory, [T][B]; −1 if there is none. */
  readonly actions: number[][];
  /** Backward action of each step, [T][B]; −1 if there is none. */
  readonly backwardActions: number[][];
  /** Logits of the backward policy in the state after each step, [T][backwardActions]. */
  readonly logits: number[][];
}

/** Infers the unknown actions of B trajectories with the same outcomes, with a backward policy of random logits. */
function infer(environment: EnumerableEnvironment, trajectory: number[], known: number[]): Inferred {
  const { actions: A, backwardActions: K, maxSteps: T, hasStop } = environment;
  const stream = RandomStream.fromSeed(6);
  const perStep = (indices: readonly number[]) =>
    Array.from({ length: T }, (_, t) => new Array<number>(B).fill(indices[t] ?? UNKNOWN)).flat();
  const knownActions = Array.from({ length: T }, (_, t) => {
    if (t >= trajectory.length) return hasStop ? A - 1 : UNKNOWN;
    return known[t] ?? UNKNOWN;
  });
  const logits = Array.from({ length: T + 1 }, () => Array.from({ length: K }, () => 1.5 * stream.normal()));
  const width = uniformsPerStep(environment);
  const results = evaluate(
    ({ actions, outcomes, backward, uniform }) => {
      const batch = flattenTrajectories(environment, followTrajectories(environment, { actions, outcomes }));
      const inferred = withInferredActions(environment, batch, backward, uniform);
      return { inferredActions: inferred.actions, backwardAction: inferred.backwardAction };
    },
    {
      actions: { shape: [T, B], dtype: "int32", data: perStep(knownActions) },
      outcomes: { shape: [T, B], dtype: "int32", data: perStep(trajectory) },
      backward: {
        shape: [(T + 1) * B, K],
        data: logits.flatMap((row) => Array.from({ length: B }, () => row).flat()),
      },
      uniform: { shape: [T * B, width], data: stream.fillUniform(new Float32Array(T * B * width)) },
    },
    "float32",
  );
  const indices = (oneHot: Float64Array) => {
    const rows = rowsOf(oneHot, T * B).map((row) => {
      expect(row.filter((x) => x !== 0).length).toBeLessThanOrEqual(1);
      return row.indexOf(1);
    });
    return Array.from({ length: T }, (_, t) => rows.slice(t * B, (t + 1) * B));
  };
  return {
    actions: indices(results.inferredActions),
    backwardActions: indices(results.backwardAction),
    logits: logits.slice(1),
  };
}

/** The actions that can have each outcome, with their probabilities under the backward policy. */
function expected(
  environment: EnumerableEnvironment,
  trajectory: readonly number[],
  backwardActionOf: (action: number, outcome: number) => number,
  logits: readonly number[][],
) {
  const enumeration = environment.enumerate();
  const steps = [...stepsOf(enumeration)];
  let state = 0;
  return trajectory.map((outcome, t) => {
    const possible = steps.filter((step) => step.state === state && step.outcome === outcome);
    state = nodeAfter(enumeration, possible[0]);
    const weights = possible.map(({ action }) => Math.exp(logits[t][backwardActionOf(action, outcome)]));
    const sum = weights.reduce((a, b) => a + b, 0);
    return new Map(possible.map(({ action }, i) => [action, weights[i] / sum]));
  });
}

function checkSamples(
  environment: EnumerableEnvironment,
  trajectory: number[],
  backwardActionOf: (a: number, c: number) => number,
) {
  const { actions, backwardActions, logits } = infer(environment, trajectory, []);
  expected(environment, trajectory, backwardActionOf, logits).forEach((probabilities, t) => {
    const possible = [...probabilities.keys()];
    // Impossible actions are never sampled.
    for (const action of new Set(actions[t])) expect(possible).toContain(action);
    const counts = possible.map((action) => actions[t].filter((a) => a === action).length);
    const shares = [...probabilities.values()];
    expect(chiSquare(counts, shares)).toBeLessThan(chiSquareLimit(shares));
    expect(backwardActions[t]).toEqual(actions[t].map((action) => backwardActionOf(action, trajectory[t])));
  });
  return actions;
}

describe("unknown actions are sampled from the backward policy", () => {
  test("in sequences, among all letters", () => {
    const strings = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0.25 });
    const actions = checkSamples(strings, [2, 0, 3], (action) => action);
    expect(actions.map((step) => new Set(step).size)).toEqual([4, 4, 4]);
  });

  test("in sequences without noise, where the action equals the outcome", () => {
    const certain = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0 });
    const actions = checkSamples(certain, [2, 0, 3], (action) => action);
    expect(actions.map((step) => [...new Set(step)])).toEqual([[2], [0], [3]]);
  });

  test("under noise that replaces a single letter, among the possible actions", () => {
    const actions = checkSamples(slippingStrings(3, 0.2), [1, 0, 1], (action) => action);
    expect(actions.map((step) => new Set(step).size)).toEqual([1, 2, 1]);
  });

  test("on a grid, among the moves that are legal in the parent", () => {
    const grid = hypergridEnvironment({ dimensions: 3, side: 3, stick: 0.25 });
    // After two moves along the first axis it is at its end, and a move along it is illegal.
    const actions = checkSamples(grid, [0, 0, 1, 2, 1, 2], (action, moved) => 3 * moved + action);
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

test("an action that cannot have the outcome is never inferred, whatever the backward policy of other states", () => {
  const world = randomPlainEnvironment({ seed: 2, noise: true });
  const steps = [...stepsOf(world.enumerate())];
  const stream = RandomStream.fromSeed(3);
  for (let terminal = 0; terminal < world.objects.length; terminal++) {
    const trajectory = world.sampleTrajectoryTo(terminal, stream);
    const { actions } = infer(world, trajectory, []);
    let state = 0;
    trajectory.forEach((outcome, t) => {
      const possible = steps.filter((step) => step.state === state && step.outcome === outcome);
      expect(possible.length).toBeLessThan(world.actions);
      expect([...new Set(actions[t])].sort()).toEqual(possible.map(({ action }) => action));
      state = possible[0].target;
    });
  }
});

describe("known actions stay:", () => {
  test("actions of stored trajectories", () => {
    const strings = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0.25 });
    const { actions, backwardActions } = infer(strings, [2, 0, 3], [1, UNKNOWN, 3]);
    expect(new Set(actions[0])).toEqual(new Set([1]));
    expect(new Set(actions[1]).size).toBe(4);
    expect(new Set(actions[2])).toEqual(new Set([3]));
    expect(backwardActions).toEqual(actions);
  });

  test("stops, and steps after the end", () => {
    const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
    const { actions, backwardActions } = infer(stopping, [1], []);
    expect(new Set(actions[0])).toEqual(new Set([0, 1]));
    for (const step of actions.slice(1)) expect(new Set(step)).toEqual(new Set([2]));
    for (const step of backwardActions.slice(1)) expect(new Set(step)).toEqual(new Set([-1]));
  });
});
