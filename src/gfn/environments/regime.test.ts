// Strings with hidden regimes: the belief and the kernel against sums over all regimes, episodes against the kernel.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { runOnce } from "../../../test/support/on-engines.ts";
import { inFloat64 } from "../../../test/support/tabular.ts";
import { ENGINES, RandomStream, spec } from "../../engine/index.ts";
import type { Arrays } from "../../engine/trace.ts";
import { checkEnvironment } from "../check-environment.ts";
import { isEnumerable } from "../environment.ts";
import { follow, numbersOf, rollout, uniformsPerStep } from "../rollout.ts";
import { type RegimeOptions, type RegimeState, regimeEnvironment } from "./regime.ts";
import { sequenceEnvironment } from "./sequence.ts";

const LENGTH = 4;
const lasting: RegimeOptions = {
  alphabet: "ABC",
  length: LENGTH,
  regimes: [
    { stick: 0.1, share: 0.5 },
    { stick: 0.9, share: 0.3 },
    { stick: 0.4, share: 0.2 },
  ],
};
const kinds: Record<string, RegimeOptions> = {
  "regimes that last": lasting,
  "regimes that change": { ...lasting, switching: 0.3 },
  "no noise or nothing else": {
    ...lasting,
    regimes: [
      { stick: 0, share: 0.5 },
      { stick: 1, share: 0.5 },
    ],
  },
};

/** Sums over every sequence of regimes: the probability of pairs, split by the regime after them. */
function regimesAfter(
  { alphabet, regimes, switching = 0 }: RegimeOptions,
  intended: readonly number[],
  realised: readonly number[],
): number[] {
  const { length: Z } = regimes;
  const sums = new Array<number>(Z).fill(0);
  for (let path = 0; path < Z ** (intended.length + 1); path++) {
    const at = (t: number) => Math.floor(path / Z ** t) % Z;
    let probability = regimes[at(0)].share;
    intended.forEach((a, t) => {
      const { stick } = regimes[at(t)];
      const stays = at(t + 1) === at(t) ? 1 - switching : 0;
      probability *= (a === realised[t] ? 1 - stick : 0) + stick / alphabet.length;
      probability *= stays + switching * regimes[at(t + 1)].share;
    });
    sums[at(intended.length)] += probability;
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

  test("the environment keeps its contract and lists no states", () => {
    expect(() => checkEnvironment(environment)).not.toThrow();
    expect(isEnumerable(environment)).toBe(false);
    expect(environment.stick).toBeCloseTo(
      regimes.reduce((sum, { stick, share }) => sum + stick * share, 0),
      12,
    );
  });

  test.each(histories)("the kernel after %j that became %j is the sum over regimes", (intended, realised) => {
    const sums = regimesAfter(options, intended, realised);
    const total = sums.reduce((a, b) => a + b);
    const kernel = environment.kernelAfter(intended, realised);
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
  });

  test.each(histories)("the belief after %j that became %j is Bayes' rule", (intended, realised) => {
    const steps = { shape: [intended.length, 1], dtype: "int32" } as const;
    const { belief } = inFloat64(
      ({ actions, outcomes }) => {
        const states = actions ? follow(environment, { actions, outcomes }).states : [environment.start(1)];
        return { belief: (states[states.length - 1] as RegimeState).belief }; // [1, Z]
      },
      intended.length > 0
        ? { actions: { ...steps, data: intended }, outcomes: { ...steps, data: realised } }
        : {},
    );
    const sums = regimesAfter(options, intended, realised);
    const total = sums.reduce((a, b) => a + b);
    expect(belief.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    sums.forEach((sum, z) => {
      expect(belief[z]).toBeCloseTo(sum / total, 6);
    });
  });

  test("after every history, outcomes come as often as its kernel says, and are numbered as other strings", () => {
    const episodes = 8_000;
    const { states, actions, outcomes, index, features } = played(episodes);
    const plain = sequenceEnvironment({ alphabet, length: LENGTH, stick: 0.5 });
    const counts = new Map<string, number[]>();
    for (let b = 0; b < episodes; b++) {
      const [intended, realised]: number[][] = [[], []];
      for (let t = 0; t < LENGTH; t++) {
        const [a, c] = [actions[t * episodes + b], outcomes[t * episodes + b]];
        const key = JSON.stringify([intended, realised, a]);
        const row = counts.get(key) ?? new Array<number>(alphabet.length).fill(0);
        counts.set(key, row);
        row[c]++;
        intended.push(a);
        realised.push(c);
      }
    }
    let looked = 0;
    for (const [key, row] of counts) {
      if (row.reduce((a, b) => a + b) < 100) continue;
      const [intended, realised, a] = JSON.parse(key) as [number[], number[], number];
      const kernel = environment.kernelAfter(intended, realised);
      const probabilities = kernel.subarray(a * alphabet.length, (a + 1) * alphabet.length);
      expect(chiSquare(row, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
      looked++;
    }
    expect(looked).toBeGreaterThan(20);
    // Features of the first few say what their numbers do.
    expect(Array.from(features)).toEqual(Array.from(plain.featuresOf(index)));
    expect(Array.from(states)).toEqual(Array.from(index, (i) => i - plain.states));
  });

  /** Episodes of the uniform policy, and the last states of the first few. */
  function played(episodes: number) {
    const shape = [LENGTH, episodes, uniformsPerStep(environment)];
    const size = shape.reduce((a, b) => a * b);
    const uniform = RandomStream.fromSeed(5).fillUniform(new Float32Array(size));
    const few = (array: np.Array) => np.split(array, [50], 0)[0];
    return evaluate(
      (inputs) => {
        const played = rollout(environment, () => np.zeros([1, alphabet.length]), inputs.uniform);
        const last = played.states[LENGTH];
        return {
          ...numbersOf(played), // [T, B] twice
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

test("an outcome that nobody intended tells nothing of the regime", () => {
  const environment = regimeEnvironment(lasting);
  const steps = { shape: [LENGTH, 1], dtype: "int32" } as const;
  const { belief } = inFloat64(
    (given) => ({
      belief: (
        follow(environment, given as { actions: np.Array; outcomes: np.Array }).states[LENGTH] as RegimeState
      ).belief, // [1, Z]
    }),
    { actions: { ...steps, data: [-1, -1, -1, -1] }, outcomes: { ...steps, data: [0, 1, 2, 0] } },
  );
  lasting.regimes.forEach(({ share }, z) => {
    expect(belief[z]).toBeCloseTo(share, 6);
  });
});

test.each(ENGINES)("the belief is the same on %s as in float64", async (engine) => {
  const environment = regimeEnvironment({ ...lasting, switching: 0.1 });
  const stream = RandomStream.fromSeed(6);
  const letters = () => Int32Array.from({ length: LENGTH * 16 }, () => stream.integer(3));
  const [actions, outcomes] = [letters(), letters()];
  const f = (inputs: Arrays) => {
    const { states } = follow(environment, inputs as { actions: np.Array; outcomes: np.Array });
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

test("strings may be of any length", () => {
  const environment = regimeEnvironment({ ...lasting, length: 60 });
  expect(() => checkEnvironment(environment)).not.toThrow();
});

describe("what cannot be is refused in one sentence:", () => {
  const regime = { stick: 0.5, share: 1 };
  test.each([
    [{ regimes: [] }, "regimes must be one or more, got none"],
    [{ regimes: [{ stick: 1.5, share: 1 }] }, "the stick of a regime must be in [0, 1], got 1.5"],
    [{ regimes: [regime, { stick: 0.5, share: 0 }] }, "the share of a regime must be above 0, got 0"],
    [{ regimes: [regime, regime] }, "the shares of all regimes must sum to 1, got 2"],
    [{ regimes: [{ stick: 1, share: 1 }] }, "a regime must have a stick below 1, got 1 for all"],
    [{ regimes: [regime], switching: -1 }, "switching must be in [0, 1], got -1"],
  ])("%j", (options, message) => {
    expect(() => regimeEnvironment({ ...lasting, ...options })).toThrow(`regimeEnvironment: ${message}`);
  });
});
