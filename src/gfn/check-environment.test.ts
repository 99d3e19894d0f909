// Environments that keep the contract pass; each way to break it is named in one sentence.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "../../test/support/own-kernel.ts";
import { checkEnvironment } from "./check-environment.ts";
import { type Enumeration, enumeration, terminal } from "./enumeration.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./environments/sequence.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 });
const certain = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
const stopping = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 });
const long = longSequenceEnvironment({ alphabet: "ACGT", length: 30, stick: 0.25, variable: true });
const listed = strings.enumerate();

describe("environments that keep the contract pass:", () => {
  const amino = "ACDEFGHIKLMNPQRSTVWY";
  test.each<Environment>(
    [0, 0.25].flatMap((stick) => [
      sequenceEnvironment({ alphabet: "ACGT", length: 8, stick }),
      sequenceEnvironment({ alphabet: "A", length: 1, stick }),
      sequenceEnvironment({ alphabet: "ABC", length: 1, stick }),
      sequenceEnvironment({ alphabet: "AB", length: 5, stick, variable: true }),
      sequenceEnvironment({ alphabet: "A", length: 2, stick, variable: true }),
      longSequenceEnvironment({ alphabet: amino, length: 40, stick }),
      longSequenceEnvironment({ alphabet: amino, length: 40, stick, variable: true }),
      hypergridEnvironment({ dimensions: 2, side: 8, stick }),
      hypergridEnvironment({ dimensions: 4, side: 3, stick }),
      hypergridEnvironment({ dimensions: 1, side: 2, stick }),
    ]),
  )("$name at stick $stick", (environment) => {
    expect(() => checkEnvironment(environment)).not.toThrow();
  });

  test.each<Environment>([
    windyGrid(4, 0.3),
    windyGrid(4, 0.9),
    slippingStrings(3, 0.2),
    // Such noise has no level, so that this number means what its author wants it to mean.
    { ...slippingStrings(3, 0.2), stick: 0.9 },
  ])("$name, whose noise is its own, at stick $stick", (environment) => {
    expect(() => checkEnvironment(environment)).not.toThrow();
  });

  test("and impossible transitions that are listed with probability 0", () => {
    const { stick, ...rest } = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
    const all = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.5 }).enumerate();
    const probabilities = all.probabilities.map((p, i) => (p > 0.5 || all.outcome[i] < 0 ? 1 : 0));
    const enumerate = () => ({ ...all, probabilities });
    expect(() => checkEnvironment({ ...rest, stick, enumerate } as Environment)).not.toThrow();
  });
});

test("a list made before is taken, and is what counts", () => {
  const enumerate = () => {
    throw new Error("listed twice");
  };
  expect(() => checkEnvironment({ ...strings, enumerate } as Environment, listed)).not.toThrow();
  expect(() => checkEnvironment(strings, stopping.enumerate())).toThrow("enumerate lists 15 states");
});

/** The environment without its list of states. */
function unlisted({ enumerate: _, ...rest }: EnumerableEnvironment): Environment {
  return rest;
}

/** Every test names what is broken; `broken` is a good environment with one member replaced. */
function refuses(cases: readonly (readonly [message: string, broken: object])[]): void {
  test.each(cases)("%s", (message, broken) => {
    const { name } = broken as Environment;
    const check = () => checkEnvironment(broken as Environment);
    expect(check).toThrow(RangeError);
    expect(check).toThrow(`${name}: ${message}`);
  });
}

describe("sizes that cannot be are named:", () => {
  refuses([
    ["actions must be a positive whole number, got 2.5", { ...strings, actions: 2.5 }],
    ["outcomes must be a positive whole number, got 0", { ...strings, outcomes: 0 }],
    ["maxSteps must be a positive whole number, got -1", { ...strings, maxSteps: -1 }],
    ["states must be a positive whole number, got NaN", { ...strings, states: Number.NaN }],
    ["features must be a positive whole number, got undefined", { ...strings, features: undefined }],
    ["featureBlock must be a positive whole number, got 0", { ...strings, featureBlock: 0 }],
    ["backwardClasses must be a positive whole number, got 0", { ...strings, backwardClasses: 0 }],
    ["featureBlock must divide features, got 4 and 9", { ...strings, featureBlock: 4 }],
    ["there are 4 outcomes and only 3 actions", { ...strings, outcomes: 4 }],
    ["stops is true, so actions must be outcomes + 1 = 4, got 3", { ...strings, stops: true }],
    ["stops is false, so actions must be as many as outcomes, 2, got 3", { ...stopping, stops: false }],
    ["stops must be true or false, got undefined", { ...strings, stops: undefined }],
    ["stick must be in [0, 1), got 1", { ...strings, stick: 1 }],
    ["stick must be in [0, 1), got NaN", { ...strings, stick: Number.NaN }],
    ["describe must be a function, got undefined", { ...strings, describe: undefined }],
    ["featuresOf must be a function, got undefined", { ...strings, featuresOf: undefined }],
  ]);

  test("and a name that is missing", () => {
    expect(() => checkEnvironment({ ...strings, name: "" })).toThrow(
      'an environment must have a name, got ""',
    );
  });
});

describe("arrays of the wrong form are named:", () => {
  /** The start with one part replaced. */
  const starting = (part: (batch: number) => object) => ({
    ...strings,
    start: (batch: number) => ({ ...strings.start(batch), ...part(batch) }),
  });
  /** Steps with one part of what they lead to replaced. */
  const advancing = (part: (state: State) => object) => ({
    ...strings,
    advance: (...args: Parameters<Environment["advance"]>) => {
      const after = strings.advance(...args);
      return { ...after, ...part(after) };
    },
  });
  refuses([
    [
      "the index of start must be int32[8] for 8 episodes, got float32[8]",
      starting((batch) => ({ index: np.zeros([batch]) })),
    ],
    [
      "the features of start must be float32[8, 9] for 8 episodes, got float32[8, 3]",
      starting((batch) => ({ features: np.zeros([batch, 3]) })),
    ],
    [
      "the running of start must be float32[8] for 8 episodes, got undefined",
      starting(() => ({ running: undefined })),
    ],
    ["start must give 1 for running, got 0", starting((batch) => ({ running: np.zeros([batch]) }))],
    ["start must give a state, got undefined", { ...strings, start: () => undefined }],
    [
      "the features of advance must be float32[8, 9] for 8 episodes, got int32[8, 9] at step 0",
      advancing(({ features }) => ({ features: features.astype(np.int32) })),
    ],
    [
      "the index of advance must be int32[8] for 8 episodes, got int32[8, 1] at step 0",
      advancing(({ index }) => ({ index: index.reshape([-1, 1]) })),
    ],
    [
      "allowed must be bool[8, 3] or bool[1, 3] for 8 episodes, got bool[3] at step 0",
      { ...strings, allowed: () => np.ones([3], { dtype: np.bool }) },
    ],
    [
      "allowed must be bool[8, 3] or bool[1, 3] for 8 episodes, got float32[1, 3] at step 0",
      { ...strings, allowed: () => np.ones([1, 3]) },
    ],
    [
      "realise must be float32[8, 3] for 8 episodes, got float32[8, 2] at step 0",
      { ...strings, realise: () => np.zeros([8, 2]) },
    ],
    [
      "terminalIndex must be int32[8] for 8 episodes, got float32[8]",
      { ...strings, terminalIndex: ({ running }: State) => running },
    ],
    [
      "backwardAllowed must be bool[8, 3] or bool[1, 3] for 8 episodes, got bool[8, 4]",
      { ...strings, backwardAllowed: () => np.ones([8, 4], { dtype: np.bool }) },
    ],
    [
      "backwardClass must be float32[8, 2] for 8 episodes, got float32[8, 3]",
      { ...stopping, backwardClass: (action: np.Array) => action },
    ],
    [
      "sameParent must be float32[8, 4] for 8 episodes, got float32[8, 2]",
      { ...grid, sameParent: (outcome: np.Array) => outcome },
    ],
    [
      "advance at step 0 throws: out of letters",
      {
        ...strings,
        advance: () => {
          throw new Error("out of letters");
        },
      },
    ],
    [
      "realise at step 0 throws: add of float32[8, 3] and float32[8, 2]",
      { ...strings, realise: (_: State, __: number, a: np.Array, u: np.Array) => np.add(a, u) },
    ],
    [
      "what it does cannot be traced: check: operation",
      {
        ...strings,
        realise: (_: State, __: number, action: np.Array) =>
          np.add(action, np.multiply(0, np.sum(np.linalg.cholesky(np.eye(2))))),
      },
    ],
  ]);
});

describe("steps that cannot be are named:", () => {
  type Realise = Environment["realise"];
  type Advance = Environment["advance"];
  const realising = (
    environment: Environment,
    change: (outcome: np.Array, action: np.Array) => np.Array,
  ) => ({
    ...environment,
    realise: (...args: Parameters<Realise>) => change(environment.realise(...args), args[2]),
  });
  const advancing = (
    environment: Environment,
    change: (after: State, before: State, ...rest: [number, np.Array]) => State,
  ) => ({
    ...environment,
    advance: (...[state, t, action, outcome]: Parameters<Advance>) =>
      change(environment.advance(state, t, action, outcome), state, t, action),
  });
  /** One to the left, the first becoming the last. */
  const rotated = (oneHot: np.Array) => {
    const [first, rest] = np.split(oneHot, [1], 1);
    return np.concatenate([rest, first], 1);
  };
  refuses([
    [
      "allowed permits no action in state 0 at step 0",
      { ...strings, allowed: () => np.zeros([1, 3], { dtype: np.bool }) },
    ],
    [
      "realise must give rows that are one-hot, got [0.5, 0, 0]",
      realising(certain, (outcome) => np.multiply(outcome, np.array([0.5, 1, 1], { dtype: np.float32 }))),
    ],
    [
      "realise must give rows that are one-hot, got [1, 1, 1] in state 0 at step 0",
      realising(strings, (outcome) => np.ones(outcome.shape)),
    ],
    [
      "realise must give rows that are all 0 for a stop, got [1, 0] in state 0 at step 0",
      realising(stopping, (outcome, action) =>
        np.add(
          outcome,
          np.pad(np.split(action, [2], 1)[1], [
            [0, 0],
            [0, 1],
          ]),
        ),
      ),
    ],
    [
      "realise makes outcome 2 of action 0, which is not allowed in state 0 at step 0",
      {
        ...realising(unlisted(certain), rotated),
        stick: 0.25,
        allowed: () => np.array(Int32Array.of(1, 0, 0), { shape: [1, 3], dtype: np.bool }),
      },
    ],
    ["stick is 0, but realise makes outcome", realising(certain, rotated)],
    [
      "advance must give 0 or 1 for running, got 0.5 in state 0 at step 0",
      advancing(strings, (after) => ({ ...after, running: np.multiply(after.running, 0.5) })),
    ],
    [
      "advance makes an episode run again that had ended, in state 0 at step 1",
      advancing(stopping, (after, _, t) =>
        t === 1 ? { ...after, running: np.ones(after.running.shape) } : after,
      ),
    ],
    [
      "advance changes an episode that has ended, in state 0 at step 1",
      advancing(stopping, (after, before) => ({
        ...after,
        index: np.add(after.index, np.less(before.running, 0.5).astype(np.int32)),
      })),
    ],
    [
      "advance changes an episode that has ended, in state 0 at step 1",
      advancing(stopping, (after, before) => ({
        ...after,
        features: np.add(after.features, np.subtract(1, before.running).reshape([-1, 1])),
      })),
    ],
    [
      "advance must end an episode at a stop, but goes on in state 0 at step 0",
      advancing(stopping, (after, before) => ({ ...after, running: before.running })),
    ],
    [
      "advance gives features that are not finite in state 0 at step 0",
      advancing(strings, (after) => ({ ...after, features: np.divide(after.features, 0) })),
    ],
    [
      "maxSteps is 3, but 8 of 8 episodes still run after it",
      advancing(unlisted(strings), (after, before) => ({ ...after, running: before.running })),
    ],
    ["maxSteps is 2, but 8 of 8 episodes still run after it", { ...strings, maxSteps: 2 }],
    [
      "backwardClass must give rows that are one-hot, got [0, 0, 0] in state 0 at step 0",
      { ...strings, backwardClass: (action: np.Array) => np.multiply(action, 0) },
    ],
    [
      "backwardClass must give rows that are all 0 for a stop, got [1, 0] in state 0 at step 0",
      {
        ...stopping,
        backwardClass: (action: np.Array) => {
          const [letters, stop] = np.split(action, [2], 1);
          return np.add(
            letters,
            np.pad(stop, [
              [0, 0],
              [0, 1],
            ]),
          );
        },
      },
    ],
    [
      "backwardAllowed forbids class",
      { ...strings, backwardAllowed: () => np.zeros([1, 3], { dtype: np.bool }) },
    ],
    ["sameParent leaves out class", { ...grid, sameParent: () => np.zeros([8, 4]) }],
  ]);
});

describe("texts that do not go with the objects are named:", () => {
  /** Everything is written as x, and x is read as this. */
  const reading = (back: unknown) => ({ ...long, describe: () => "x", wayOf: () => back });
  refuses([
    ["describe must give a string, got 5", { ...long, describe: () => 5 }],
    [
      'wayOf("x") throws: longSequenceEnvironment: "x" has "x" at position 1, and the letters are ACGT',
      { ...long, describe: () => "x" },
    ],
    ['wayOf("x") must give an array of outcomes, got 3', reading(3)],
    ['wayOf("x") must give outcomes from 0 to 3, got 4', reading([4])],
    ['wayOf("x") gives 40 outcomes, more than the 31 steps there are', reading(new Array(40).fill(0))],
    [
      'wayOf("x") gives a way that describe writes as "y"',
      { ...reading([0]), describe: ({ length }: readonly number[]) => (length === 1 ? "y" : "x") },
    ],
  ]);

  test("and an object that cannot be written", () => {
    const describe = () => {
      throw new Error("lost for words");
    };
    expect(() => checkEnvironment({ ...long, describe })).toThrow(
      /^strings of up to 30 letters out of ACGT: describe\(\[[\d, ]*\]\) throws: lost for words$/,
    );
  });
});

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
