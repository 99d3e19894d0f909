// The object marginal q(x): a learned model of the probability that the policy builds an object, summed over all thoughts.
// The dynamics form `thought` needs it.
//
// A trajectory ends in a pair of object and thought, but only the object has a reward, which may be divided among its
// thoughts in any proportion. Here each thought receives its posterior probability under the policy, which is, by Bayes'
// rule, the probability of the trajectory divided by the probability of its object. The former is a product of policy and
// dynamics terms. The latter is learned autoregressively: the probability of the next outcome in each state, averaged over
// all thoughts that lead there. The model is trained by cross-entropy on on-policy trajectories, with a higher learning
// rate than the policy, and the balance treats it as a constant. On-policy training with the `kl` loss is then
// expectation maximisation, which converges to the best policy conditioned on the thought (docs/mathematics.md).

import { lax, numpy as np } from "@jax-js/jax";
import { markedEntries, maskedLogSoftmax } from "../../nn/index.ts";
import type { Model } from "../policy/model.ts";
import type { PolicyOutputs } from "../policy/networks.ts";
import { type Batch, repeatAtSteps, sumOverSteps } from "../sampling/batch.ts";
import type { BalanceTerms } from "./balance-terms.ts";

export interface ObjectMarginal {
  /** log q(x) of the object of each trajectory, without a gradient, [B]. */
  readonly logProbability: np.Array;
  /** Mean cross-entropy over the steps of on-policy trajectories, which trains q, []. */
  readonly crossEntropy: np.Array;
}

/** `onPolicy` is 1 for trajectories that the policy sampled, [B]; null if all are. */
export function objectMarginal(
  model: Model,
  policy: np.Array,
  batch: Batch,
  outputs: PolicyOutputs,
  logDynamics: np.Array,
  onPolicy: np.Array | null,
): ObjectMarginal {
  const { T, B, running } = batch;
  const N = T * B;
  if (!model.objectMarginalLogits) {
    throw new TypeError("objectMarginal: internal: the model has no object marginal");
  }
  const [features] = np.split(batch.features, [N], 0); // [N, features]
  const [index] = np.split(batch.index, [N], 0); // [N]
  const logits = model.objectMarginalLogits(policy, features, index); // [N, actions]
  const logMarginal = maskedLogSoftmax(logits, nextAllowed(batch)); // [N, actions]
  // The expectation over the next outcome has a lower variance than the sampled outcome.
  const expected = lax.stopGradient(nextOutcomeProbabilities(batch, outputs, logDynamics)); // [N, actions]
  const counted = onPolicy ? np.multiply(repeatAtSteps(onPolicy, batch), running) : running; // [N]
  const sum = np.sum(np.multiply(np.sum(np.multiply(logMarginal, expected), 1), counted)); // []
  const logNext = markedEntries(logMarginal, nextOutcome(batch, logMarginal.shape[1])); // [N]
  return {
    logProbability: lax.stopGradient(sumOverSteps(np.multiply(logNext, running), batch)), // [B]
    crossEntropy: np.negative(np.divide(sum, np.maximum(np.sum(counted), 1))), // []
  };
}

/** log of the posterior probability of each trajectory's thought, given its object, without a gradient, [B]. */
export function logThoughtPosterior(
  { forward }: BalanceTerms,
  batch: Batch,
  { logProbability }: ObjectMarginal,
): np.Array {
  const logTrajectory = sumOverSteps(np.multiply(forward, batch.running), batch); // [B]
  return np.subtract(lax.stopGradient(logTrajectory), logProbability); // [B]
}

/** Probabilities of each outcome, and of the stop if there is one, given the history, [N, actions]. */
function nextOutcomeProbabilities(batch: Batch, outputs: PolicyOutputs, logDynamics: np.Array): np.Array {
  const [N, C] = batch.outcomes.shape;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const policy = np.exp(maskedLogSoftmax(stepLogits, batch.allowed)); // [N, actions]
  const [moves, stop] = policy.shape[1] > C ? np.split(policy, [C], 1) : [policy]; // [N, C], [N, 1]
  const outcomes = np.sum(np.multiply(moves.reshape([N, C, 1]), np.exp(logDynamics)), 1); // [N, C]
  return stop ? np.concatenate([outcomes, stop], 1) : outcomes; // [N, actions]
}

/** Mask of the legal outcomes, and of the stop if there is one, [N, actions]. */
function nextAllowed({ allowed, outcomeAllowed }: Batch): np.Array {
  const [, C] = outcomeAllowed.shape;
  if (allowed.shape[1] === C) return outcomeAllowed; // [N, actions]
  return np.concatenate([outcomeAllowed, np.split(allowed, [C], 1)[1]], 1); // [N, actions]
}

/** The sampled outcome or stop, one-hot [N, actions]. */
function nextOutcome({ outcomes, stop }: Batch, actions: number): np.Array {
  const [N, C] = outcomes.shape;
  return actions > C ? np.concatenate([outcomes, stop.reshape([N, 1])], 1) : outcomes; // [N, actions]
}
