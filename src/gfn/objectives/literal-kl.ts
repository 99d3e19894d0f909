// The loss `kl-literal`: the KL divergence of the policy from the backward policy, over the actions of each step. It is a
// plausible but wrong objective, which is kept for comparison.
//
// The two distributions answer different questions: which action to take now, and which action was taken before. Given a
// correct backward policy they agree only if both are deterministic, so minimising the divergence makes the policy
// deterministic. The loss does not depend on the reward.

import { lax, numpy as np } from "@jax-js/jax";
import { markedEntries, maskedLogSoftmax } from "../../nn/index.ts";
import { type Environment, isEnumerable } from "../environment/environment.ts";
import { logBackwardPolicy } from "../policy/backward-policy.ts";
import type { PolicyOutputs } from "../policy/networks.ts";
import type { Batch } from "../sampling/batch.ts";

/**
 * Σ_a π(a|s) (log π(a|s) − log π_B(a|s') − log r(s)) over the actions except the stop, with π_B and the entropy ratio r
 * held fixed, plus the cross-entropy −log π_B of the action taken, which trains π_B. Per step, [N]; 0 at a stop. Without
 * the fixed π_B, the backward policy would copy the policy, because on a tree a state determines its parent, and the
 * divergence would be zero for every policy. A gradient through r would train the entropies, as in `withEntropyRatio`.
 */
export function literalKl(batch: Batch, outputs: PolicyOutputs, logRatio: np.Array | null): np.Array {
  const { T, B } = batch;
  const N = T * B;
  const [, C] = batch.outcomes.shape;
  const [stepLogits] = np.split(outputs.forward, [N], 0); // [N, actions]
  const logPolicy = maskedLogSoftmax(stepLogits, batch.allowed); // [N, actions]
  const [logMoves] = logPolicy.shape[1] > C ? np.split(logPolicy, [C], 1) : [logPolicy]; // [N, C]
  const logBackward = logBackwardPolicy(batch, outputs.backward); // [N, C]
  const difference = np.subtract(logMoves, lax.stopGradient(logBackward)); // [N, C]
  const withMargin = logRatio
    ? np.subtract(difference, lax.stopGradient(logRatio).reshape([N, 1]))
    : difference; // [N, C]
  const divergence = np.sum(np.multiply(np.exp(logMoves), withMargin), 1); // [N]
  const crossEntropy = np.negative(markedEntries(logBackward, batch.backwardAction)); // [N]
  return np.multiply(np.add(divergence, crossEntropy), np.subtract(1, batch.stop)); // [N]
}

/** The reason why an environment cannot use this loss, or null: every action needs a backward probability. */
export function literalProblem(environment: Environment): string | null {
  const { name, backwardActions, outcomes, stick } = environment;
  // Environments without an enumeration do not declare whether they are a tree.
  const tree = !isEnumerable(environment) || environment.tree;
  if (!tree || backwardActions !== outcomes) {
    return `kl-literal needs a tree, where the parent edges of a state differ by action only, but ${name} is not a tree; use kl`;
  }
  return stick === 0
    ? "kl-literal is infinite without noise, because every outcome is the action; use kl"
    : null;
}
