// The proposal: a policy that starts as the tempered base distribution p^β and learns a correction. Its logits are β log p
// plus the output of a small network, and its log flow is the partial log rewards plus a second output. Both outputs are 0
// at first, so nothing is left to learn if the target is the base distribution itself.
//
// The target over paths of n steps is ∏ p(x_t | x_<t)^β · (P(constraint | x) · p(observed tokens after x | x)^β)^τ. The
// tempering τ rises from 0 to 1 during fine-tuning.

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../engine/index.ts";
import { layout, markedEntries } from "../../nn/index.ts";
import type { FlowModel } from "../flow/flow-model.ts";
import type { NamedArrays, PathReward } from "../flow/problem.ts";
import { pathNetwork } from "../network/path-network.ts";
import type { CompiledConstraint } from "./compiled-constraint.ts";
import type { PathDistribution } from "./path-distribution.ts";

export interface PathTarget {
  /** The base distribution p. */
  readonly distribution: PathDistribution;
  /** n: number of sampled steps. */
  readonly steps: number;
  /** β: exponent of the likelihood, the inverse temperature. */
  readonly beta: number;
  /** The constraint on paths, or null. Its arrays are inputs of the contexts. */
  readonly constraint: CompiledConstraint | null;
  /**
   * Number of steps after the sampled ones that have observed tokens. If above 0, contexts have the input `after`, one-hot
   * [stepsAfter, K], with zeros for steps without an observation.
   */
  readonly stepsAfter: number;
}

export interface ProposalOptions {
  /** Widths of the hidden layers. Default: 64 and 64. */
  readonly hidden?: readonly number[];
  /** Number of previous tokens that the network sees. Default: 4. */
  readonly lags?: number;
}

/** Lower bound on the log-probability of the constraint. */
const LOG_FLOOR = -200;

/** Name of the context input that holds τ, []. */
export const TEMPERING = "tempering";

export function proposalModel(
  target: PathTarget,
  { hidden = [64, 64], lags = 4 }: ProposalOptions = {},
): FlowModel {
  const { distribution, steps: n, beta, constraint, stepsAfter } = target;
  const { tokens: K } = distribution;
  const F = constraint?.featureCount ?? 0;
  const W = distribution.contextWidth + 2 * stepsAfter;
  const network = pathNetwork({
    tokens: K,
    horizon: n,
    contextWidth: W,
    futureWidth: F,
    lags,
    hidden,
    heads: { policy: K, flow: 1 },
    zeroHeads: ["policy", "flow"],
  });
  const flat = layout({ path: network.params });
  const inputs = {
    ...distribution.inputs,
    ...constraint?.inputs,
    ...((constraint || stepsAfter > 0) && { [TEMPERING]: spec([]) }),
    ...(stepsAfter > 0 && { after: spec([stepsAfter, K]) }),
  };
  return {
    problem: {
      tokens: K,
      horizon: n,
      inputs,
      // The arrays pass through unchanged: base distribution and constraint use them at every step.
      encoder: { contextWidth: W, futureWidth: F, pastTokens: 0, encode: (arrays) => arrays },
      reward: rewardOf(target),
    },
    layout: flat,
    params: (vector) => flat.split(vector),
    encode: (_, arrays) => arrays,
    atStep(params, t, context, path, B) {
      const arrays = context as NamedArrays;
      const outputs = network.step(params.path, t, {
        context: contextOf(target, arrays), // [B, W]
        ...(constraint && {
          future: np.broadcastTo(constraint.featuresAtStep(t, path, arrays).reshape([B, 1, F]), [B, n, F]),
        }), // [B, n, F]
        ...(t > 0 && { tokens: np.stack([...path], 1) }), // [B, t, K]
      });
      const base = np.multiply(distribution.atStep(arrays, t, path), beta); // [B, K]
      return { ...outputs, policy: np.add(outputs.policy, base) }; // [B, K]
    },
    atAllSteps(params, context, paths) {
      const arrays = context as NamedArrays;
      const outputs = network.allSteps(params.path, {
        context: contextOf(target, arrays), // [B, W]
        ...(constraint && { future: constraint.featuresAtAllSteps(paths, arrays) }), // [B, n, F]
        tokens: paths,
      });
      const logBase = baseLogProbabilities(target, paths, arrays).slice([], [0, n]); // [B, n, K]
      const byStep = np.transpose(logBase, [1, 0, 2]).reshape([-1, K]); // [n·B, K]
      return { ...outputs, policy: np.add(outputs.policy, np.multiply(byStep, beta)) }; // [n·B, K]
    },
    logChannel: () => null,
  };
}

/**
 * The context embedding, followed by two numbers for each step after the path, [B, W]: its token, scaled to (−1, 1),
 * and whether it is observed.
 */
function contextOf(
  { distribution: { tokens: K }, stepsAfter }: PathTarget,
  { context, after }: NamedArrays,
): np.Array {
  if (stepsAfter === 0) return context; // [B, W]
  const numbers = Float32Array.from({ length: K }, (_, k) => (2 * k + 1) / K - 1);
  return np.concatenate([context, np.matmul(after, np.array(numbers)), np.sum(after, 2)], 1); // [B, W]
}

function rewardOf(target: PathTarget): PathReward {
  const partialLogRewards = (tokens: np.Array, inputs: NamedArrays) => {
    const logBase = baseLogProbabilities(target, tokens, inputs).slice([], [0, target.steps]); // [B, n, K]
    const logs = markedEntries(logBase, tokens); // [B, n]
    return np.multiply(logs, target.beta); // [B, n]
  };
  return {
    partialLogRewards,
    logReward(tokens, inputs) {
      const likelihood = np.sum(partialLogRewards(tokens, inputs), 1); // [B]
      if (!target.constraint && target.stepsAfter === 0) return likelihood; // [B]
      const extra = np.add(logConstraint(target, tokens, inputs), logLikelihoodAfter(target, tokens, inputs)); // [B]
      return np.add(likelihood, np.multiply(extra, inputs[TEMPERING])); // [B]
    },
  };
}

/** Log-probability that paths, one-hot [B, n, K], meet the constraint, [B]; 0 without a constraint. */
export function logConstraint({ constraint }: PathTarget, tokens: np.Array, inputs: NamedArrays): np.Array {
  if (!constraint) return np.zeros([tokens.shape[0]]); // [B]
  return np.maximum(constraint.logProbability(tokens, inputs), LOG_FLOOR); // [B]
}

/** β log p of the observed tokens after paths, one-hot [B, n, K]: [B]; 0 if there are none. */
export function logLikelihoodAfter(target: PathTarget, tokens: np.Array, inputs: NamedArrays): np.Array {
  const { beta, steps: n, stepsAfter } = target;
  if (stepsAfter === 0) return np.zeros([tokens.shape[0]]); // [B]
  const logs = baseLogProbabilities(target, tokens, inputs).slice([], [n, n + stepsAfter]); // [B, stepsAfter, K]
  return np.multiply(np.sum(markedEntries(logs, inputs.after), 1), beta); // [B]
}

/** log p at all steps of paths, one-hot [B, n, K], and at the observed steps after them, [B, n + stepsAfter, K]. */
function baseLogProbabilities(
  { distribution, stepsAfter }: PathTarget,
  tokens: np.Array,
  inputs: NamedArrays,
): np.Array {
  const cached = CACHE.get(tokens);
  if (cached) return cached; // [B, n + stepsAfter, K]
  const extended = stepsAfter > 0 ? np.concatenate([tokens, inputs.after], 1) : tokens; // [B, n + stepsAfter, K]
  const logs = distribution.atAllSteps(inputs, extended); // [B, n + stepsAfter, K]
  CACHE.set(tokens, logs);
  return logs;
}

/**
 * Log-probabilities under the base distribution, cached for each array of paths. While a program is traced, the policy,
 * the reward and the partial rewards need them for the same paths, and the base distribution is the largest network of
 * the program.
 */
const CACHE = new WeakMap<np.Array, np.Array>();
