// Paths for training, unrolled: intentions drawn from the policy, or flatter, tokens drawn by the channel; or tokens
// given from outside.

import { numpy as np } from "@jax-js/jax";
import { gumbel, largest } from "../../gfn/draw.ts";
import { logMatrix } from "./channel.ts";
import type { FlowModel } from "./model.ts";
import type { ReadContext } from "./problem.ts";

/** How each of B rows is drawn. */
export interface RowBehaviour {
  /** Logits are divided by it, [B]. */
  readonly temperature: np.Array;
  /** Share of steps at which the intention is uniform, [B]. */
  readonly epsilon: np.Array;
  /** 1 where the row follows a given path, [B]. */
  readonly given?: np.Array;
  /** The tokens of given paths, int32 [B, H]; any where none is given. */
  readonly paths?: np.Array;
}

/** H steps of B paths, one-hot [H·B, K]; rows by step, then by path. */
export interface Paths {
  /** Of given rows this is not known, and drawn as if it were not given. */
  readonly intended: np.Array;
  readonly tokens: np.Array;
}

/** Uniform numbers that a step of a path takes. */
export function uniformsPerStep(tokens: number): number {
  return 2 * tokens + 1;
}

/** `uniform` is [H, B, uniformsPerStep]. */
export function rolloutPaths(
  model: FlowModel,
  params: ReturnType<FlowModel["params"]>,
  context: ReadContext,
  uniform: np.Array,
  { temperature, epsilon, given, paths }: RowBehaviour,
): Paths {
  const { tokens: K, horizon: H, channel } = model.problem;
  const B = uniform.shape[1];
  const perStep = np.split(uniform.reshape([H * B, 2 * K + 1]), H, 0); // H × [B, 2·K + 1]
  const logC = channel ? logMatrix(K, channel) : null; // [K, K]
  const known =
    given && paths ? { rows: np.less(0.5, given).reshape([B, 1]), tokens: oneHot(paths, K) } : null;
  const intended: np.Array[] = [];
  const tokens: np.Array[] = [];
  for (let t = 0; t < H; t++) {
    const [forIntention, forToken, forChance] = np.split(perStep[t], [K, 2 * K], 1); // [B, K], [B, K], [B, 1]
    const { policy } = model.at(params, t, context, tokens, B); // [B, K]
    const tempered = np.divide(policy, temperature.reshape([B, 1])); // [B, K]
    const explored = np.where(np.less(forChance, epsilon.reshape([B, 1])), 0, tempered); // [B, K]
    const intention = largest(np.add(explored, gumbel(forIntention))); // [B, K]
    const came = logC ? largest(np.add(np.matmul(intention, logC), gumbel(forToken))) : intention; // [B, K]
    intended.push(intention);
    tokens.push(known ? np.where(known.rows, known.tokens.slice([], t), came) : came); // [B, K]
  }
  return { intended: np.concatenate(intended, 0), tokens: np.concatenate(tokens, 0) };
}

/** int32 [B, H] to one-hot [B, H, K]. */
export function oneHot(tokens: np.Array, K: number): np.Array {
  const [B, H] = tokens.shape;
  return np.equal(tokens.reshape([B, H, 1]), np.arange(K).reshape([1, 1, K])).astype(np.float32); // [B, H, K]
}
