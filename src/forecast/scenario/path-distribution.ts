// A distribution over token paths as array functions, and contexts that define the values of its tokens. Scenarios start
// from such a base distribution, usually that of a trained model (model-path-distribution.ts).

import type { numpy as np } from "@jax-js/jax";
import type { ArraySpec, TypedArray } from "../../engine/index.ts";
import type { NamedArrays } from "../flow/problem.ts";

export interface PathDistribution {
  /** K: number of tokens. */
  readonly tokens: number;
  /** P: largest number of steps. A step is one target at one time; the targets of a time follow each other. */
  readonly steps: number;
  /** M: number of targets. */
  readonly targets: number;
  /** The arrays of one context by name. One of them is `context`, [W], the embedding that the proposal network sees. */
  readonly inputs: Readonly<Record<string, ArraySpec>>;
  /** W: width of the context embedding. */
  readonly contextWidth: number;
  /** True if the probabilities of a step may sum to less than 1, so that sampled paths need weights. Default: false. */
  readonly unnormalised?: boolean;
  /** log p of all tokens at step t, [B, K], after the first t tokens of the path, one-hot [B, K] each. */
  atStep(inputs: NamedArrays, t: number, path: readonly np.Array[]): np.Array;
  /** log p of all tokens at all steps of paths, one-hot [B, n, K]: [B, n, K]. A row of zeros is an unknown token. */
  atAllSteps(inputs: NamedArrays, paths: np.Array): np.Array;
}

/** One context of a path distribution. */
export interface PathContext {
  readonly id: string;
  readonly inputs: Readonly<Record<string, TypedArray>>;
  /**
   * Mean of the values that each token stands for at each step, [P, K]. If these values depend on earlier steps, as
   * with seasonal differences, the earlier steps are assumed to have their expected values.
   */
  readonly tokenMeans: Float64Array;
  /** Standard deviation of the same values, [P, K]. */
  readonly tokenDeviations: Float64Array;
  /** Share of the values of a token at a step that are below x. */
  shareBelow(t: number, token: number, x: number): number;
  /** Values of a path of tokens, placed within their bins by one uniform random number each. */
  valuesOf(tokens: Int32Array, uniform: () => number): Float64Array;
}
