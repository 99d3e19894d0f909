// The probabilities of sampled trajectories under the policy and under the target, both relative to the uniform policy,
// which draws every legal action with the same probability. Mean matching compares expected scores by them.

import { numpy as np } from "@jax-js/jax";
import { maskedLogSoftmax } from "../../nn/index.ts";
import type { Environment } from "../environment/environment.ts";
import { logBackwardPolicy, logParentProbability } from "../policy/backward-policy.ts";
import { flattenTrajectories, sumOverSteps } from "./batch.ts";
import type { Trajectories } from "./rollout.ts";

/**
 * Logarithms of two ratios for each trajectory, [B] each. `logPolicyRatio`: the probability of its actions under the policy
 * with these logits, T × [B, actions] or [1, actions], divided by that under the uniform policy. Noise cancels in it.
 * `logTargetRatio`: the probability of the trajectory given its object under the uniform backward policy, divided by that
 * under the uniform policy. Times the reward, it is the weight of a draw of the uniform policy as a draw of the target, if
 * noise leaves uniform actions uniform, as stick noise does.
 */
export function drawProbabilities(
  environment: Environment,
  trajectories: Trajectories,
  logits: readonly np.Array[],
) {
  const batch = flattenTrajectories(environment, trajectories);
  const { T, B, actions, allowed, running } = batch;
  const rows = logits.map((step) => np.broadcastTo(step, [B, environment.actions])); // T × [B, actions]
  const logPolicy = maskedLogSoftmax(np.concatenate(rows, 0), allowed); // [N, actions]
  const logChosen = np.sum(np.where(np.less(0.5, actions), logPolicy, 0), 1); // [N]
  const logLegal = np.log(np.sum(allowed.astype(np.float32), 1)); // [N]
  const equal = np.zeros([(T + 1) * B, environment.backwardActions]); // [(T + 1)·B, backwardActions]
  const logParent = logParentProbability(batch, logBackwardPolicy(batch, equal)); // [N]
  const total = (steps: np.Array) => sumOverSteps(np.where(np.less(0.5, running), steps, 0), batch); // [B]
  return {
    logPolicyRatio: total(np.add(logChosen, logLegal)), // [B]
    logTargetRatio: total(np.add(logParent, logLegal)), // [B]
  };
}
