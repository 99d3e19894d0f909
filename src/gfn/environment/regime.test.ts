// Sequences with hidden regimes: the belief and the kernel are compared with sums over all regimes, and the frequencies
// along trajectories with the kernel.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { runOnce } from "../../../test/support/on-engines.ts";
import { inFloat64 } from "../../../test/support/tabular.ts";
import { ENGINES, RandomStream, spec } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { followTrajectories, rollout, trajectoryIndices, uniformsPerStep } from "../sampling/rollout.ts";
import { checkEnvironment } from "./check-environment.ts";
import { isEnumerable } from "./environment.ts";
import { type RegimeOptions, type RegimeState, regimeEnvironment } from "./regime.ts";
import { sequenceEnvironment } from "./sequence.ts";

const LENGTH = 4;
const constantRegime: RegimeOptions = {
  alphabet: "ABC",
  length: LENGTH,
  regimes: [
    { stick: 0.1, share: 0.5 },
    { stick: 0.9, share: 0.3 },
    { stick: 0.4, share: 0.2 },
  ],
};
const kinds: Record<string, RegimeOptions> = {
  "a constant regime": constantRegime,
  "a switching regime": { ...constantRegime, switching: 0.3 },
  "no noise or only noise": {
    ...constantRegime,
    regimes: [
      { stick: 0, share: 0.5 },
      { stick: 1, share: 0.5 },
    ],
  },
};

/** Joint probability of a history and of each regime after it, by a sum over all sequences of regimes. */
function regimesAfter(
  { alphabet, regimes, switching = 0 }: RegimeOptions,
  actions: readonly number[],
  outcomes: readonly number[],
): number[] {
  const { length: Z } = regimes;
  const sums = new Array<number>(Z).fill(0);
  for (let path = 0; path < Z ** (actions.length + 1); path++) {
    const at = (t: number) => Math.floor(path / Z ** t) % Z;
    let probability = regimes[at(0)].share;
    actions.forEach((a, t) => {
      const { stick } = regimes[at(t)];
      const stays = at(t + 1) === at(t) ? 1 - switching : 0;
      probability *= (a === outcomes[t] ? 1 - stick : 0) + stick / alphabet.length;
      probability *= stays + switching * regimes[at(t + 1)].share;
    });
    sums[at(actions.length)] += probability;
  }
  return sums;
}

const histories: [number[], number[]][] = [
  [[], []],
  [[0], [0]],
  [[1], [2]],
  [
    [0, 1, 2],
    [0, 1, 2],
  ],
  [
    [0, 1, 2, 0],
    [0, 2, 2, 1],
  ],
];

describe.each(Object.entries(kinds))("%s:", (_, options) => {
  const environment = regimeEnvironment(options);
  const { alphabet, regimes } = options;

  test("the environment keeps its contract and has no enumeration", () => {
    expect(() => checkEnvironment(environment)).not.toThrow();
    expect(isEnumerable(environment)).toBe(false);
    expect(environment.stick).toBeCloseTo(
      regimes.reduce((sum, { stick, share }) => sum + stick * share, 0),
      12,
    );
  });

  test.each(histories)(
    "the kernel after the actions %j with the outcomes %j is the sum over regimes",
    (actions, outcomes) => {
      const sums = regimesAfter(options, actions, outcomes);
      const total = sums.reduce((a, b) => a + b);
      const kernel = environment.kernelAfter(actions, outcomes);
      for (let a = 0; a < alphabet.length; a++) {
        for (let c = 0; c < alphabet.length; c++) {
          const expected = regimes.reduce(
            (sum, { stick }, z) =>
              sum + (sums[z] / total) * ((a === c ? 1 - stick : 0) + stick / alphabet.length),
            0,
          );
          expect(kernel[a * alphabet.length + c]).toBeCloseTo(expected, 12);
        }
      }
    },
  );

  test.each(histories)(
    "the belief after the actions %j with the outcomes %j follows Bayes' rule",
    (actionHistory, outcomeHistory) => {
      const steps = { shape: [actionHistory.length, 1], dtype: "int32" } as const;
      const { belief } = inFloat64(
        ({ actions, outcomes }) => {
          const states = actions
            ? followTrajectories(environment, { actions, outcomes }).states
            : [environment.start(1)];
          return { belief: (states[states.length - 1] as RegimeState).belief }; // [1, Z]
        },
        actionHistory.length > 0
          ? { actions: { ...steps, data: actionHistory }, outcomes: { ...steps, data: outcomeHistory } }
          : {},
      );
      const sums = regimesAfter(options, actionHistory, outcomeHistory);
      const total = sums.reduce((a, b) => a + b);
      expect(belief.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
      sums.forEach((sum, z) => {
        expect(belief[z]).toBeCloseTo(sum / total, 6);
      });
    },
  );

  test("after every history, outcomes have the frequencies of the kernel, and prefixes the indices of other sequences", () => {
    const count = 8_000;
    const { states, actions, outcomes, index, features } = sampled(count);
    const plain = sequenceEnvironment({ alphabet, length: LENGTH, stick: 0.5 });
    const counts = new Map<string, number[]>();
    for (let b = 0; b < count; b++) {
      const [actionHistory, outcomeHistory]: number[][] = [[], []];
      for (let t = 0; t < LENGTH; t++) {
        const [a, c] = [actions[t * count + b], outcomes[t * count + b]];
        const key = JSON.stringify([actionHistory, outcomeHistory, a]);
        const row = counts.get(key) ?? new Array<number>(alphabet.length).fill(0);
        counts.set(key, row);
        row[c]++;
        actionHistory.push(a);
        outcomeHistory.push(c);
      }
    }
    let tested = 0;
    for (const [key, row] of counts) {
      if (row.reduce((a, b) => a + b) < 100) continue;
      const [actionHistory, outcomeHistory, a] = JSON.parse(key) as [number[], number[], number];
      const kernel = environment.kernelAfter(actionHistory, outcomeHistory);
      const probabilities = kernel.subarray(a * alphabet.length, (a + 1) * alphabet.length);
      expect(chiSquare(row, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
      tested++;
    }
    expect(tested).toBeGreaterThan(20);
    // The features of a few states match their indices.
    expect(Array.from(features)).toEqual(Array.from(plain.featuresOf(index)));
    expect(Array.from(states)).toEqual(Array.from(index, (i) => i - plain.states));
  });

  /** Trajectories of the uniform policy, and the last states of a few of them. */
  function sampled(count: number) {
    const shape = [LENGTH, count, uniformsPerStep(environment)];
    const size = shape.reduce((a, b) => a * b);
    const uniform = RandomStream.fromSeed(5).fillUniform(new Float32Array(size));
    const few = (array: np.Array) => np.split(array, [50], 0)[0];
    return evaluate(
      (inputs) => {
        const trajectories = rollout(environment, () => np.zeros([1, alphabet.length]), inputs.uniform);
        const last = trajectories.states[LENGTH];
        return {
          ...trajectoryIndices(trajectories), // [T, B] twice
          index: few(last.index), // [50]
          features: few(last.features), // [50, F]
          states: few(environment.terminalIndex(last)), // [50]
        };
      },
      { uniform: { shape, data: uniform } },
      "float32",
    );
  }
});

test("an outcome of an unknown action does not change the belief", () => {
  const environment = regimeEnvironment(constantRegime);
  const steps = { shape: [LENGTH, 1], dtype: "int32" } as const;
  const { belief } = inFloat64(
    (inputs) => ({
      belief: (
        followTrajectories(environment, inputs as { actions: np.Array; outcomes: np.Array }).states[
          LENGTH
        ] as RegimeState
      ).belief, // [1, Z]
    }),
    { actions: { ...steps, data: [-1, -1, -1, -1] }, outcomes: { ...steps, data: [0, 1, 2, 0] } },
  );
  constantRegime.regimes.forEach(({ share }, z) => {
    expect(belief[z]).toBeCloseTo(share, 6);
  });
});

test.each(ENGINES)("the belief is the same on %s as in float64", async (engine) => {
  const environment = regimeEnvironment({ ...constantRegime, switching: 0.1 });
  const stream = RandomStream.fromSeed(6);
  const letters = () => Int32Array.from({ length: LENGTH * 16 }, () => stream.integer(3));
  const [actions, outcomes] = [letters(), letters()];
  const f = (inputs: Arrays) => {
    const { states } = followTrajectories(environment, inputs as { actions: np.Array; outcomes: np.Array });
    return { belief: (states[LENGTH] as RegimeState).belief }; // [16, Z]
  };
  const steps = { shape: [LENGTH, 16], dtype: "int32" } as const;
  const exact = inFloat64(f, {
    actions: { ...steps, data: actions },
    outcomes: { ...steps, data: outcomes },
  });
  const specs = { actions: spec([LENGTH, 16], "int32"), outcomes: spec([LENGTH, 16], "int32") };
  const { belief } = await runOnce(engine, f, specs, { actions, outcomes });
  expect(belief).toHaveLength(48);
  exact.belief.forEach((share, i) => {
    expect(belief[i]).toBeCloseTo(share, 5);
  });
});

test("sequences may have any length", () => {
  const environment = regimeEnvironment({ ...constantRegime, length: 60 });
  expect(() => checkEnvironment(environment)).not.toThrow();
});

describe("invalid options are rejected in one sentence:", () => {
  const regime = { stick: 0.5, share: 1 };
  test.each([
    [{ regimes: [] }, "regimes must be one or more, got none"],
    [{ regimes: [{ stick: 1.5, share: 1 }] }, "the stick of a regime must be in [0, 1], got 1.5"],
    [{ regimes: [regime, { stick: 0.5, share: 0 }] }, "the share of a regime must be above 0, got 0"],
    [{ regimes: [regime, regime] }, "the shares of all regimes must sum to 1, got 2"],
    [{ regimes: [{ stick: 1, share: 1 }] }, "a regime must have a stick below 1, got 1 for all"],
    [{ regimes: [regime], switching: -1 }, "switching must be in [0, 1], got -1"],
  ])("%j", (options, message) => {
    expect(() => regimeEnvironment({ ...constantRegime, ...options })).toThrow(
      `regimeEnvironment: ${message}`,
    );
  });
});
