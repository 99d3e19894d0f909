// The thought behind an object, as a model of it has it.
//
// Histories end in pairs of object and thought, and only the object has a reward. Which share of it a thought gets is free:
// the reward is shared out as the policy itself would have thought, given the object. That posterior is what the policy
// and the dynamics say of an intention once its outcome is known, times a learned factor for what came later. The factor
// is learned by cross-entropy on the policy's own episodes; the balance sees the posterior held fixed. Trained on-policy
// with the kl form, the balance is then expectation maximisation: it ends at the best policy that reads the thought
// (docs/mathematics.md).

import { lax, numpy as np } from "@jax-js/jax";
import { maskedLogSoftmax } from "../nn/index.ts";
import type { Batch } from "./batch.ts";
import type { Model } from "./model.ts";
import type { PolicyOutputs } from "./networks.ts";
import { stepsBefore } from "./policy-pass.ts";

export interface ThoughtPosterior {
  /** log q(thought | object) of each episode, held fixed; [B]. */
  readonly logThought: np.Array;
  /** Mean of −log q over the episodes that were drawn, []. */
  readonly crossEntropy: np.Array;
}

/** `drawn` is 1 for episodes of the policy's own, [B]. */
export function thoughtPosterior(
  model: Model,
  policy: np.Array,
  batch: Batch,
  outputs: PolicyOutputs,
  logDynamics: np.Array,
  drawn: np.Array | null,
): ThoughtPosterior {
  const { T, B, running, stop } = batch;
  if (!model.thoughtsOf) throw new TypeError("thoughtPosterior: internal: the model has none");
  const objects = np.split(batch.features, [T * B], 0)[1]; // [B, features]
  const logits = model.thoughtsOf(policy, objects, stepsBefore(batch, T - 1)); // [N, classes]
  const C = batch.outcomes.shape[1];
  const [stepLogits] = np.split(outputs.forward, [T * B], 0); // [N, actions]
  const logPolicy = maskedLogSoftmax(stepLogits, batch.allowed); // [N, actions]
  const logMoves = logPolicy.shape[1] > C ? np.split(logPolicy, [C], 1)[0] : logPolicy; // [N, C]
  const likelihood = np.sum(np.multiply(logDynamics, batch.outcomes.reshape([T * B, 1, C])), 2); // [N, C]
  // A thought that could not have led here gets nothing, however little has been learned.
  const filtered = lax.stopGradient(np.add(logMoves, likelihood)); // [N, C]
  const logs = np.sum(
    np.multiply(maskedLogSoftmax(np.add(filtered, logits), batch.backwardAllowed), batch.backwardClass),
    1,
  ); // [N]
  const moves = np.multiply(running, np.subtract(1, stop)); // [N]
  const logThought = np.sum(np.multiply(logs, moves).reshape([T, B]), 0); // [B]
  const weight = drawn ?? np.ones([B]); // [B]
  const mean = np.divide(np.sum(np.multiply(logThought, weight)), np.maximum(np.sum(weight), 1)); // []
  return { logThought: lax.stopGradient(logThought), crossEntropy: np.negative(mean) };
}
