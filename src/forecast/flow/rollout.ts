// Samples paths for training, step by step: the policy samples an action, the noise channel turns it into an outcome.
// Off-policy rows follow paths from another source instead.

import { numpy as np } from "@jax-js/jax";
import { oneHot, sampleCategorical } from "../../nn/index.ts";
import { logChannelMatrix } from "./channel.ts";
import type { FlowModel } from "./flow-model.ts";
import type { EncodedContext } from "./problem.ts";

/** How each of B rows is sampled. */
export interface RowSampling {
  /** Divisor of the logits, [B]. */
  readonly temperature: np.Array;
  /** Probability of a uniform action at each step, [B]. */
  readonly epsilon: np.Array;
  /** 1 for rows that follow an off-policy path, [B]. Omit if there are no such rows. */
  readonly offPolicy?: np.Array;
  /** The tokens of the off-policy paths, int32 [B, H]. The other rows are ignored. */
  readonly offPolicyPaths?: np.Array;
}

/** H steps of B paths, one-hot [H·B, K]. Rows are ordered by step, then by path. */
export interface PathRollout {
  /** Actions. In off-policy rows the true actions are unknown; here they are samples that the outcomes ignore. */
  readonly actions: np.Array;
  readonly outcomes: np.Array;
}

/** How many uniform random numbers one step of one path consumes: K for the action, K for the outcome, 1 for ε. */
export function uniformsPerStep(tokens: number): number {
  return 2 * tokens + 1;
}

/** Samples one path per row. `uniform` is [H, B, uniformsPerStep]. */
export function rolloutPaths(
  model: FlowModel,
  params: ReturnType<FlowModel["params"]>,
  context: EncodedContext,
  uniform: np.Array,
  { temperature, epsilon, offPolicy, offPolicyPaths }: RowSampling,
): PathRollout {
  const { tokens: K, horizon: H, channel } = model.problem;
  const B = uniform.shape[1];
  const perStep = np.split(uniform.reshape([H * B, uniformsPerStep(K)]), H, 0); // H × [B, 2·K + 1]
  const logC = channel ? logChannelMatrix(K, channel) : null; // [K, K]
  const forced =
    offPolicy && offPolicyPaths
      ? { mask: np.less(0.5, offPolicy).reshape([B, 1]), tokens: oneHot(offPolicyPaths, K) }
      : null;
  const actions: np.Array[] = [];
  const outcomes: np.Array[] = [];
  for (let t = 0; t < H; t++) {
    const [forAction, forOutcome, forEpsilon] = np.split(perStep[t], [K, 2 * K], 1); // [B, K], [B, K], [B, 1]
    const { policy } = model.atStep(params, t, context, outcomes, B); // [B, K]
    const action = sampleCategorical(policy, forAction, {
      temperature: temperature.reshape([B, 1]),
      exploration: { epsilon: epsilon.reshape([B, 1]), uniform: forEpsilon },
    }); // [B, K]
    const outcome = logC ? sampleCategorical(np.matmul(action, logC), forOutcome) : action; // [B, K]
    actions.push(action);
    outcomes.push(forced ? np.where(forced.mask, forced.tokens.slice([], t), outcome) : outcome); // [B, K]
  }
  return { actions: np.concatenate(actions, 0), outcomes: np.concatenate(outcomes, 0) };
}
