// Lists of states that do not go with their environment are named in one sentence. The rest of the contract:
// check-environment.test.ts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "../../test/support/own-kernel.ts";
import {
  certain,
  grid,
  listed,
  refuses,
  stopping,
  strings,
  unlisted,
} from "../../test/support/refused-environments.ts";
import { checkEnvironment } from "./check-environment.ts";
import { type Enumeration, enumeration, terminal } from "./enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";

describe("lists that do not go with the environment are named:", () => {
  const listing = (environment: EnumerableEnvironment, change: object) => ({
    ...environment,
    enumerate: () => ({ ...environment.enumerate(), ...change }),
  });
  const stuck = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.5 });
  const cells = grid.enumerate();
  refuses([
    ["enumerate lists 12 states, but the environment says 13", listing(strings, { states: 12 })],
    ["enumerate lists 13 states, but the environment says 14", { ...strings, states: 14 }],
    ["enumerate lists 4 actions, but the environment says 3", listing(strings, { actions: 4 })],
    ["enumerate lists 2 outcomes, but the environment says 3", listing(strings, { outcomes: 2 })],
    ["enumerate must list a positive whole number of terminals, got 0", listing(strings, { terminals: 0 })],
    ["enumerate must give 40 offsets, got 39", listing(strings, { offsets: listed.offsets.slice(1) })],
    [
      "enumerate must give 117 targets, one per transition, got 116",
      listing(strings, { targets: listed.targets.slice(1) }),
    ],
    [
      "enumerate lists outcome 3, and outcomes are 0 to 2",
      listing(strings, { outcome: listed.outcome.map((c, i) => (i === 5 ? 3 : c)) }),
    ],
    [
      "state 0, action 0: probabilities sum to 1.5, not 1",
      listing(strings, { probabilities: listed.probabilities.map((p) => 1.5 * p) }),
    ],
    ["tree is true, but state 5 can be reached from states 1 and 4", { ...grid, tree: true }],
    [
      "allowed forbids action 2 in state 0 at step 0, and enumerate has it",
      {
        ...strings,
        allowed: () => np.array(Int32Array.of(1, 1, 0), { shape: [1, 3], dtype: np.bool }),
      },
    ],
    [
      "allowed permits action 1 in state 12 at step 3, and enumerate does not have it",
      { ...grid, allowed: () => np.ones([1, 3], { dtype: np.bool }) },
    ],
    [
      "enumerate does not have action",
      { ...stuck, enumerate: () => hypergridEnvironment({ dimensions: 2, side: 4, stick: 0 }).enumerate() },
    ],
    [
      "start must give state 0, got 1",
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
      "advance goes on after action",
      {
        ...strings,
        advance: (...args: Parameters<Environment["advance"]>) => ({
          ...strings.advance(...args),
          running: args[0].running,
        }),
      },
    ],
    ["terminalIndex is", { ...strings, terminalIndex: ({ index }: State) => index }],
    ["featuresOf must give 9 features per state, got", { ...strings, featuresOf: () => new Float32Array(5) }],
    [
      "featuresOf gives 0 as feature",
      { ...strings, featuresOf: (indices: number[]) => new Float32Array(9 * indices.length) },
    ],
    ["wayTo(0) leads to terminal 26 and not to terminal 0", { ...strings, wayTo: () => [2, 2, 2] }],
    ["wayTo(0) leads to state 0 and not to terminal 0", { ...strings, wayTo: () => [] }],
    [
      "wayTo(15) does not lead to terminal 15: step 3 is not possible in state 3",
      { ...grid, wayTo: (terminal: number) => (terminal === 15 ? [0, 0, 0, 0] : []) },
    ],
    ["wayTo(0) must give outcomes from 0 to 2, got 7", { ...strings, wayTo: () => [7, 0, 0] }],
    [
      "wayTo(0) throws: no way",
      {
        ...strings,
        wayTo: () => {
          throw new Error("no way");
        },
      },
    ],
    [
      'wayOf("0") leads to terminal',
      {
        ...grid,
        // All objects are written alike, so that a text finds but one.
        describe: () => "0",
        wayOf: () => [1],
      },
    ],
  ]);

  test("and a state that leads nowhere", () => {
    const offsets = cells.offsets.map((offset) => Math.min(offset, cells.offsets[45]));
    const count = offsets[48];
    const { targets, outcome, probabilities } = cells;
    const change = {
      offsets,
      targets: targets.slice(0, count),
      outcome: outcome.slice(0, count),
      probabilities: probabilities.slice(0, count),
    };
    expect(() => checkEnvironment(listing(grid, change) as Environment)).toThrow(
      "a grid of 4 × 4: state 15 allows no action and is not terminal",
    );
  });
});

describe("a way back that does not go with the list is named:", () => {
  const bools = (...mask: number[]) =>
    np.array(Int32Array.from(mask), { shape: [1, mask.length], dtype: np.bool });
  const still = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0 });
  const noisy = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
  const short = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });
  const pairs = (outcome: np.Array) => np.repeat(outcome, 2, 1);
  /** Two outcomes that write the same letter: "A" and "a". */
  const alike: EnumerableEnvironment = {
    ...sequenceEnvironment({ alphabet: "Aa", length: 1, stick: 0.5 }),
    tree: false,
    features: 2,
    terminalIndex: ({ running }) => np.zeros(running.shape, { dtype: np.int32 }),
    advance: (state, _t, _action, outcome) => ({
      index: np.ones(state.index.shape, { dtype: np.int32 }),
      features: np.multiply(outcome, 0),
      running: np.zeros(state.running.shape),
    }),
    describe: () => "A",
    wayOf: () => [0],
    wayTo: () => [0],
    featuresOf: (indices) => new Float32Array(2 * indices.length),
    enumerate: (): Enumeration =>
      enumeration({ states: 1, terminals: 1, actions: 2, outcomes: 2 }, (_, action) =>
        [0, 1].map((outcome) => ({
          target: terminal(0),
          outcome,
          probability: outcome === action ? 0.75 : 0.25,
        })),
      ),
  };
  refuses([
    [
      "sameParent is null, but state 5 can be reached from states 1 and 4",
      { ...grid, sameParent: () => null },
    ],
    [
      "sameParent has class 0 for outcome 1 from state",
      { ...grid, sameParent: (outcome: np.Array) => np.ones([outcome.shape[0], 4]) },
    ],
    [
      "sameParent leaves out class",
      // Only what came out, not all that may have been intended.
      {
        ...grid,
        sameParent: (outcome: np.Array) =>
          np.multiply(pairs(outcome), np.array([1, 0, 0, 1], { dtype: np.float32 })),
      },
    ],
    [
      "tree is true, so sameParent must be null: there is one parent",
      { ...strings, sameParent: (outcome: np.Array) => np.ones(outcome.shape) },
    ],
    ["stick is 0, but backwardAllowed permits class", { ...still, backwardAllowed: noisy.backwardAllowed }],
    [
      "stick is 0, but backwardAllowed permits class",
      { ...unlisted(certain), backwardAllowed: () => bools(1, 1, 1) },
    ],
    [
      "backwardAllowed permits class 2 into state",
      { ...windyGrid(4, 0.3), backwardAllowed: noisy.backwardAllowed },
    ],
    [
      "backwardAllowed forbids class",
      // Right without noise, but there is some.
      {
        ...short,
        backwardAllowed: sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0 }).backwardAllowed,
      },
    ],
    [
      "backwardClass gives action 0 in state 0 and action 1 in state 0, which both lead to",
      {
        ...short,
        backwardClass: (action: np.Array) =>
          np.concatenate([np.sum(action, 1, { keepdims: true }), np.zeros([action.shape[0], 1])], 1),
        backwardAllowed: () => bools(1, 0),
      },
    ],
    [
      "tree is true, but terminal 0 can be reached from state 0 by outcomes 0 and 1",
      { ...alike, tree: true },
    ],
    ["sameParent is null, but terminal 0 can be reached from state 0 by outcomes 0 and 1", alike],
  ]);

  test("while two outcomes that lead to the same place pass if they count as two parents", () => {
    const apart = {
      ...alike,
      backwardClasses: 4,
      backwardAllowed: () => bools(1, 1, 1, 1),
      backwardClass: (action: np.Array, outcome: np.Array) =>
        np.multiply(pairs(outcome), np.tile(action, [1, 2])),
      sameParent: pairs,
    };
    expect(() => checkEnvironment(apart)).not.toThrow();
  });
});

describe("noise that does not go with the list is named:", () => {
  const gridAt = (stick: number) => hypergridEnvironment({ dimensions: 2, side: 4, stick });
  const stringsAt = (stick: number) => sequenceEnvironment({ alphabet: "ACGT", length: 4, stick });
  const slipping = slippingStrings(3, 0.2);
  refuses([
    ["realise makes outcome 0 of action 0 in state 0 at step 0", { ...grid, realise: gridAt(0.9).realise }],
    ["realise makes outcome", { ...stringsAt(0.25), realise: stringsAt(0.9).realise }],
    ["realise makes of actions what was intended", { ...stringsAt(0.25), realise: stringsAt(0.4).realise }],
    ["realise makes outcome", { ...slipping, realise: slippingStrings(3, 0.6).realise }],
    ["stick is 0.6, but what enumerate lists is stick noise of 0.25", { ...grid, stick: 0.6 }],
    ["stick is 0.1, but what enumerate lists is stick noise of 0.25", { ...strings, stick: 0.1 }],
    ["stick is 0.5, but by enumerate every intention comes true", { ...certain, stick: 0.5 }],
    ["stick is 0, but", { ...slipping, stick: 0 }],
    [
      "stick is 0, but enumerate has outcome 1 of action 0 in state 0",
      // Only the list knows of noise.
      { ...stringsAt(0), enumerate: stringsAt(0.25).enumerate, stick: 0 },
    ],
  ]);
});

describe("ends that are numbered in another way are named:", () => {
  const side = 4;
  const last = side ** 2 - 1;
  const cells = grid.enumerate();
  const stops = (i: number) => cells.outcome[i] < 0;
  const targets = (change: (target: number, i: number) => number) => ({
    ...grid,
    enumerate: () => ({ ...cells, targets: cells.targets.map(change) }),
  });
  refuses([
    [
      "enumerate leads to terminal 15 by a stop in state 0, and it must be terminal 0",
      {
        ...targets((target, i) => (stops(i) ? terminal(last - (-1 - target)) : target)),
        terminalIndex: ({ index }: State) => np.subtract(np.array(last, { dtype: np.int32 }), index),
        wayTo: (end: number, stream: Parameters<typeof grid.wayTo>[1]) => grid.wayTo(last - end, stream),
      },
    ],
    [
      "enumerate lists outcome 0 of a stop in state 0, and it must be -1",
      { ...grid, enumerate: () => ({ ...cells, outcome: cells.outcome.map((c) => Math.max(c, 0)) }) },
    ],
    [
      "enumerate ends at action 1 in state 11, and only a stop ends an episode",
      targets((target, i) => (i === cells.targets.indexOf(last) ? terminal(last) : target)),
    ],
    [
      "enumerate lists outcome -1 of action 0 in state 0, and only a stop has none",
      {
        ...strings,
        enumerate: () => ({ ...listed, outcome: listed.outcome.map((c, i) => (i === 0 ? -1 : c)) }),
      },
    ],
    [
      "advance gives index 20 to the object that action 0 with outcome 2 in state 10 at step 2 ends in, and it must be 33",
      {
        ...strings,
        // Objects by their number, and not after the states.
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
