// What the history encoders have in common: their options, and how a caller uses one step by step or on all steps at once.

import type { numpy as np } from "@jax-js/jax";
import type { ActivationHook, ArraysOf } from "../../nn/index.ts";
import type { HistoryInput } from "./input-names.ts";

export interface EncoderOptions {
  /** Default: transformer. */
  readonly kind?: "transformer" | "recurrent";
  /** Input of each step: its action, its outcome, or both. A recurrent encoder reads outcomes. */
  readonly historyInputs: HistoryInput;
  readonly layers: number;
  /** Width of the embedding. Must be even. */
  readonly width: number;
  /** Number of attention heads of a transformer. Must divide the width. */
  readonly heads: number;
  /** Hidden width of the feed-forward layers of a transformer. Default: four times the width. */
  readonly feedForward?: number;
  /** Whether the flow and the backward policy read the embedding too. The outcomes must determine the state, as they do
   * in a sequence. Default: false, so that a second network computes them from the state. */
  readonly flowFromHistory?: boolean;
}

/** One step of B trajectories, one-hot. Rows of trajectories that have ended may be all 0. */
export interface HistoryStep {
  /** [B, actions] */
  readonly action: np.Array;
  /** [B, outcomes] */
  readonly outcome: np.Array;
}

/** State of an encoder that reads a history step by step. */
export interface EncoderState {
  /** Embedding of the history, [rows, width]: one row at the start, B rows after it. */
  readonly embedding: np.Array;
  /** The state after one more step. `each` receives the pre-activations of the linear layers, here and below. */
  next(step: HistoryStep, each?: ActivationHook): EncoderState;
}

/** A history encoder with parameters P. */
export interface EncoderWith<P> {
  readonly params: P;
  readonly width: number;
  /** Encodes the empty history. */
  start(params: ArraysOf<P>, each?: ActivationHook): EncoderState;
  /** Embeddings of the empty history and of the histories after each of L steps of B trajectories, [1 + L·B, width]. The
   * steps are ordered by step and then by trajectory, one-hot [L·B, …]. */
  encodeAll(params: ArraysOf<P>, steps: HistoryStep | null, batch: number, each?: ActivationHook): np.Array;
}

/** Initial standard deviation of tokens, similar to that of the sinusoidal position encoding. */
export const TOKEN_DEVIATION = 0.7;

/** Throws if a history has more than `longest` steps. */
export function checkHistoryLength(steps: number, longest: number): void {
  if (steps > longest) {
    throw new RangeError(`encoder: a history has at most ${longest} steps, got ${steps}`);
  }
}
