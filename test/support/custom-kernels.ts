// Environments whose noise is not stick noise: a grid with wind, and sequences in which one letter can turn into another.

import { numpy as np } from "@jax-js/jax";
import { type Enumeration, enumerationFrom } from "../../src/gfn/environment/enumeration.ts";
import type { EnumerableEnvironment } from "../../src/gfn/environment/environment.ts";
import { hypergridEnvironment } from "../../src/gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { stepsOf } from "./tabular.ts";

/** An enumeration with a different kernel: `probabilityOf` returns the probability of an outcome. */
function withKernel(
  enumeration: Enumeration,
  probabilityOf: (state: number, action: number, outcome: number, legal: readonly number[]) => number,
): Enumeration {
  const steps = [...stepsOf(enumeration)];
  return enumerationFrom(enumeration, (state, action) => {
    const here = steps.filter((step) => step.state === state && step.action === action);
    const legal = [...new Set(here.map(({ outcome }) => outcome))];
    return here
      .map((step) => ({
        ...step,
        probability: step.outcome < 0 ? 1 : probabilityOf(state, action, step.outcome, legal),
      }))
      .filter(({ probability }) => probability > 0);
  });
}

/**
 * A grid with wind. With probability `wind`, any move becomes a move along the first axis, except at the end of that
 * axis.
 */
export function windyGrid(side: number, wind: number): EnumerableEnvironment {
  const still = hypergridEnvironment({ dimensions: 2, side, stick: 0 });
  const noisy = hypergridEnvironment({ dimensions: 2, side, stick: 0.5 });
  const firstAxis = () => np.array([1, 0], { dtype: np.float32 }); // [2]
  return {
    ...still,
    name: `a windy grid of ${side} × ${side}`,
    stick: wind,
    sampleOutcome(state, t, action, uniform) {
      const [move, stop] = np.split(action, [2], 1); // [B, 2], [B, 1]
      const [free] = np.split(still.allowed(state, t), [1], 1); // [B, 1]
      const [forWind] = np.split(uniform, [1], 1); // [B, 1]
      const blows = np.logicalAnd(np.less(forWind, wind), free); // [B, 1]
      return np.multiply(np.where(blows, firstAxis(), move), np.subtract(1, stop)); // [B, 2]
    },
    // The backward action is 2 · outcome + action. An outcome along the second axis is never caused by wind.
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
 * Sequences of A and B. The action A always writes A. The action B writes A with probability `slip`, or with probability
 * `afterOdd` after an odd number of letters B.
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
    sampleOutcome(state, _t, action, uniform) {
      const [forSlip] = np.split(uniform, [1], 1); // [B, 1]
      const isB = Float32Array.from({ length: 2 * length }, (_, i) => i % 2);
      const half = np.multiply(np.matmul(state.features, np.array(isB)), 0.5); // [B], half the number of letters B
      const isOdd = np.less(np.floor(half), half).reshape([-1, 1]); // [B, 1]
      const letterA = np.array([1, 0], { dtype: np.float32 }); // [2]
      return np.where(np.less(forSlip, np.where(isOdd, afterOdd, slip)), letterA, action); // [B, 2]
    },
    // Both actions can write A, and only the action B can write B.
    backwardAllowed(state, t) {
      const letters = state.features.reshape([-1, length, 2]); // [B, L, 2]
      const letter = np.take(letters, np.array([t], { dtype: np.int32 }), 1).reshape([-1, 2]); // [B, 2]
      const [isA] = np.split(letter, [1], 1); // [B, 1]
      const actionB = np.array([0, 1], { dtype: np.float32 }); // [2]
      return np.less(0.5, np.add(isA, actionB)); // [B, 2]
    },
    enumerate: () =>
      withKernel(noisy.enumerate(), (state, action, outcome) => {
        if (action === 0) return outcome === 0 ? 1 : 0;
        const slips = countOfB(state) % 2 === 1 ? afterOdd : slip;
        return outcome === 0 ? slips : 1 - slips;
      }),
  };
}
