// A history encoder that is a recurrent network: gated recurrent units read the outcome of each step. Its memory grows
// in proportion to the length of the history, that of a transformer with its square.

import { numpy as np } from "@jax-js/jax";
import {
  type ArraysOf,
  gru,
  init,
  type LinearParams,
  linear,
  type ParamSpec,
  type RecurrentParams,
  sinusoidalTable,
} from "../../nn/index.ts";
import type { Environment } from "../environment/environment.ts";
import {
  checkHistoryLength,
  type EncoderOptions,
  type EncoderState,
  type EncoderWith,
  TOKEN_DEVIATION,
} from "./encoder.ts";

export type RecurrentEncoderParams = {
  /** The hidden state of each layer before the first step, [layers, width]. */
  readonly begin: ParamSpec;
  /** Embedding of outcomes. */
  readonly realised: LinearParams;
  readonly recurrent: readonly RecurrentParams[];
};

/** `longest` is the number of steps of the longest history. */
export function recurrentEncoder(
  environment: Environment,
  { historyInputs, layers, width }: EncoderOptions,
  longest: number,
): EncoderWith<RecurrentEncoderParams> {
  if (historyInputs !== "outcomes" || environment.context) {
    throw new RangeError("encoder: a recurrent encoder reads outcomes only; use a transformer");
  }
  const outcomeEmbedding = linear(environment.outcomes, width, {
    bias: false,
    weightInit: init.normal(TOKEN_DEVIATION),
  });
  const cell = gru({ inputs: width, width });
  const positionTable = sinusoidalTable(longest, width); // [longest, width]
  const positions = (from: number, count: number) =>
    np.array(positionTable.slice(from * width, (from + count) * width), { shape: [count, width] }); // [count, width]
  /** The hidden state of each layer before the first step, layers × [1, width]. */
  const beginning = ({ begin }: Arrays) => (layers > 1 ? np.split(begin, layers, 0) : [begin]);

  type Arrays = ArraysOf<RecurrentEncoderParams>;
  const stateAfter = (params: Arrays, steps: number, hidden: readonly np.Array[]): EncoderState => ({
    embedding: hidden[layers - 1], // [rows, width]
    next({ outcome }) {
      checkHistoryLength(steps + 1, longest);
      let x = np.add(outcomeEmbedding.apply(params.realised, outcome), positions(steps, 1)); // [B, width]
      const after = hidden.map((state, layer) => {
        x = cell.step(params.recurrent[layer], x, state); // [B, width]
        return x;
      });
      return stateAfter(params, steps + 1, after);
    },
  });
  return {
    params: {
      begin: { shape: [layers, width], init: init.normal(TOKEN_DEVIATION) },
      realised: outcomeEmbedding.params,
      recurrent: Array.from({ length: layers }, () => cell.params),
    },
    width,
    start: (params) => stateAfter(params, 0, beginning(params)),
    // Recorded activations are not reused: the steps of a recurrent network depend on each other, so that its derivatives
    // need all of its intermediate values.
    encodeAll(params, steps, B) {
      const begin = beginning(params); // layers × [1, width]
      const first = begin[layers - 1]; // [1, width]
      if (!steps) return first;
      const L = steps.outcome.shape[0] / B;
      checkHistoryLength(L, longest);
      const tokens = outcomeEmbedding.apply(params.realised, steps.outcome).reshape([L, B, width]); // [L, B, width]
      const inputs = np.add(tokens, positions(0, L).reshape([L, 1, width])); // [L, B, width]
      const hidden = begin.reduce(
        (x, state, layer) => cell.apply(params.recurrent[layer], x, state).states,
        np.transpose(inputs, [1, 0, 2]), // [B, L, width]
      ); // [B, L, width]
      const later = np.transpose(hidden, [1, 0, 2]).reshape([L * B, width]); // [L·B, width]
      return np.concatenate([first, later], 0); // [1 + L·B, width]
    },
  };
}
