// The objective of a GFlowNet over token paths. With action a, outcome x, channel C and context c, the balance is
//   F(s; c) π(a | s; c) C[a, x] = F(s, x; c) π_B(a | s, x; c),  where F of a complete path is its reward.
//
// The marginal form sums both sides over actions and needs no π_B. In the joint form π_B is masked to the actions that can
// lead to the outcome. Without the mask, impossible actions could absorb reward: the loss would be near 0 at a wrong
// distribution. Residuals and losses are those of src/gfn/objectives; this file only computes their terms.

import { lax, numpy as np } from "@jax-js/jax";
import { residualLoss } from "../../gfn/objectives/loss.ts";
import type { ResidualLossName } from "../../gfn/objectives/objective.ts";
import { balanceResiduals, weightedMean } from "../../gfn/objectives/residuals.ts";
import { logSoftmax, logSumExp, markedEntries, maskedLogSoftmax, sampleCategorical } from "../../nn/index.ts";
import { possibleActions } from "./channel.ts";
import type { FlowModel, StepOutputs } from "./flow-model.ts";
import type { PathRollout } from "./rollout.ts";

/** Names of the balances of GFlowNets over token paths. */
export const FLOW_BALANCES = ["db", "tb", "subtb"] as const;
/** Names of the forms in which the channel enters the balance. */
export const FLOW_FORMS = ["marginal", "joint"] as const;

/** The objective of a GFlowNet over token paths. */
export interface FlowObjective {
  readonly balance: (typeof FLOW_BALANCES)[number];
  /** How the channel enters the balance. Without a channel both forms are the same. */
  readonly form: (typeof FLOW_FORMS)[number];
  readonly loss: ResidualLossName;
  /** If true, log F is the output of the network plus the partial log rewards up to the state. */
  readonly forwardLooking?: boolean;
  /** For `subtb`: sub-trajectories of n steps have weight λⁿ. Default: 1. */
  readonly lambda?: number;
}

/** The inputs of the loss for H steps of B paths; N = H·B. */
export interface FlowBatch {
  readonly outputs: StepOutputs;
  readonly rollout: PathRollout;
  /** log C or its model, [K, K]; null without a channel. */
  readonly logChannel: np.Array | null;
  /** [B] */
  readonly logReward: np.Array;
  /** The term that each step adds to the estimate of log F, [B, H]; null if the form is not forward-looking. */
  readonly partialLogRewards: np.Array | null;
  /** 1 for rows that follow an off-policy path, whose actions are unknown, [B]; null if there are none. */
  readonly offPolicy: np.Array | null;
  /** Uniform random numbers that sample the unknown actions from the backward policy, [N, K]. */
  readonly uniform: np.Array;
}

/** The loss, [], and the log-probability of each outcome, [N]. */
export function flowLoss(
  model: FlowModel,
  objective: FlowObjective,
  batch: FlowBatch,
): { readonly loss: np.Array; readonly logOutcome: np.Array } {
  const { horizon: H } = model.problem;
  const { outputs, rollout, logChannel, logReward, partialLogRewards } = batch;
  const N = rollout.outcomes.shape[0];
  const B = N / H;
  const logPolicy = logSoftmax(outputs.policy); // [N, K]
  // The channel model is fitted to observed outcomes only; the balance must not change it.
  const logC = logChannel && lax.stopGradient(logChannel); // [K, K]
  const logOutcomeByAction = logC ? np.matmul(rollout.outcomes, np.transpose(logC)) : null; // [N, K actions]
  const logOutcome = logOutcomeByAction
    ? logSumExp(np.add(logPolicy, logOutcomeByAction)) // [N]
    : markedEntries(logPolicy, rollout.outcomes); // [N]
  const { forward, backward } =
    objective.form === "joint" && logOutcomeByAction
      ? jointTerms(model, batch, np.add(logPolicy, logOutcomeByAction))
      : { forward: logOutcome, backward: np.zeros([N]) };
  // The final states have no flow: `balanceResiduals` uses the reward there.
  const learned = np.concatenate([outputs.flow.reshape([N]), np.zeros([B])], 0); // [N + B]
  const logFlow = partialLogRewards ? np.add(learned, cumulative(partialLogRewards)) : learned; // [N + B]
  const span = { T: H, B, running: np.ones([N]), ends: isLastStep(H, B) };
  const { residual, weight } = balanceResiduals(
    objective.balance,
    span,
    { logFlow, forward, backward, bootstraps: false },
    logReward,
    { lambda: objective.lambda ?? 1 },
  );
  return { loss: weightedMean(residualLoss(objective.loss, residual), weight), logOutcome };
}

/**
 * log π(a | s) + log C[a, x] and log π_B(a | s, x) of the actions taken, [N] each. `logJoint` is the former for all
 * actions, [N, K].
 */
function jointTerms(
  model: FlowModel,
  { outputs, rollout: { actions, outcomes }, offPolicy, uniform }: FlowBatch,
  logJoint: np.Array,
) {
  const { tokens: K, channel } = model.problem;
  const N = outcomes.shape[0];
  if (!outputs.backward || !channel)
    throw new TypeError("flow: internal: the joint form needs a backward head");
  const logits = np.sum(np.multiply(outputs.backward.reshape([N, K, K]), outcomes.reshape([N, K, 1])), 1); // [N, K actions]
  const support = possibleActions(K, channel).astype(np.float32); // [K outcomes, K actions]
  const logBackward = maskedLogSoftmax(logits, np.less(0.5, np.matmul(outcomes, support))); // [N, K]
  const hindsight = lax.stopGradient(sampleCategorical(logBackward, uniform)); // [N, K]
  const steps = N / (offPolicy?.shape[0] ?? N);
  const unknown = offPolicy && np.broadcastTo(offPolicy, [steps, N / steps]).reshape([N, 1]); // [N, 1]
  const taken = unknown ? np.where(np.less(0.5, unknown), hindsight, actions) : actions; // [N, K]
  return { forward: markedEntries(logJoint, taken), backward: markedEntries(logBackward, taken) };
}

/** Cross-entropy of the channel model, []: the mean of −log Ĉ[action, outcome] over the rows that are not off-policy. */
export function channelLoss(
  logChannel: np.Array,
  { actions, outcomes }: PathRollout,
  offPolicy: np.Array | null,
): np.Array {
  const logs = markedEntries(np.matmul(actions, logChannel), outcomes); // [N]
  if (!offPolicy) return np.negative(np.mean(logs)); // []
  const [N] = logs.shape;
  const [B] = offPolicy.shape;
  const onPolicy = np.broadcastTo(np.subtract(1, offPolicy), [N / B, B]).reshape([N]); // [N]
  return np.negative(maskedMean(logs, onPolicy)); // []
}

/** Mean of the values where the mask is 1, []; 0 if the mask is 0 everywhere. */
export function maskedMean(values: np.Array, mask: np.Array): np.Array {
  const count = np.maximum(np.sum(mask), 1); // []
  return np.divide(np.sum(np.multiply(values, mask)), count); // []
}

/** Sums of the partial log rewards before each state, including the final one: [B, H] to [(H + 1)·B]. */
function cumulative(partial: np.Array): np.Array {
  const [B, H] = partial.shape;
  const before = Float32Array.from({ length: H * (H + 1) }, (_, i) => (Math.floor(i / H) > i % H ? 1 : 0));
  const sums = np.matmul(np.array(before, { shape: [H + 1, H] }), np.transpose(partial)); // [H + 1, B]
  return sums.reshape([(H + 1) * B]); // [(H + 1)·B]
}

/** 1 at the last step of every path, [H·B]. */
function isLastStep(H: number, B: number): np.Array {
  return np.array(Float32Array.from({ length: H * B }, (_, i) => (i >= (H - 1) * B ? 1 : 0))); // [N]
}
