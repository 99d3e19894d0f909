// Environments that keep the contract pass; each way to break it is named in one sentence. What is said of a list of
// states: check-environment-lists.test.ts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "../../test/support/own-kernel.ts";
import {
  certain,
  grid,
  listed,
  long,
  refuses,
  stopping,
  strings,
  unlisted,
} from "../../test/support/refused-environments.ts";
import { checkEnvironment } from "./check-environment.ts";
import type { Environment, State } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./environments/sequence.ts";

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
