// What an episode was so far, read by a transformer: what was intended at each step (the thought), what came of it, or
// both. A step sees earlier steps only.
//
// Before the first step stands a token for the beginning and, if the task gives a context, the tokens of that; both are
// the same in all episodes.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "../nn/checks.ts";
import {
  type ArraysOf,
  type EachSum,
  embedding,
  growingTransformer,
  init,
  type LinearParams,
  linear,
  type Offered,
  type ParamSpec,
  sinusoidalTable,
  type TableParams,
  type TransformerParams,
} from "../nn/index.ts";
import type { Environment } from "./environment.ts";

export const ENCODER_READS = ["thought", "realised", "both"] as const;

export interface EncoderOptions {
  /** What it reads of each step: the intention, the outcome, or both. */
  readonly reads: (typeof ENCODER_READS)[number];
  readonly layers: number;
  /** Numbers per step; must be even. */
  readonly width: number;
  /** Must divide the width. */
  readonly heads: number;
  /** Hidden width of the feed-forward parts; four times the width unless told. */
  readonly feedForward?: number;
}

export type EncoderParams = {
  readonly begin: ParamSpec;
  readonly context?: TableParams;
  readonly thought?: LinearParams;
  readonly realised?: LinearParams;
  readonly transformer: TransformerParams;
};

/** One step of B episodes, one-hot; zeros where there was none, of which nothing that is read from there on may matter. */
export interface StepTaken {
  /** [B, actions] */
  readonly action: np.Array;
  /** [B, outcomes] */
  readonly outcome: np.Array;
}

/** What has been read up to a step. */
export interface Read {
  /** What it comes to, [rows, width]: one row at the start, B after it. */
  readonly summary: np.Array;
  readonly steps: number;
  readonly offered: Offered;
  /** What enters the transformer of each kind of step at each place, see `entries`. */
  readonly kinds: np.Array | null;
}

export interface HistoryEncoder {
  readonly params: EncoderParams;
  readonly width: number;
  /** Before the first step. `each` sees the sums of all linear layers of the transformer, here and below. */
  begin(params: ArraysOf<EncoderParams>, each?: EachSum): Read;
  /** After one more step. */
  next(params: ArraysOf<EncoderParams>, read: Read, taken: StepTaken, each?: EachSum): Read;
  /** Summaries before the first step, [1, width], and after each of L steps of B episodes, [L·B, width]: one under the
   * other. Steps are given in order, one-hot [L·B, …]. */
  all(params: ArraysOf<EncoderParams>, steps: StepTaken | null, batch: number, each?: EachSum): np.Array;
}

export function historyEncoder(environment: Environment, options: EncoderOptions): HistoryEncoder {
  const { reads, width } = options;
  if (!ENCODER_READS.includes(reads)) {
    throw new RangeError(`encoder: reads must be one of ${ENCODER_READS.join(", ")}, got ${reads}`);
  }
  checkSizes("encoder", { layers: options.layers, width, heads: options.heads });
  const { actions, outcomes, maxSteps, context } = environment;
  const growing = growingTransformer({ ...options, activation: "relu" });
  const ofAction = linear(actions, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const ofOutcome = linear(outcomes, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const ofContext = context && embedding(context.vocabulary, width, { init: init.normal(TOKEN_DEVIATION) });
  const shared = 1 + (context?.tokens.length ?? 0);
  const most = maxSteps - 1; // steps that are ever read: after the last one nobody asks
  const kinds = { thought: actions, realised: outcomes, both: actions * outcomes }[reads];
  const waves = sinusoidalTable(shared + maxSteps, width); // [shared + maxSteps, width]
  const positions = (from: number, count: number) =>
    np.array(waves.slice(from * width, (from + count) * width), { shape: [count, width] }); // [count, width]

  /** Tokens of the positions that all episodes share, [shared, width]. */
  const beginning = (params: ArraysOf<EncoderParams>) => {
    const given = ofContext && params.context && context;
    const tokens = given
      ? np.concatenate(
          [ofContext.apply(params.context, np.array([...given.tokens], { dtype: np.int32 })), params.begin],
          0,
        )
      : params.begin; // [shared, width]
    return np.add(tokens, positions(0, shared)); // [shared, width]
  };
  /** Tokens of steps, without their positions: [rows, width]. */
  const tokens = (params: ArraysOf<EncoderParams>, { action, outcome }: StepTaken) => {
    const parts = [
      ...(params.thought ? [ofAction.apply(params.thought, action)] : []),
      ...(params.realised ? [ofOutcome.apply(params.realised, outcome)] : []),
    ]; // each [rows, width]
    return parts.reduce((a, b) => np.add(a, b)); // [rows, width]
  };
  /** Tokens of all kinds of steps, without their positions: [kinds, width]. */
  const kindTokens = ({ thought, realised }: ArraysOf<EncoderParams>) => {
    if (!thought || !realised) return (thought ?? realised)!.weight; // [kinds, width]
    const ofActions = thought.weight.reshape([actions, 1, width]); // [actions, 1, width]
    return np.add(ofActions, realised.weight).reshape([kinds, width]); // [kinds, width]
  };
  /** Which kind each step is, [rows, kinds]. */
  const kindOf = ({ action, outcome }: StepTaken) => {
    if (reads !== "both") return reads === "thought" ? action : outcome; // [rows, kinds]
    const pairs = np.multiply(action.reshape([-1, actions, 1]), outcome.reshape([-1, 1, outcomes])); // [rows, A, C]
    return pairs.reshape([-1, kinds]); // [rows, kinds]
  };
  /**
   * What enters the transformer of the shared positions, [shared, 4·width], and, if there are few kinds of steps, of each
   * of them at each place, [most·kinds, 4·width]: steps are chosen from these.
   */
  const entries = (params: ArraysOf<EncoderParams>) => {
    const first = beginning(params); // [shared, width]
    if (kinds > FEW_KINDS || most === 0) {
      return { first: growing.enter(params.transformer, first), kinds: null };
    }
    const places = positions(shared, most).reshape([most, 1, width]); // [most, 1, width]
    const later = np.add(kindTokens(params), places).reshape([most * kinds, width]); // [most·kinds, width]
    const entered = growing.enter(params.transformer, np.concatenate([first, later], 0)); // [shared + most·kinds, 4·width]
    const [ofFirst, ofKinds] = np.split(entered, [shared], 0); // [shared, 4·width], [most·kinds, 4·width]
    return { first: ofFirst, kinds: ofKinds };
  };
  const lastRow = (rows: np.Array) => (shared > 1 ? np.split(rows, [shared - 1], 0)[1] : rows); // [1 + …, width]

  return {
    params: {
      begin: { shape: [1, width], init: init.normal(TOKEN_DEVIATION) },
      ...(ofContext && { context: ofContext.params }),
      ...(reads !== "realised" && { thought: ofAction.params }),
      ...(reads !== "thought" && { realised: ofOutcome.params }),
      transformer: growing.params,
    },
    width,
    begin(params, each) {
      const { first, kinds } = entries(params); // [shared, 4·width]
      const { output, offered } = growing.begin(params.transformer, first, each); // [shared, width]
      return { summary: lastRow(output), steps: 0, offered, kinds };
    },
    next(params, { steps, offered: before, kinds: ofKinds }, taken, each) {
      checkSteps(steps + 1);
      const entered = ofKinds
        ? np.matmul(kindOf(taken), np.split(ofKinds, most, 0)[steps])
        : growing.enter(params.transformer, np.add(tokens(params, taken), positions(shared + steps, 1))); // [B, 4·width]
      const { output, offered } = growing.next(params.transformer, before, entered, each); // [B, width]
      return { summary: output, steps: steps + 1, offered, kinds: ofKinds };
    },
    all(params, taken, B, each) {
      const { first, kinds: ofKinds } = entries(params); // [shared, 4·width]
      if (!taken) return lastRow(growing.all(params.transformer, first, null, B, each)); // [1, width]
      const L = taken.action.shape[0] / B;
      checkSteps(L);
      const later = ofKinds
        ? chosen(kindOf(taken), ofKinds, L) // [L·B, 4·width]
        : growing.enter(params.transformer, placed(tokens(params, taken), L)); // [L·B, 4·width]
      return lastRow(growing.all(params.transformer, first, later, B, each)); // [1 + L·B, width]
    },
  };

  /** Tokens of L steps, [L·B, width], at their positions. */
  function placed(rows: np.Array, L: number): np.Array {
    const places = positions(shared, L).reshape([L, 1, width]); // [L, 1, width]
    return np.add(rows.reshape([L, -1, width]), places).reshape([-1, width]); // [L·B, width]
  }

  /** What enters of L steps of these kinds, [L·B, kinds]: [L·B, 4·width]. */
  function chosen(kind: np.Array, ofKinds: np.Array, L: number): np.Array {
    const first = L < most ? np.split(ofKinds, [L * kinds], 0)[0] : ofKinds; // [L·kinds, 4·width]
    const picked = np.matmul(kind.reshape([L, -1, kinds]), first.reshape([L, kinds, 4 * width])); // [L, B, 4·width]
    return picked.reshape([-1, 4 * width]); // [L·B, 4·width]
  }

  function checkSteps(steps: number): void {
    if (steps > most) throw new RangeError(`encoder: at most ${most} steps are read, got ${steps}`);
  }
}

/** So many kinds of steps are computed once each; with more, the steps of a batch are fewer. */
const FEW_KINDS = 16;

/** Tokens start about as large as the waves of their positions. */
const TOKEN_DEVIATION = 0.7;
