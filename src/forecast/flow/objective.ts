// The balance that a flow over token paths must satisfy, conditional on its context:
//   F(s; c) π(a | s; c) C[a, x] = F(s, x; c) π_B(a | s, x; c),  with F of a whole path its reward.
//
// The marginal form sums over intentions and needs no π_B. In the joint form π_B is over the intentions that the token
// can come of: were it over all of them, impossible ones would swallow reward, with a loss near 0 and a wrong law.

import { lax, numpy as np } from "@jax-js/jax";
import { gumbel, largest } from "../../gfn/draw.ts";
import { residualsOf, weightedMean } from "../../gfn/objectives/balance.ts";
import type { RegressionName } from "../../gfn/objectives/choice.ts";
import { lossOf } from "../../gfn/objectives/loss.ts";
import { logSoftmax, logSumExp, maskedLogSoftmax } from "../../nn/index.ts";
import { couldCome } from "./channel.ts";
import type { FlowModel, StepOutputs } from "./model.ts";
import type { Paths } from "./rollout.ts";

export const FLOW_BALANCES = ["db", "tb", "subtb"] as const;
export const FLOW_FORMS = ["marginal", "joint"] as const;

export interface FlowObjective {
  readonly balance: (typeof FLOW_BALANCES)[number];
  /** How the channel enters; without one both are the plain balance. */
  readonly form: (typeof FLOW_FORMS)[number];
  readonly loss: RegressionName;
  /** log F is the sum of partial log rewards plus what the network says. */
  readonly forwardLooking?: boolean;
  /** For subtb: stretches of n steps count λⁿ. */
  readonly lambda?: number;
}

/** What the loss is made of, for H steps of B paths; N = H·B. */
export interface FlowBatch {
  readonly outputs: StepOutputs;
  readonly paths: Paths;
  /** log C or its model, [K, K]; null without a channel. */
  readonly logChannel: np.Array | null;
  /** [B] */
  readonly logReward: np.Array;
  /** What each step adds to the guess of log F, [B, H]; in the forward-looking form only. */
  readonly partial: np.Array | null;
  /** 1 where a row's path was given, so that its intentions are not known, [B]; null if none is. */
  readonly given: np.Array | null;
  /** Uniform numbers for intentions drawn in hindsight, [N, K]. */
  readonly uniform: np.Array;
}

/** The loss, [], and log of the probability that each token comes, [N]. */
export function flowLoss(
  model: FlowModel,
  objective: FlowObjective,
  batch: FlowBatch,
): { readonly loss: np.Array; readonly logToken: np.Array } {
  const { horizon: H } = model.problem;
  const { outputs, paths, logChannel, logReward, partial } = batch;
  const N = paths.tokens.shape[0];
  const B = N / H;
  const logPolicy = logSoftmax(outputs.policy); // [N, K]
  // Its model is fitted to what happens, never to the balance.
  const logC = logChannel && lax.stopGradient(logChannel); // [K, K]
  const byIntention = logC ? np.matmul(paths.tokens, np.transpose(logC)) : null; // [N, K intentions]
  const logToken = byIntention
    ? logSumExp(np.add(logPolicy, byIntention)) // [N]
    : picked(logPolicy, paths.tokens); // [N]
  const { forward, backward } =
    objective.form === "joint" && byIntention
      ? jointTerms(model, batch, np.add(logPolicy, byIntention))
      : { forward: logToken, backward: np.zeros([N]) };
  const said = np.concatenate([outputs.flow.reshape([N]), np.zeros([B])], 0); // [N + B], rewards stand at the ends
  const logFlow = partial ? np.add(said, soFar(partial)) : said; // [N + B]
  const course = { T: H, B, running: np.ones([N]), ends: lastStep(H, B) };
  const { residual, weight } = residualsOf(
    objective.balance,
    course,
    { logFlow, forward, backward, bootstraps: false },
    logReward,
    { lambda: objective.lambda ?? 1 },
  );
  return { loss: weightedMean(lossOf(objective.loss, residual), weight), logToken };
}

/** log π(a | s) + log C[a, x] and log π_B(a | s, x) of what was intended, [N]; `logBoth` is the former of all a, [N, K]. */
function jointTerms(model: FlowModel, { outputs, paths, given, uniform }: FlowBatch, logBoth: np.Array) {
  const { tokens: K, channel } = model.problem;
  const N = paths.tokens.shape[0];
  if (!outputs.backward || !channel)
    throw new TypeError("flow: internal: the joint form needs a backward head");
  const ofToken = np.sum(
    np.multiply(outputs.backward.reshape([N, K, K]), paths.tokens.reshape([N, K, 1])),
    1,
  ); // [N, K intentions]
  const support = couldCome(K, channel).astype(np.float32); // [K tokens, K intentions]
  const logBackward = maskedLogSoftmax(ofToken, np.less(0.5, np.matmul(paths.tokens, support))); // [N, K]
  const hindsight = lax.stopGradient(largest(np.add(logBackward, gumbel(uniform)))); // [N, K]
  const repeats = N / (given?.shape[0] ?? N);
  const rows = given && np.broadcastTo(given, [repeats, N / repeats]).reshape([N, 1]); // [N, 1]
  const intended = rows ? np.where(np.less(0.5, rows), hindsight, paths.intended) : paths.intended; // [N, K]
  return { forward: picked(logBoth, intended), backward: picked(logBackward, intended) };
}

/** Mean of −log Ĉ of what came of what was intended, over rows that were not given, []. */
export function channelLoss(
  logChannel: np.Array,
  { intended, tokens }: Paths,
  given: np.Array | null,
): np.Array {
  const logs = picked(np.matmul(intended, logChannel), tokens); // [N]
  if (!given) return np.negative(np.mean(logs)); // []
  const [N] = logs.shape;
  const [B] = given.shape;
  const own = np.broadcastTo(np.subtract(1, given), [N / B, B]).reshape([N]); // [N]
  const count = np.maximum(np.sum(own), 1); // []
  return np.negative(np.divide(np.sum(np.multiply(logs, own)), count)); // []
}

/** Sums of the partial log rewards before each state, the last included: [B, H] to [(H + 1)·B]. */
function soFar(partial: np.Array): np.Array {
  const [B, H] = partial.shape;
  const before = Float32Array.from({ length: H * (H + 1) }, (_, i) => (Math.floor(i / H) > i % H ? 1 : 0));
  const sums = np.matmul(np.array(before, { shape: [H + 1, H] }), np.transpose(partial)); // [H + 1, B]
  return sums.reshape([(H + 1) * B]); // [(H + 1)·B]
}

/** 1 at the last step of every path, [H·B]. */
function lastStep(H: number, B: number): np.Array {
  return np.array(Float32Array.from({ length: H * B }, (_, i) => (i >= (H - 1) * B ? 1 : 0))); // [N]
}

function picked(logs: np.Array, oneHot: np.Array): np.Array {
  return np.sum(np.multiply(logs, oneHot), 1); // [N]
}
