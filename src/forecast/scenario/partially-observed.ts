// Paths with some observed tokens: the base distribution restricted to the paths that contain them. In a gap of one
// target, this conditions on the observed values of the other targets, which also change the distribution of the tokens
// before them.
//
// At an observed step the observed token keeps its probability and all other tokens get (almost) none. The reward of a
// path is therefore its likelihood including the observed tokens. The probabilities of such a step sum to less than 1,
// so sampling step by step is not exact, and the proposal must be fine-tuned.

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../engine/index.ts";
import type { NamedArrays } from "../flow/problem.ts";
import type { PathContext, PathDistribution } from "./path-distribution.ts";

/** Log-probability of excluded tokens. It is finite, since −∞ · 0 is NaN. */
const LOG_EXCLUDED = -1e4;

/**
 * Restricts paths of n steps to observed tokens. The additional input `observed` has the observed tokens, one-hot [n, K],
 * with zeros at open steps.
 */
export function partiallyObserved(base: PathDistribution, n: number): PathDistribution {
  const { tokens: K, contextWidth: W } = base;
  const baseInputs = (inputs: NamedArrays): NamedArrays => ({
    ...inputs,
    context: inputs.context.slice([], [0, W]),
  }); // [B, W]
  /** The term that is added to log p: 0 at open steps and for observed tokens, else LOG_EXCLUDED, [..., K]. */
  const exclusion = (observed: np.Array) => {
    const isObserved = np.sum(observed, -1, { keepdims: true }); // [..., 1]
    return np.multiply(np.subtract(isObserved, observed), LOG_EXCLUDED); // [..., K]
  };
  return {
    ...base,
    contextWidth: W + 2 * n,
    inputs: { ...base.inputs, context: spec([W + 2 * n]), observed: spec([n, K]) },
    unnormalised: true,
    atStep(inputs, t, path) {
      return np.add(base.atStep(baseInputs(inputs), t, path), exclusion(inputs.observed.slice([], t))); // [B, K]
    },
    atAllSteps(inputs, paths) {
      const [B, steps] = paths.shape;
      const inside = exclusion(inputs.observed); // [B, n, K]
      const open = () => np.zeros([B, steps - n, K]); // [B, steps − n, K]
      const padded = steps > n ? np.concatenate([inside, open()], 1) : inside; // [B, steps, K]
      return np.add(base.atAllSteps(baseInputs(inputs), paths), padded); // [B, steps, K]
    },
  };
}

/**
 * Extends a context for `partiallyObserved`. `tokens` has the observed token of each step, or −1 if the step is open.
 * The context embedding includes all observed tokens, so that the proposal sees those of later steps.
 */
export function partiallyObservedContext(
  context: PathContext,
  tokens: readonly number[],
  K: number,
): PathContext {
  const { context: base } = context.inputs;
  const [W, n] = [base.length, tokens.length];
  const extended = new Float32Array(W + 2 * n);
  const observed = new Float32Array(n * K);
  extended.set(base);
  tokens.forEach((token, t) => {
    if (token < 0) return;
    observed[t * K + token] = 1;
    extended[W + t] = (2 * token + 1) / K - 1;
    extended[W + n + t] = 1;
  });
  return { ...context, inputs: { ...context.inputs, context: extended, observed } };
}
