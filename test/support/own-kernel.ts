// Environments whose noise is no stick noise: a grid with wind, and strings in which one letter slips.

import { numpy as np } from "@jax-js/jax";
import { type Enumeration, enumeration } from "../../src/gfn/enumeration.ts";
import type { EnumerableEnvironment } from "../../src/gfn/environment.ts";
import { hypergridEnvironment } from "../../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../../src/gfn/environments/sequence.ts";
import { stepsOf } from "./tabular.ts";

/** A list with another kernel: `chance` gives the probability of an outcome, 0 if it cannot be. */
function withKernel(
  listed: Enumeration,
  chance: (state: number, action: number, outcome: number, legal: readonly number[]) => number,
): Enumeration {
  const steps = [...stepsOf(listed)];
  return enumeration(listed, (state, action) => {
    const here = steps.filter((step) => step.state === state && step.action === action);
    const legal = [...new Set(here.map(({ outcome }) => outcome))];
    return here
      .map((step) => ({
        ...step,
        probability: step.outcome < 0 ? 1 : chance(state, action, step.outcome, legal),
      }))
      .filter(({ probability }) => probability > 0);
  });
}

/** Whatever was intended, the wind moves it along the first axis with probability `wind`, unless there is an edge. */
export function windyGrid(side: number, wind: number): EnumerableEnvironment {
  const still = hypergridEnvironment({ dimensions: 2, side, stick: 0 });
  const noisy = hypergridEnvironment({ dimensions: 2, side, stick: 0.5 });
  const first = () => np.array([1, 0], { dtype: np.float32 }); // [2]
  return {
    ...still,
    name: `a windy grid of ${side} × ${side}`,
    stick: wind,
    realise(state, t, action, uniform) {
      const [intended, stop] = np.split(action, [2], 1); // [B, 2], [B, 1]
      const [free] = np.split(still.allowed(state, t), [1], 1); // [B, 1]
      const [forChance] = np.split(uniform, [1], 1); // [B, 1]
      const blows = np.logicalAnd(np.less(forChance, wind), free); // [B, 1]
      return np.multiply(np.where(blows, first(), intended), np.subtract(1, stop)); // [B, 2]
    },
    // Class 2 · moved + intended: a move along the second axis was always intended.
    backwardAllowed(state, t) {
      const possible = np.array([1, 1, 0, 1], { dtype: np.float32 }); // [4]
      return np.logicalAnd(noisy.backwardAllowed(state, t), np.less(0.5, possible)); // [B, 4]
    },
    enumerate: () =>
      withKernel(noisy.enumerate(), (_, action, outcome, legal) => {
        const blown = legal.includes(0) ? wind : 0;
        return (outcome === action ? 1 - blown : 0) + (outcome === 0 ? blown : 0);
      }),
  };
}

/**
 * Strings of A and B. An A is written as intended; a B slips into an A with probability `slip`, and with probability
 * `afterOdd` where an odd number of B stands before it.
 */
export function slippingStrings(length: number, slip: number, afterOdd = slip): EnumerableEnvironment {
  const noisy = sequenceEnvironment({ alphabet: "AB", length, stick: 0.5 });
  const countOfB = (state: number) => {
    const features = noisy.featuresOf([state]);
    return features.filter((x, i) => i % 2 === 1 && x === 1).length;
  };
  return {
    ...noisy,
    name: `strings of ${length} letters in which B slips`,
    stick: Math.max(slip, afterOdd),
    realise(state, _t, action, uniform) {
      const [forChance] = np.split(uniform, [1], 1); // [B, 1]
      const isB = Float32Array.from({ length: 2 * length }, (_, i) => i % 2);
      const half = np.multiply(np.matmul(state.features, np.array(isB)), 0.5); // [B], of the number of B
      const isOdd = np.less(np.floor(half), half).reshape([-1, 1]); // [B, 1]
      const written = np.array([1, 0], { dtype: np.float32 }); // [2]
      return np.where(np.less(forChance, np.where(isOdd, afterOdd, slip)), written, action); // [B, 2]
    },
    // After an A anything may have been intended, after a B only that.
    backwardAllowed(state, t) {
      const letters = state.features.reshape([-1, length, 2]); // [B, L, 2]
      const letter = np.take(letters, np.array([t], { dtype: np.int32 }), 1).reshape([-1, 2]); // [B, 2]
      const [isA] = np.split(letter, [1], 1); // [B, 1]
      const always = np.array([0, 1], { dtype: np.float32 }); // [2]
      return np.less(0.5, np.add(isA, always)); // [B, 2]
    },
    enumerate: () =>
      withKernel(noisy.enumerate(), (state, action, outcome) => {
        if (action === 0) return outcome === 0 ? 1 : 0;
        const slips = countOfB(state) % 2 === 1 ? afterOdd : slip;
        return outcome === 0 ? slips : 1 - slips;
      }),
  };
}
