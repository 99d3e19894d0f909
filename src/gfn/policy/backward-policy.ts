// Log-probabilities of the backward policy at the steps of a batch: of parent edges, and of parents.

import { numpy as np } from "@jax-js/jax";
import { MASKED_LOGIT } from "../../nn/activations.ts";
import { logSumExp, maskedLogSoftmax } from "../../nn/index.ts";
import { isTree } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import type { Objective } from "../objectives/objective.ts";
import type { Batch } from "../sampling/batch.ts";

/** Whether an objective reads the logits of the backward policy. If not, the network has none: on a tree a state has a single
 * parent, so that only objectives over actions depend on which of the parent edges was taken. */
export function readsBackwardPolicy(
  environment: Environment,
  { dynamics, loss }: Pick<Objective, "dynamics" | "loss">,
): boolean {
  if (loss === "kl-literal" || dynamics === "joint" || dynamics === "none-intended") return true;
  return dynamics !== "expected" && !isTree(environment);
}

/** log π_B of every parent edge of the state after each step, [N, backwardActions], from the backward logits of all
 * states of the batch, [(T + 1)·B, backwardActions]. */
export function logBackwardPolicy(
  { B, backwardAllowed }: Pick<Batch, "B" | "backwardAllowed">,
  logits: np.Array,
): np.Array {
  const [, later] = np.split(logits, [B], 0); // [N, backwardActions]
  return maskedLogSoftmax(later, backwardAllowed); // [N, backwardActions]
}

/** log P_B of the parent of each step, [N]: the sum over the parent edges with this parent and outcome. 0 on a tree, where
 * the parent is certain, and at a stop. */
export function logParentProbability(
  { T, B, sameParent, stop }: Pick<Batch, "T" | "B" | "sameParent" | "stop">,
  logBackward: np.Array,
): np.Array {
  if (!sameParent) return np.zeros([T * B]); // [N]
  const sameParentOnly = np.where(np.less(0.5, sameParent), logBackward, MASKED_LOGIT); // [N, backwardActions]
  return np.multiply(logSumExp(sameParentOnly), np.subtract(1, stop)); // [N]
}
