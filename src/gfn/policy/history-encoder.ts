// The history encoder: a causal transformer that turns the steps before a state into an embedding. Its input is the action
// of each step (the thought), the outcome, or both.
//
// The sequence begins with positions that all trajectories share: the tokens of the environment's context, if it has one,
// and a learned start token. Then follows one position per step.

import { numpy as np } from "@jax-js/jax";
import { checkSizes } from "../../nn/checks.ts";
import {
  type ActivationHook,
  type ArraysOf,
  embedding,
  incrementalTransformer,
  init,
  type KVCache,
  type LinearParams,
  linear,
  type ParamSpec,
  sinusoidalTable,
  type TableParams,
  type TransformerParams,
} from "../../nn/index.ts";
import type { Environment } from "../environment/environment.ts";
import { HISTORY_INPUTS, type HistoryInput } from "./input-names.ts";

export interface EncoderOptions {
  /** Input of each step: its action, its outcome, or both. */
  readonly historyInputs: HistoryInput;
  readonly layers: number;
  /** Width of the embedding. Must be even. */
  readonly width: number;
  /** Number of attention heads. Must divide the width. */
  readonly heads: number;
  /** Hidden width of the feed-forward layers. Default: four times the width. */
  readonly feedForward?: number;
}

/** The keys name the random streams of the initial weights, so a different key would change them. */
export type EncoderParams = {
  /** The start token. */
  readonly begin: ParamSpec;
  readonly context?: TableParams;
  /** Embedding of actions. */
  readonly thought?: LinearParams;
  /** Embedding of outcomes. */
  readonly realised?: LinearParams;
  readonly transformer: TransformerParams;
};

/** One step of B trajectories, one-hot. Rows of trajectories that have ended may be all 0. */
export interface HistoryStep {
  /** [B, actions] */
  readonly action: np.Array;
  /** [B, outcomes] */
  readonly outcome: np.Array;
}

/** State of incremental decoding after some steps. */
export interface EncoderState {
  /** Embedding of the history, [rows, width]: one row at the start, B rows after it. */
  readonly embedding: np.Array;
  /** Number of steps so far. */
  readonly steps: number;
  readonly cache: KVCache;
  /** Projected inputs of every possible step at every position; null if there are too many. See `projectedInputs`. */
  readonly stepInputs: np.Array | null;
}

export interface HistoryEncoder {
  readonly params: EncoderParams;
  readonly width: number;
  /** Encodes the empty history. `each` receives the pre-activations of the linear layers, here and below. */
  start(params: ArraysOf<EncoderParams>, each?: ActivationHook): EncoderState;
  /** Encodes one more step. */
  step(
    params: ArraysOf<EncoderParams>,
    state: EncoderState,
    step: HistoryStep,
    each?: ActivationHook,
  ): EncoderState;
  /** Embeddings of the empty history and of the histories after each of L steps of B trajectories, [1 + L·B, width]. The
   * steps are ordered by step and then by trajectory, one-hot [L·B, …]. */
  encodeAll(
    params: ArraysOf<EncoderParams>,
    steps: HistoryStep | null,
    batch: number,
    each?: ActivationHook,
  ): np.Array;
}

/** Largest number of possible steps for which each one is projected once. If there are more, projecting the steps of the
 * batch is cheaper. */
const MAX_STEP_KINDS = 16;

/** Initial standard deviation of tokens, similar to that of the sinusoidal position encoding. */
const TOKEN_DEVIATION = 0.7;

export function historyEncoder(environment: Environment, options: EncoderOptions): HistoryEncoder {
  const { historyInputs, width } = options;
  if (!HISTORY_INPUTS.includes(historyInputs)) {
    throw new RangeError(
      `encoder: historyInputs must be one of ${HISTORY_INPUTS.join(", ")}, got ${historyInputs}`,
    );
  }
  checkSizes("encoder", { layers: options.layers, width, heads: options.heads });
  const { actions, outcomes, maxSteps, context } = environment;
  const transformer = incrementalTransformer({ ...options, activation: "relu" });
  const actionEmbedding = linear(actions, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const outcomeEmbedding = linear(outcomes, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const contextEmbedding =
    context && embedding(context.vocabulary, width, { init: init.normal(TOKEN_DEVIATION) });
  const shared = 1 + (context?.tokens.length ?? 0); // positions that all trajectories share
  const longest = maxSteps - 1; // steps of the longest history: no state after the last step needs an embedding
  const stepKinds = { thought: actions, outcomes, both: actions * outcomes }[historyInputs];
  const positionTable = sinusoidalTable(shared + maxSteps, width); // [shared + maxSteps, width]
  const positions = (from: number, count: number) =>
    np.array(positionTable.slice(from * width, (from + count) * width), { shape: [count, width] }); // [count, width]

  /** Tokens at the shared positions, with their positions added, [shared, width]. */
  const sharedTokens = (params: ArraysOf<EncoderParams>) => {
    const tokens =
      contextEmbedding && params.context && context
        ? np.concatenate(
            [
              contextEmbedding.apply(params.context, np.array([...context.tokens], { dtype: np.int32 })),
              params.begin,
            ],
            0,
          )
        : params.begin; // [shared, width]
    return np.add(tokens, positions(0, shared)); // [shared, width]
  };
  /** Tokens of steps, without their positions, [rows, width]. */
  const stepTokens = (params: ArraysOf<EncoderParams>, { action, outcome }: HistoryStep) => {
    const parts = [
      ...(params.thought ? [actionEmbedding.apply(params.thought, action)] : []),
      ...(params.realised ? [outcomeEmbedding.apply(params.realised, outcome)] : []),
    ]; // each [rows, width]
    return parts.reduce((a, b) => np.add(a, b)); // [rows, width]
  };
  /** Tokens of all possible steps, without their positions, [stepKinds, width]. */
  const tokensOfKinds = ({ thought, realised }: ArraysOf<EncoderParams>) => {
    if (!thought || !realised) return (thought ?? realised)!.weight; // [stepKinds, width]
    const ofActions = thought.weight.reshape([actions, 1, width]); // [actions, 1, width]
    return np.add(ofActions, realised.weight).reshape([stepKinds, width]); // [stepKinds, width]
  };
  /** The kind of each step, one-hot [rows, stepKinds]. */
  const kindOf = ({ action, outcome }: HistoryStep) => {
    if (historyInputs !== "both") return historyInputs === "thought" ? action : outcome; // [rows, stepKinds]
    const pairs = np.multiply(action.reshape([-1, actions, 1]), outcome.reshape([-1, 1, outcomes])); // [rows, A, C]
    return pairs.reshape([-1, stepKinds]); // [rows, stepKinds]
  };
  /**
   * Projected inputs of the transformer for the shared positions, [shared, 4·width], and for every possible step at every
   * position, [longest·stepKinds, 4·width], from which the steps of a batch are selected. The latter are null if there are
   * too many possible steps.
   */
  const projectedInputs = (params: ArraysOf<EncoderParams>) => {
    const first = sharedTokens(params); // [shared, width]
    if (stepKinds > MAX_STEP_KINDS || longest === 0) {
      return { sharedInputs: transformer.projectInputs(params.transformer, first), stepInputs: null };
    }
    const stepPositions = positions(shared, longest).reshape([longest, 1, width]); // [longest, 1, width]
    const later = np.add(tokensOfKinds(params), stepPositions).reshape([longest * stepKinds, width]); // [longest·stepKinds, width]
    const projected = transformer.projectInputs(params.transformer, np.concatenate([first, later], 0)); // [shared + longest·stepKinds, 4·width]
    const [sharedInputs, stepInputs] = np.split(projected, [shared], 0); // [shared, 4·width], [longest·stepKinds, 4·width]
    return { sharedInputs, stepInputs };
  };
  const dropContext = (rows: np.Array) => (shared > 1 ? np.split(rows, [shared - 1], 0)[1] : rows); // [1 + …, width]

  return {
    params: {
      begin: { shape: [1, width], init: init.normal(TOKEN_DEVIATION) },
      ...(contextEmbedding && { context: contextEmbedding.params }),
      ...(historyInputs !== "outcomes" && { thought: actionEmbedding.params }),
      ...(historyInputs !== "thought" && { realised: outcomeEmbedding.params }),
      transformer: transformer.params,
    },
    width,
    start(params, each) {
      const { sharedInputs, stepInputs } = projectedInputs(params); // [shared, 4·width]
      const { output, cache } = transformer.prefill(params.transformer, sharedInputs, each); // [shared, width]
      return { embedding: dropContext(output), steps: 0, cache, stepInputs };
    },
    step(params, { steps, cache: earlier, stepInputs }, step, each) {
      checkSteps(steps + 1);
      const inputs = stepInputs
        ? np.matmul(kindOf(step), np.split(stepInputs, longest, 0)[steps])
        : transformer.projectInputs(
            params.transformer,
            np.add(stepTokens(params, step), positions(shared + steps, 1)),
          ); // [B, 4·width]
      const { output, cache } = transformer.decodeStep(params.transformer, earlier, inputs, each); // [B, width]
      return { embedding: output, steps: steps + 1, cache, stepInputs };
    },
    encodeAll(params, steps, B, each) {
      const { sharedInputs, stepInputs } = projectedInputs(params); // [shared, 4·width]
      if (!steps) return dropContext(transformer.forward(params.transformer, sharedInputs, null, B, each)); // [1, width]
      const L = steps.action.shape[0] / B;
      checkSteps(L);
      const inputs = stepInputs
        ? selectInputs(kindOf(steps), stepInputs, L) // [L·B, 4·width]
        : transformer.projectInputs(params.transformer, addPositions(stepTokens(params, steps), L)); // [L·B, 4·width]
      return dropContext(transformer.forward(params.transformer, sharedInputs, inputs, B, each)); // [1 + L·B, width]
    },
  };

  /** Adds the position encodings to the tokens of L steps, [L·B, width]. */
  function addPositions(tokens: np.Array, L: number): np.Array {
    const stepPositions = positions(shared, L).reshape([L, 1, width]); // [L, 1, width]
    return np.add(tokens.reshape([L, -1, width]), stepPositions).reshape([-1, width]); // [L·B, width]
  }

  /** Selects the projected inputs of L steps by their kinds, [L·B, stepKinds] to [L·B, 4·width]. */
  function selectInputs(kinds: np.Array, stepInputs: np.Array, L: number): np.Array {
    const first = L < longest ? np.split(stepInputs, [L * stepKinds], 0)[0] : stepInputs; // [L·stepKinds, 4·width]
    const selected = np.matmul(kinds.reshape([L, -1, stepKinds]), first.reshape([L, stepKinds, 4 * width])); // [L, B, 4·width]
    return selected.reshape([-1, 4 * width]); // [L·B, 4·width]
  }

  function checkSteps(steps: number): void {
    if (steps > longest) {
      throw new RangeError(`encoder: a history has at most ${longest} steps, got ${steps}`);
    }
  }
}
