// An enumeration that does not match its environment is reported in one sentence. The rest of the contract is tested in
// check-environment.test.ts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "../../../test/support/custom-kernels.ts";
import {
  certain,
  grid,
  rejects,
  stopping,
  strings,
  stringsEnumeration,
  withoutEnumeration,
} from "../../../test/support/rejected-environments.ts";
import { checkEnvironment } from "./check-environment.ts";
import { type Enumeration, enumerationFrom, terminalTarget } from "./enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import { hypergridEnvironment } from "./hypergrid.ts";
import { sequenceEnvironment } from "./sequence.ts";

describe("an enumeration that does not match the environment is reported:", () => {
  const withEnumeration = (environment: EnumerableEnvironment, change: object) => ({
    ...environment,
    enumerate: () => ({ ...environment.enumerate(), ...change }),
  });
  const noisier = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.5 });
  const cells = grid.enumerate();
  rejects([
    ["enumerate has 12 states, but the environment has 13", withEnumeration(strings, { states: 12 })],
    ["enumerate has 13 states, but the environment has 14", { ...strings, states: 14 }],
    ["enumerate has 4 actions, but the environment has 3", withEnumeration(strings, { actions: 4 })],
    ["enumerate has 2 outcomes, but the environment has 3", withEnumeration(strings, { outcomes: 2 })],
    [
      "enumerate must have a positive whole number of terminals, got 0",
      withEnumeration(strings, { terminals: 0 }),
    ],
    [
      "enumerate must have 40 offsets, got 39",
      withEnumeration(strings, { offsets: stringsEnumeration.offsets.slice(1) }),
    ],
    [
      "enumerate must have 117 targets, one per transition, got 116",
      withEnumeration(strings, { targets: stringsEnumeration.targets.slice(1) }),
    ],
    [
      "enumerate has outcome 3, but outcomes are 0 to 2",
      withEnumeration(strings, { outcome: stringsEnumeration.outcome.map((c, i) => (i === 5 ? 3 : c)) }),
    ],
    [
      "state 0, action 0: probabilities sum to 1.5, not 1",
      withEnumeration(strings, { probabilities: stringsEnumeration.probabilities.map((p) => 1.5 * p) }),
    ],
    ["tree is true, but state 5 can be reached from states 1 and 4", { ...grid, tree: true }],
    [
      "allowed forbids action 2 in state 0 at step 0, but enumerate has it",
      {
        ...strings,
        allowed: () => np.array(Int32Array.of(1, 1, 0), { shape: [1, 3], dtype: np.bool }),
      },
    ],
    [
      "outcome 2 is not legal in state 0 at step 0, but enumerate has it; permit it by outcomeAllowed",
      {
        ...strings,
        outcomeAllowed: () => np.array(Int32Array.of(1, 1, 0), { shape: [1, 3], dtype: np.bool }),
      },
    ],
    [
      "allowed permits action 1 in state 12 at step 3, but enumerate does not have it",
      { ...grid, allowed: () => np.ones([1, 3], { dtype: np.bool }) },
    ],
    [
      "enumerate does not have action",
      { ...noisier, enumerate: () => hypergridEnvironment({ dimensions: 2, side: 4, stick: 0 }).enumerate() },
    ],
    [
      "start must return state 0, got 1",
      {
        ...strings,
        start: (batch: number) => ({
          ...strings.start(batch),
          index: np.ones([batch], { dtype: np.int32 }),
        }),
      },
    ],
    [
      "advance leads to state",
      {
        ...stopping,
        advance: (...args: Parameters<Environment["advance"]>) => {
          const after = stopping.advance(...args);
          return { ...after, index: np.add(after.index, after.running.astype(np.int32)) };
        },
      },
    ],
    [
      "advance ends at action",
      {
        ...strings,
        advance: (...args: Parameters<Environment["advance"]>) => {
          const after = strings.advance(...args);
          return { ...after, running: np.multiply(after.running, 0) };
        },
      },
    ],
    [
      "advance continues after action",
      {
        ...strings,
        advance: (...args: Parameters<Environment["advance"]>) => ({
          ...strings.advance(...args),
          running: args[0].running,
        }),
      },
    ],
    ["terminalIndex is", { ...strings, terminalIndex: ({ index }: State) => index }],
    [
      "featuresOf must return 9 features per state, got",
      { ...strings, featuresOf: () => new Float32Array(5) },
    ],
    [
      "featuresOf returns 0 as feature",
      { ...strings, featuresOf: (indices: number[]) => new Float32Array(9 * indices.length) },
    ],
    [
      "sampleTrajectoryTo(0) leads to terminal 26 and not to terminal 0",
      { ...strings, sampleTrajectoryTo: () => [2, 2, 2] },
    ],
    [
      "sampleTrajectoryTo(0) leads to state 0 and not to terminal 0",
      { ...strings, sampleTrajectoryTo: () => [] },
    ],
    [
      "sampleTrajectoryTo(15) does not lead to terminal 15: step 3 is not possible in state 3",
      { ...grid, sampleTrajectoryTo: (terminal: number) => (terminal === 15 ? [0, 0, 0, 0] : []) },
    ],
    [
      "sampleTrajectoryTo(0) must return outcomes from 0 to 2, got 7",
      { ...strings, sampleTrajectoryTo: () => [7, 0, 0] },
    ],
    [
      "sampleTrajectoryTo(0) throws: no trajectory",
      {
        ...strings,
        sampleTrajectoryTo: () => {
          throw new Error("no trajectory");
        },
      },
    ],
    [
      'trajectoryOf("0") leads to terminal',
      {
        ...grid,
        // All objects have the same text, which identifies only one of them.
        describe: () => "0",
        trajectoryOf: () => [1],
      },
    ],
  ]);

  test("and a state without transitions", () => {
    const offsets = cells.offsets.map((offset) => Math.min(offset, cells.offsets[45]));
    const count = offsets[48];
    const { targets, outcome, probabilities } = cells;
    const change = {
      offsets,
      targets: targets.slice(0, count),
      outcome: outcome.slice(0, count),
      probabilities: probabilities.slice(0, count),
    };
    expect(() => checkEnvironment(withEnumeration(grid, change) as Environment)).toThrow(
      "a grid of 4 × 4: state 15 allows no action and is not terminal",
    );
  });
});

describe("backward functions that do not match the enumeration are reported:", () => {
  const boolRow = (...mask: number[]) =>
    np.array(Int32Array.from(mask), { shape: [1, mask.length], dtype: np.bool });
  const still = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0 });
  const noisy = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
  const short = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
  const pairs = (outcome: np.Array) => np.repeat(outcome, 2, 1);
  /** An environment with two outcomes that lead to the same object. */
  const merging: EnumerableEnvironment = {
    ...sequenceEnvironment({ alphabet: "Aa", length: 1, stick: 0.5 }),
    kind: undefined,
    tree: false,
    features: 2,
    terminalIndex: ({ running }) => np.zeros(running.shape, { dtype: np.int32 }),
    advance: (state, _t, _action, outcome) => ({
      index: np.ones(state.index.shape, { dtype: np.int32 }),
      features: np.multiply(outcome, 0),
      running: np.zeros(state.running.shape),
    }),
    describe: () => "A",
    trajectoryOf: () => [0],
    sampleTrajectoryTo: () => [0],
    featuresOf: (indices) => new Float32Array(2 * indices.length),
    enumerate: (): Enumeration =>
      enumerationFrom({ states: 1, terminals: 1, actions: 2, outcomes: 2 }, (_, action) =>
        [0, 1].map((outcome) => ({
          target: terminalTarget(0),
          outcome,
          probability: outcome === action ? 0.75 : 0.25,
        })),
      ),
  };
  rejects([
    [
      "sameParent is null, but state 5 can be reached from states 1 and 4",
      { ...grid, sameParent: () => null },
    ],
    [
      "sameParent includes backward action 0 for outcome 1 from state",
      { ...grid, sameParent: (_: State, outcome: np.Array) => np.ones([outcome.shape[0], 4]) },
    ],
    [
      "sameParent omits backward action",
      // Only the action that equals the outcome, and not all actions that can have it.
      {
        ...grid,
        sameParent: (_: State, outcome: np.Array) =>
          np.multiply(pairs(outcome), np.array([1, 0, 0, 1], { dtype: np.float32 })),
      },
    ],
    [
      "tree is true, so sameParent must be null: every state has a single parent",
      { ...strings, sameParent: (_: State, outcome: np.Array) => np.ones(outcome.shape) },
    ],
    [
      "stick is 0, but backwardAllowed permits backward action",
      { ...still, backwardAllowed: noisy.backwardAllowed },
    ],
    [
      "stick is 0, but backwardAllowed permits backward action",
      { ...withoutEnumeration(certain), backwardAllowed: () => boolRow(1, 1, 1) },
    ],
    [
      "backwardAllowed permits backward action 2 into state",
      { ...windyGrid(4, 0.3), backwardAllowed: noisy.backwardAllowed },
    ],
    [
      "backwardAllowed forbids backward action",
      // Correct without noise.
      {
        ...short,
        backwardAllowed: sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 }).backwardAllowed,
      },
    ],
    [
      "backwardAction returns 0 for both action 0 in state 0 and action 1 in state 0, which lead to",
      {
        ...short,
        backwardAction: (_: State, action: np.Array) =>
          np.concatenate([np.sum(action, 1, { keepdims: true }), np.zeros([action.shape[0], 1])], 1),
        backwardAllowed: () => boolRow(1, 0),
      },
    ],
    [
      "tree is true, but terminal 0 can be reached from state 0 by outcomes 0 and 1",
      { ...merging, tree: true },
    ],
    ["sameParent is null, but terminal 0 can be reached from state 0 by outcomes 0 and 1", merging],
  ]);

  test("and two outcomes that lead to the same object pass if they have different backward actions", () => {
    const distinct = {
      ...merging,
      backwardActions: 4,
      backwardAllowed: () => boolRow(1, 1, 1, 1),
      backwardAction: (_: State, action: np.Array, outcome: np.Array) =>
        np.multiply(pairs(outcome), np.tile(action, [1, 2])),
      sameParent: (_: State, outcome: np.Array) => pairs(outcome),
    };
    expect(() => checkEnvironment(distinct)).not.toThrow();
  });
});

describe("noise that does not match the enumeration is reported:", () => {
  const gridAt = (stick: number) => hypergridEnvironment({ dimensions: 2, side: 4, stick });
  const stringsAt = (stick: number) => sequenceEnvironment({ alphabet: "ACGT", length: 4, stick });
  const slipping = slippingStrings(3, 0.2);
  rejects([
    [
      "sampleOutcome returns outcome 0 for action 0 in state 0 at step 0",
      { ...grid, sampleOutcome: gridAt(0.9).sampleOutcome },
    ],
    ["sampleOutcome returns outcome", { ...stringsAt(0.25), sampleOutcome: stringsAt(0.9).sampleOutcome }],
    [
      "sampleOutcome leaves actions unchanged",
      { ...stringsAt(0.25), sampleOutcome: stringsAt(0.4).sampleOutcome },
    ],
    ["sampleOutcome returns outcome", { ...slipping, sampleOutcome: slippingStrings(3, 0.6).sampleOutcome }],
    ["stick is 0.6, but the kernel of enumerate is stick noise of level 0.25", { ...grid, stick: 0.6 }],
    ["stick is 0.1, but the kernel of enumerate is stick noise of level 0.25", { ...strings, stick: 0.1 }],
    ["stick is 0.5, but in enumerate the outcome always equals the action", { ...certain, stick: 0.5 }],
    ["stick is 0, but", { ...slipping, stick: 0 }],
    [
      "stick is 0, but enumerate has outcome 1 for action 0 in state 0",
      // Only the enumeration has noise.
      { ...stringsAt(0), enumerate: stringsAt(0.25).enumerate, stick: 0 },
    ],
  ]);
});

describe("invalid indices of terminals are reported:", () => {
  const side = 4;
  const last = side ** 2 - 1;
  const cells = grid.enumerate();
  const isStop = (i: number) => cells.outcome[i] < 0;
  const withTargets = (change: (target: number, i: number) => number) => ({
    ...grid,
    enumerate: () => ({ ...cells, targets: cells.targets.map(change) }),
  });
  rejects([
    [
      "enumerate leads to terminal 15 by a stop in state 0, but it must be terminal 0",
      {
        ...withTargets((target, i) => (isStop(i) ? terminalTarget(last - (-1 - target)) : target)),
        terminalIndex: ({ index }: State) => np.subtract(np.array(last, { dtype: np.int32 }), index),
        sampleTrajectoryTo: (end: number, stream: Parameters<typeof grid.sampleTrajectoryTo>[1]) =>
          grid.sampleTrajectoryTo(last - end, stream),
      },
    ],
    [
      "enumerate has outcome 0 for a stop in state 0, but it must be -1",
      { ...grid, enumerate: () => ({ ...cells, outcome: cells.outcome.map((c) => Math.max(c, 0)) }) },
    ],
    [
      "enumerate ends at action 1 in state 11, but only a stop ends a trajectory",
      withTargets((target, i) => (i === cells.targets.indexOf(last) ? terminalTarget(last) : target)),
    ],
    [
      "enumerate has outcome -1 for action 0 in state 0, but only a stop has no outcome",
      {
        ...strings,
        enumerate: () => ({
          ...stringsEnumeration,
          outcome: stringsEnumeration.outcome.map((c, i) => (i === 0 ? -1 : c)),
        }),
      },
    ],
    [
      "advance returns index 20 for the object in which action 0 with outcome 2 in state 10 at step 2 ends, but it must be 33",
      {
        ...strings,
        // Indices of terminals that do not come after those of the states.
        advance: (...args: Parameters<Environment["advance"]>) => {
          const after = strings.advance(...args);
          const ends = np.multiply(np.subtract(1, after.running), 13).astype(np.int32);
          return { ...after, index: np.subtract(after.index, ends) };
        },
        terminalIndex: ({ index }: State) => index,
      },
    ],
  ]);
});
