// Environments that keep the contract pass, and each violation is reported in one sentence. Violations of the enumeration
// are in check-environment-enumeration.test.ts.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { slippingStrings, windyGrid } from "../../../test/support/custom-kernels.ts";
import {
  certain,
  grid,
  long,
  rejects,
  stopping,
  strings,
  stringsEnumeration,
  withoutEnumeration,
} from "../../../test/support/rejected-environments.ts";
import { checkEnvironment, checkEnvironmentOnce } from "./check-environment.ts";
import type { Environment, State } from "./environment.ts";
import { hypergridEnvironment } from "./hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "./sequence.ts";

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
    // Noise that is not stick noise has no level, so `stick` may be any number.
    { ...slippingStrings(3, 0.2), stick: 0.9 },
  ])("$name, with a custom kernel, at stick $stick", (environment) => {
    expect(() => checkEnvironment(environment)).not.toThrow();
  });

  test("and impossible transitions that are enumerated with probability 0", () => {
    const { stick, ...rest } = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0 });
    const all = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.5 }).enumerate();
    const probabilities = all.probabilities.map((p, i) => (p > 0.5 || all.outcome[i] < 0 ? 1 : 0));
    const enumerate = () => ({ ...all, probabilities });
    expect(() => checkEnvironment({ ...rest, stick, enumerate } as Environment)).not.toThrow();
  });
});

test("an enumeration that is passed is used instead of a new one", () => {
  const enumerate = () => {
    throw new Error("enumerated twice");
  };
  expect(() => checkEnvironment({ ...strings, enumerate } as Environment, stringsEnumeration)).not.toThrow();
  expect(() => checkEnvironment(strings, stopping.enumerate())).toThrow("enumerate has 15 states");
});

describe("invalid members are reported:", () => {
  rejects([
    ["actions must be a positive whole number, got 2.5", { ...strings, actions: 2.5 }],
    ["outcomes must be a positive whole number, got 0", { ...strings, outcomes: 0 }],
    ["maxSteps must be a positive whole number, got -1", { ...strings, maxSteps: -1 }],
    ["states must be a positive whole number, got NaN", { ...strings, states: Number.NaN }],
    ["features must be a positive whole number, got undefined", { ...strings, features: undefined }],
    ["featureBlock must be a positive whole number, got 0", { ...strings, featureBlock: 0 }],
    ["backwardActions must be a positive whole number, got 0", { ...strings, backwardActions: 0 }],
    ["featureBlock must divide features, got 4 and 9", { ...strings, featureBlock: 4 }],
    ["there are 4 outcomes and only 3 actions", { ...strings, outcomes: 4 }],
    ["hasStop is true, so actions must be outcomes + 1 = 4, got 3", { ...strings, hasStop: true }],
    ["hasStop is false, so actions must equal outcomes = 2, got 3", { ...stopping, hasStop: false }],
    ["hasStop must be true or false, got undefined", { ...strings, hasStop: undefined }],
    ["stick must be in [0, 1), got 1", { ...strings, stick: 1 }],
    ["stick must be in [0, 1), got NaN", { ...strings, stick: Number.NaN }],
    ["describe must be a function, got undefined", { ...strings, describe: undefined }],
    ["featuresOf must be a function, got undefined", { ...strings, featuresOf: undefined }],
    ["outcomeAllowed must be a function, got true", { ...strings, outcomeAllowed: true }],
    ["actionNames must have one name for each of the 3 actions, got 1", { ...strings, actionNames: ["A"] }],
  ]);

  test("and a missing name", () => {
    expect(() => checkEnvironment({ ...strings, name: "" })).toThrow(
      'an environment must have a name, got ""',
    );
  });
});

describe("arrays with a wrong shape or type are reported:", () => {
  /** Replaces members of the start state. */
  const withStart = (part: (batch: number) => object) => ({
    ...strings,
    start: (batch: number) => ({ ...strings.start(batch), ...part(batch) }),
  });
  /** Replaces members of the state after each step. */
  const withAdvance = (part: (state: State) => object) => ({
    ...strings,
    advance: (...args: Parameters<Environment["advance"]>) => {
      const after = strings.advance(...args);
      return { ...after, ...part(after) };
    },
  });
  rejects([
    [
      "the index of start must be int32[8] for 8 trajectories, got float32[8]",
      withStart((batch) => ({ index: np.zeros([batch]) })),
    ],
    [
      "the features of start must be float32[8, 9] for 8 trajectories, got float32[8, 3]",
      withStart((batch) => ({ features: np.zeros([batch, 3]) })),
    ],
    [
      "the running of start must be float32[8] for 8 trajectories, got undefined",
      withStart(() => ({ running: undefined })),
    ],
    ["start must return 1 for running, got 0", withStart((batch) => ({ running: np.zeros([batch]) }))],
    ["start must return a state, got undefined", { ...strings, start: () => undefined }],
    [
      "the features of advance must be float32[8, 9] for 8 trajectories, got int32[8, 9] at step 0",
      withAdvance(({ features }) => ({ features: features.astype(np.int32) })),
    ],
    [
      "the index of advance must be int32[8] for 8 trajectories, got int32[8, 1] at step 0",
      withAdvance(({ index }) => ({ index: index.reshape([-1, 1]) })),
    ],
    [
      "allowed must be bool[8, 3] or bool[1, 3] for 8 trajectories, got bool[3] at step 0",
      { ...strings, allowed: () => np.ones([3], { dtype: np.bool }) },
    ],
    [
      "allowed must be bool[8, 3] or bool[1, 3] for 8 trajectories, got float32[1, 3] at step 0",
      { ...strings, allowed: () => np.ones([1, 3]) },
    ],
    [
      "sampleOutcome must be float32[8, 3] for 8 trajectories, got float32[8, 2] at step 0",
      { ...strings, sampleOutcome: () => np.zeros([8, 2]) },
    ],
    [
      "terminalIndex must be int32[8] for 8 trajectories, got float32[8]",
      { ...strings, terminalIndex: ({ running }: State) => running },
    ],
    [
      "backwardAllowed must be bool[8, 3] or bool[1, 3] for 8 trajectories, got bool[8, 4]",
      { ...strings, backwardAllowed: () => np.ones([8, 4], { dtype: np.bool }) },
    ],
    [
      "backwardAction must be float32[8, 2] for 8 trajectories, got float32[8, 3]",
      { ...stopping, backwardAction: (_: State, action: np.Array) => action },
    ],
    [
      "outcomeAllowed must be bool[8, 3] or bool[1, 3] for 8 trajectories, got bool[1, 2]",
      { ...strings, outcomeAllowed: () => np.ones([1, 2], { dtype: np.bool }) },
    ],
    [
      "sameParent must be float32[8, 4] for 8 trajectories, got float32[8, 2]",
      { ...grid, sameParent: (_: State, outcome: np.Array) => outcome },
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
      "sampleOutcome at step 0 throws: add of float32[8, 3] and float32[8, 2]",
      { ...strings, sampleOutcome: (_: State, __: number, a: np.Array, u: np.Array) => np.add(a, u) },
    ],
    [
      "its array functions cannot be traced: check: operation",
      {
        ...strings,
        sampleOutcome: (_: State, __: number, action: np.Array) =>
          np.add(action, np.multiply(0, np.sum(np.linalg.cholesky(np.eye(2))))),
      },
    ],
  ]);
});

describe("invalid steps are reported:", () => {
  type SampleOutcome = Environment["sampleOutcome"];
  type Advance = Environment["advance"];
  const withSampleOutcome = (
    environment: Environment,
    change: (outcome: np.Array, action: np.Array) => np.Array,
  ) => ({
    ...environment,
    sampleOutcome: (...args: Parameters<SampleOutcome>) =>
      change(environment.sampleOutcome(...args), args[2]),
  });
  const withAdvance = (
    environment: Environment,
    change: (after: State, before: State, ...rest: [number, np.Array]) => State,
  ) => ({
    ...environment,
    advance: (...[state, t, action, outcome]: Parameters<Advance>) =>
      change(environment.advance(state, t, action, outcome), state, t, action),
  });
  /** Rotates the columns by one to the left. */
  const rotated = (oneHot: np.Array) => {
    const [first, rest] = np.split(oneHot, [1], 1);
    return np.concatenate([rest, first], 1);
  };
  rejects([
    [
      "allowed permits no action in state 0 at step 0",
      { ...strings, allowed: () => np.zeros([1, 3], { dtype: np.bool }) },
    ],
    [
      "sampleOutcome must return rows that are one-hot, got [0.5, 0, 0]",
      withSampleOutcome(certain, (outcome) =>
        np.multiply(outcome, np.array([0.5, 1, 1], { dtype: np.float32 })),
      ),
    ],
    [
      "sampleOutcome must return rows that are one-hot, got [1, 1, 1] in state 0 at step 0",
      withSampleOutcome(strings, (outcome) => np.ones(outcome.shape)),
    ],
    [
      "sampleOutcome must return rows that are all 0 for a stop, got [1, 0] in state 0 at step 0",
      withSampleOutcome(stopping, (outcome, action) =>
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
      "sampleOutcome returns outcome 2 for action 0, which is not allowed in state 0 at step 0",
      {
        ...withSampleOutcome(withoutEnumeration(certain), rotated),
        stick: 0.25,
        allowed: () => np.array(Int32Array.of(1, 0, 0), { shape: [1, 3], dtype: np.bool }),
      },
    ],
    ["stick is 0, but sampleOutcome returns outcome", withSampleOutcome(certain, rotated)],
    [
      "advance must return 0 or 1 for running, got 0.5 in state 0 at step 0",
      withAdvance(strings, (after) => ({ ...after, running: np.multiply(after.running, 0.5) })),
    ],
    [
      "advance restarts a trajectory that has ended, in state 0 at step 1",
      withAdvance(stopping, (after, _, t) =>
        t === 1 ? { ...after, running: np.ones(after.running.shape) } : after,
      ),
    ],
    [
      "advance changes a trajectory that has ended, in state 0 at step 1",
      withAdvance(stopping, (after, before) => ({
        ...after,
        index: np.add(after.index, np.less(before.running, 0.5).astype(np.int32)),
      })),
    ],
    [
      "advance changes a trajectory that has ended, in state 0 at step 1",
      withAdvance(stopping, (after, before) => ({
        ...after,
        features: np.add(after.features, np.subtract(1, before.running).reshape([-1, 1])),
      })),
    ],
    [
      "advance must end a trajectory at a stop, but continues it in state 0 at step 0",
      withAdvance(stopping, (after, before) => ({ ...after, running: before.running })),
    ],
    [
      "advance returns features that are not finite in state 0 at step 0",
      withAdvance(strings, (after) => ({ ...after, features: np.divide(after.features, 0) })),
    ],
    [
      "maxSteps is 3, but 8 of 8 trajectories still run after that many steps",
      withAdvance(withoutEnumeration(strings), (after, before) => ({ ...after, running: before.running })),
    ],
    ["maxSteps is 2, but 8 of 8 trajectories still run after that many steps", { ...strings, maxSteps: 2 }],
    [
      "backwardAction must return rows that are one-hot, got [0, 0, 0] in state 0 at step 0",
      { ...strings, backwardAction: (_: State, action: np.Array) => np.multiply(action, 0) },
    ],
    [
      "backwardAction must return rows that are all 0 for a stop, got [1, 0] in state 0 at step 0",
      {
        ...stopping,
        backwardAction: (_: State, action: np.Array) => {
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
      "backwardAllowed forbids backward action",
      { ...strings, backwardAllowed: () => np.zeros([1, 3], { dtype: np.bool }) },
    ],
    ["sameParent omits backward action", { ...grid, sameParent: () => np.zeros([8, 4]) }],
  ]);
});

describe("texts that do not match the objects are reported:", () => {
  /** Every object has the text x, for which `trajectoryOf` returns this value. */
  const withTrajectoryOf = (found: unknown) => ({
    ...long,
    describe: () => "x",
    trajectoryOf: () => found,
  });
  rejects([
    ["describe must return a string, got 5", { ...long, describe: () => 5 }],
    [
      'trajectoryOf("x") throws: longSequenceEnvironment: "x" has "x" at position 1, but the letters are ACGT',
      { ...long, describe: () => "x" },
    ],
    ['trajectoryOf("x") must return an array of outcomes, got 3', withTrajectoryOf(3)],
    ['trajectoryOf("x") must return outcomes from 0 to 3, got 4', withTrajectoryOf([4])],
    [
      'trajectoryOf("x") returns 40 outcomes, more than maxSteps = 31',
      withTrajectoryOf(new Array(40).fill(0)),
    ],
    [
      'trajectoryOf("x") returns outcomes that describe writes as "y"',
      { ...withTrajectoryOf([0]), describe: ({ length }: readonly number[]) => (length === 1 ? "y" : "x") },
    ],
  ]);

  test("and an object without a text", () => {
    const describe = () => {
      throw new Error("no text");
    };
    expect(() => checkEnvironment({ ...long, describe })).toThrow(
      /^strings of up to 30 letters out of ACGT: describe\(\[[\d, ]*\]\) throws: no text$/,
    );
  });
});

describe("a structure that does not match its declaration is reported:", () => {
  const withoutKind = ({ kind: _, ...rest }: typeof strings | typeof grid) => rest;
  /** Changes the features and index of the states after each step. */
  const withAdvance = (environment: Environment, change: (after: State) => object) => ({
    ...environment,
    advance: (...args: Parameters<Environment["advance"]>) => {
      const after = environment.advance(...args);
      return { ...after, ...change(after) };
    },
  });
  const doubled = ({ features }: State) => ({ features: np.multiply(features, 2) });
  rejects([
    ['kind must be "sequence", "grid" or undefined, got tree', { ...strings, kind: "tree" }],
    [
      'kind is "sequence", so alphabet must be a string and variable true or false',
      { ...strings, alphabet: undefined },
    ],
    ['kind is "sequence", so length must be a positive whole number, got 0', { ...strings, length: 0 }],
    ['kind is "sequence", so features must be 12, got 9', { ...strings, length: 4 }],
    ['kind is "sequence", so outcomes must be 2, got 3', { ...strings, alphabet: "AB" }],
    ['kind is "sequence", so hasStop must be true, got false', { ...strings, variable: true }],
    ['kind is "sequence", so feature', withAdvance(withoutEnumeration(strings), doubled)],
    ['kind is "sequence", so the index must be', { ...strings, indexFactor: 5 }],
    ['kind is "grid", so enumerate must be a function', withoutEnumeration(grid)],
    ['kind is "grid", so side must be a positive whole number, got 2.5', { ...grid, side: 2.5 }],
    ['kind is "grid", so outcomes must be 3, got 2', { ...grid, dimensions: 3 }],
    ['kind is "grid", so features must be 10, got 8', { ...grid, side: 5 }],
    ['kind is "sequence", so alphabet', { ...grid, kind: "sequence" }],
  ]);

  test("and an environment without a declared structure passes", () => {
    for (const environment of [strings, grid]) {
      expect(() => checkEnvironment(withoutKind(environment))).not.toThrow();
    }
  });
});

describe("before training", () => {
  test("an environment is checked once", () => {
    let described = 0;
    const environment: Environment = {
      ...strings,
      describe: (outcomes) => {
        described++;
        return strings.describe(outcomes);
      },
    };
    checkEnvironmentOnce(environment);
    const calls = described;
    expect(calls).toBeGreaterThan(0);
    checkEnvironmentOnce(environment);
    expect(described).toBe(calls);
  });

  test("an environment that was refused is refused again", () => {
    const wrong: Environment = { ...strings, maxSteps: 2 };
    for (let time = 0; time < 2; time++) expect(() => checkEnvironmentOnce(wrong)).toThrow("maxSteps is 2");
  });
});
