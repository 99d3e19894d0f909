// A policy that starts as a law and learns where to steer: its logits are β log p plus what a small network says, which
// is 0 at first. So is the flow beyond the partial rewards. Where the target is the law itself, nothing is left to learn.
//
// The target over paths of n steps is ∏ p(x_t | x_<t)^β · (P(condition | x) · p(what follows | x)^β)^power.

import { numpy as np } from "@jax-js/jax";
import { spec } from "../../engine/index.ts";
import { layout } from "../../nn/index.ts";
import type { FlowModel } from "../flow/model.ts";
import type { Arrays, PathReward } from "../flow/problem.ts";
import { pathNetwork } from "../network/path-network.ts";
import type { PathLaw } from "./law.ts";
import type { Watch } from "./watch.ts";

export interface Target {
  readonly law: PathLaw;
  /** n: steps that are drawn. */
  readonly steps: number;
  /** Likelihood counts to this power. */
  readonly beta: number;
  /** The condition that paths must meet, if there is one; contexts bring its arrays, too. */
  readonly watch: Watch | null;
  /** Steps after the drawn ones whose tokens are known; contexts bring `after`, one-hot [follows, K], zeros where not. */
  readonly follows: number;
}

export interface SteeringOptions {
  readonly hidden?: readonly number[];
  /** Tokens before a step that it sees. */
  readonly lags?: number;
}

/** That a path meets a condition is never less likely than this, as a logarithm. */
const FLOOR = -200;

/** The array of a context that what paths are worth beyond their likelihood is multiplied by, []: 1 in the end. */
export const POWER = "power";

export function steeredModel(
  target: Target,
  { hidden = [64, 64], lags = 4 }: SteeringOptions = {},
): FlowModel {
  const { law, steps: n, beta, watch, follows } = target;
  const { tokens: K } = law;
  const F = watch?.features ?? 0;
  const W = law.thought + 2 * follows;
  const network = pathNetwork({
    tokens: K,
    horizon: n,
    context: W,
    known: F,
    lags,
    hidden,
    heads: { policy: K, flow: 1 },
    zeroHeads: ["policy", "flow"],
  });
  const flat = layout({ path: network.params });
  const inputs = {
    ...law.inputs,
    ...watch?.inputs,
    ...((watch || follows > 0) && { [POWER]: spec([]) }),
    ...(follows > 0 && { after: spec([follows, K]) }),
  };
  return {
    problem: {
      tokens: K,
      horizon: n,
      inputs,
      // Arrays of contexts are handed on as they are: both the law and the condition read them at every step.
      reader: { context: W, known: F, earlier: 0, read: (arrays) => arrays },
      reward: rewardOf(target),
    },
    layout: flat,
    params: (vector) => flat.split(vector),
    read: (_, arrays) => arrays,
    at(params, t, context, path, B) {
      const arrays = context as Arrays;
      const said = network.at(params.path, t, {
        context: contextOf(target, arrays), // [B, W]
        ...(watch && {
          known: np.broadcastTo(watch.at(t, path, arrays).reshape([B, 1, F]), [B, n, F]),
        }), // [B, n, F]
        ...(t > 0 && { tokens: np.stack([...path], 1) }), // [B, t, K]
      });
      return { ...said, policy: np.add(said.policy, np.multiply(law.at(arrays, t, path), beta)) }; // [B, K]
    },
    all(params, context, paths) {
      const arrays = context as Arrays;
      const said = network.all(params.path, {
        context: contextOf(target, arrays), // [B, W]
        ...(watch && { known: watch.all(paths, arrays) }), // [B, n, F]
        tokens: paths,
      });
      const drawn = lawOnPaths(target, paths, arrays).slice([], [0, n]); // [B, n, K]
      const start = np.transpose(drawn, [1, 0, 2]).reshape([-1, K]); // [n·B, K]
      return { ...said, policy: np.add(said.policy, np.multiply(start, beta)) }; // [n·B, K]
    },
    logChannel: () => null,
  };
}

/** The thought, and of each step that follows its token as a number and whether it is known, [B, W]. */
function contextOf({ law: { tokens: K }, follows }: Target, { thought, after }: Arrays): np.Array {
  if (follows === 0) return thought; // [B, W]
  const numbers = Float32Array.from({ length: K }, (_, k) => (2 * k + 1) / K - 1);
  return np.concatenate([thought, np.matmul(after, np.array(numbers)), np.sum(after, 2)], 1); // [B, W]
}

function rewardOf(target: Target): PathReward {
  const partial = (tokens: np.Array, inputs: Arrays) => {
    const drawn = lawOnPaths(target, tokens, inputs).slice([], [0, target.steps]); // [B, n, K]
    const logs = np.sum(np.multiply(drawn, tokens), 2); // [B, n]
    return np.multiply(logs, target.beta); // [B, n]
  };
  return {
    partial,
    log(tokens, inputs) {
      const likelihood = np.sum(partial(tokens, inputs), 1); // [B]
      if (!target.watch && target.follows === 0) return likelihood; // [B]
      const extra = np.add(logMet(target, tokens, inputs), logAfter(target, tokens, inputs)); // [B]
      return np.add(likelihood, np.multiply(extra, inputs[POWER])); // [B]
    },
  };
}

/** log of the probability that paths one-hot [B, n, K] meet the condition, [B]; 0 without one. */
export function logMet({ watch }: Target, tokens: np.Array, inputs: Arrays): np.Array {
  return watch ? np.maximum(watch.logMet(tokens, inputs), FLOOR) : np.zeros([tokens.shape[0]]); // [B]
}

/** β log p of the known tokens that follow paths one-hot [B, n, K]: [B]; 0 where none is. */
export function logAfter(target: Target, tokens: np.Array, inputs: Arrays): np.Array {
  const { beta, steps: n, follows } = target;
  if (follows === 0) return np.zeros([tokens.shape[0]]); // [B]
  const logs = lawOnPaths(target, tokens, inputs).slice([], [n, n + follows]); // [B, follows, K]
  return np.multiply(np.sum(np.sum(np.multiply(logs, inputs.after), 2), 1), beta); // [B]
}

/** log p of paths one-hot [B, n, K] and of the known steps after them, [B, n + follows, K]. */
function lawOnPaths({ law, follows }: Target, tokens: np.Array, inputs: Arrays): np.Array {
  const said = SAID.get(tokens);
  if (said) return said; // [B, n + follows, K]
  const whole = follows > 0 ? np.concatenate([tokens, inputs.after], 1) : tokens; // [B, n + follows, K]
  const logs = law.all(inputs, whole); // [B, n + follows, K]
  SAID.set(tokens, logs);
  return logs;
}

/** By the paths of a program: their reward, its parts and the policy all ask, and the law is the largest network there is. */
const SAID = new WeakMap<np.Array, np.Array>();
