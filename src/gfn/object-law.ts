// How likely the policy's objects are, whatever the thought, as a model of its own episodes has it.
//
// Histories end in pairs of object and thought, and only the object has a reward. Which share of it a thought gets is free:
// it is shared out as the policy itself would have thought, given the object. By Bayes' rule that is how likely the history
// is, over how likely the object is. The first is a product of what the policy and the dynamics say. The second is learned:
// in each state, how often each outcome comes next, as a mean over all thoughts that led there. It is learned by
// cross-entropy on the policy's own episodes, faster than the policy, which it must follow; the balance sees it held
// fixed. Trained on-policy with the kl form, the balance is then expectation maximisation: it ends at the best policy that
// reads the thought (docs/mathematics.md).

import { lax, numpy as np } from "@jax-js/jax";
import { maskedLogSoftmax } from "../nn/index.ts";
import type { Batch } from "./batch.ts";
import type { Model } from "./model.ts";
import type { PolicyOutputs } from "./networks.ts";
import { episodeSum } from "./objectives/balance.ts";
import type { Terms } from "./objectives/terms.ts";

export interface ObjectLaw {
  /** log of how likely each episode's object is, held fixed; [B]. */
  readonly logObject: np.Array;
  /** Mean over the steps of episodes that were drawn, []. */
  readonly crossEntropy: np.Array;
}

/** `drawn` is 1 for episodes of the policy's own, [B]. */
export function objectLaw(
  model: Model,
  policy: np.Array,
  batch: Batch,
  outputs: PolicyOutputs,
  logDynamics: np.Array,
  drawn: np.Array | null,
): ObjectLaw {
  const { T, B, running } = batch;
  const N = T * B;
  if (!model.nextOf) throw new TypeError("objectLaw: internal: the model has none");
  const [features] = np.split(batch.features, [N], 0); // [N, features]
  const [index] = np.split(batch.index, [N], 0); // [N]
  const logs = maskedLogSoftmax(model.nextOf(policy, features, index), batch.allowed); // [N, actions]
  // The mean over what may come next has less noise than what came.
  const expected = lax.stopGradient(expectedNext(batch, outputs, logDynamics)); // [N, actions]
  const own = drawn ? np.multiply(np.broadcastTo(drawn, [T, B]).reshape([N]), running) : running; // [N]
  const sum = np.sum(np.multiply(np.sum(np.multiply(logs, expected), 1), own)); // []
  const said = np.multiply(np.sum(np.multiply(logs, cameNext(batch, logs.shape[1])), 1), running); // [N]
  return {
    logObject: lax.stopGradient(np.sum(said.reshape([T, B]), 0)), // [B]
    crossEntropy: np.negative(np.divide(sum, np.maximum(np.sum(own), 1))), // []
  };
}

/** log of the share that each episode's thought has among all that may be behind its object, held fixed; [B]. */
export function shareOfThought(
  { forward }: Terms,
  { T, B, running }: Batch,
  { logObject }: ObjectLaw,
): np.Array {
  const logHistory = episodeSum(np.multiply(forward, running), T, B); // [B]
  return np.subtract(lax.stopGradient(logHistory), logObject); // [B]
}

/** How likely each outcome is after each history, and to stop, where that may be; [N, actions]. */
function expectedNext(batch: Batch, outputs: PolicyOutputs, logDynamics: np.Array): np.Array {
  const [N, C] = batch.outcomes.shape;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const policy = np.exp(maskedLogSoftmax(stepLogits, batch.allowed)); // [N, actions]
  const [moves, stop] = policy.shape[1] > C ? np.split(policy, [C], 1) : [policy]; // [N, C], [N, 1]
  const outcomes = np.sum(np.multiply(moves.reshape([N, C, 1]), np.exp(logDynamics)), 1); // [N, C]
  return stop ? np.concatenate([outcomes, stop], 1) : outcomes; // [N, actions]
}

/** What came, or the stop, one-hot [N, actions]. */
function cameNext({ outcomes, stop }: Batch, actions: number): np.Array {
  const [N, C] = outcomes.shape;
  return actions > C ? np.concatenate([outcomes, stop.reshape([N, 1])], 1) : outcomes; // [N, actions]
}
