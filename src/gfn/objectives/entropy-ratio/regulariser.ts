// The entropy regulariser: −E[h log r̃ + (1 − γ)(1 − h) log(1 − r̃)] over the states that the policy visits.
//
// It trains the entropies h and treats r̃ as a constant. The expectation is over on-policy trajectories only, whose states
// occur with the frequencies of the policy.

import { lax, numpy as np } from "@jax-js/jax";
import type { Environment } from "../../environment/environment.ts";
import { explorationUniforms } from "../../sampling/rollout.ts";
import type { StepEntropies } from "./ratio-terms.ts";

/** The regulariser over the steps of weight 1, []; 0 if there are none. `weight` is 0/1, [N]. */
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

/** Inputs of the rollout that decide whether a row is on-policy. */
export interface SamplingInputs {
  /** Random numbers of the rollout, [T, B, uniformsPerStep]. */
  readonly uniform: np.Array;
  readonly epsilon?: np.Array;
  readonly temperature?: np.Array;
  /** 1 for an off-policy row, [B]. */
  readonly offPolicyMask?: np.Array;
}

/**
 * 1 for rows in which the policy sampled every action, [B]. A row that explores after its end is excluded as well:
 * otherwise short trajectories would be kept more often than long ones.
 */
export function onPolicyRows(
  environment: Environment,
  { uniform, epsilon, temperature, offPolicyMask }: SamplingInputs,
): np.Array {
  const [, B] = uniform.shape;
  const not = (condition: np.Array) => np.subtract(1, condition.astype(np.float32)); // [...]
  const factors = [
    ...(offPolicyMask ? [np.subtract(1, offPolicyMask)] : []), // [B]
    ...(epsilon ? [not(np.less(np.min(explorationUniforms(environment, uniform), 0), epsilon))] : []), // [B]
    ...(temperature ? [np.equal(temperature, 1).astype(np.float32)] : []), // []
  ];
  return factors.reduce((product, factor) => np.multiply(product, factor), np.ones([B])); // [B]
}
