// The entropy regulariser: −E[h log r̃ + (1 − γ)(1 − h) log(1 − r̃)] over the states that the policy visits.
//
// Only entropies h are trained by it; r̃ is held fixed. Visits are counted in episodes that the policy drew all by
// itself, so that their frequencies are its own.

import { lax, numpy as np } from "@jax-js/jax";
import type { Environment } from "../environment.ts";
import { chancesOf } from "../rollout.ts";
import type { StepEntropies } from "./in-training.ts";

/** `weight` is 1 where a step counts, [N]; if none does, the result is 0. */
export function entropyRegulariser(
  { entropy, logShare, logRest }: Pick<StepEntropies, "entropy" | "logShare" | "logRest">,
  gamma: np.Array,
  weight: np.Array,
): np.Array {
  const high = np.multiply(entropy, lax.stopGradient(logShare)); // [N]
  const low = np.multiply(np.subtract(1, entropy), lax.stopGradient(logRest)); // [N]
  const sum = np.add(high, np.multiply(low, np.subtract(1, gamma))); // [N]
  return np.negative(np.divide(np.sum(np.multiply(sum, weight)), np.maximum(np.sum(weight), 1))); // []
}

/** What decides whether the policy drew a row, as far as it is used. */
export interface Drawing {
  /** Random numbers of the rollout, [T, B, uniformsPerStep]. */
  readonly uniform: np.Array;
  readonly epsilon?: np.Array;
  readonly temperature?: np.Array;
  /** 1 where a row is given, [B]. */
  readonly givenRows?: np.Array;
}

/**
 * 1 for rows that the policy drew all by itself, [B]. A uniform draw after a row's end excludes it as well: otherwise
 * short episodes would be kept more often than long ones.
 */
export function ownRows(
  environment: Environment,
  { uniform, epsilon, temperature, givenRows }: Drawing,
): np.Array {
  const [, B] = uniform.shape;
  const not = (truth: np.Array) => np.subtract(1, truth.astype(np.float32)); // [...]
  const parts = [
    ...(givenRows ? [np.subtract(1, givenRows)] : []), // [B]
    ...(epsilon ? [not(np.less(np.min(chancesOf(environment, uniform), 0), epsilon))] : []), // [B]
    ...(temperature ? [np.equal(temperature, 1).astype(np.float32)] : []), // []
  ];
  return parts.reduce((own, part) => np.multiply(own, part), np.ones([B])); // [B]
}
