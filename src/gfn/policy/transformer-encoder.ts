// A history encoder that is a causal transformer. Its input is the action of each step (the thought), the outcome, or
// both.
//
// The sequence begins with positions that all trajectories share: the tokens of the environment's context, if it has one,
// and a learned start token. Then follows one position per step.

import { numpy as np } from "@jax-js/jax";
import {
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
import {
  checkHistoryLength,
  type EncoderOptions,
  type EncoderState,
  type EncoderWith,
  type HistoryStep,
  TOKEN_DEVIATION,
} from "./encoder.ts";

/** The keys name the random streams of the initial weights, so a different key would change them. */
export type TransformerEncoderParams = {
  /** The start token. */
  readonly begin: ParamSpec;
  readonly context?: TableParams;
  /** Embedding of actions. */
  readonly thought?: LinearParams;
  /** Embedding of outcomes. */
  readonly realised?: LinearParams;
  readonly transformer: TransformerParams;
};

/** Largest number of possible steps for which each one is projected once. If there are more, projecting the steps of the
 * batch is cheaper. */
const MAX_STEP_KINDS = 16;

/** `longest` is the number of steps of the longest history. */
export function transformerEncoder(
  environment: Environment,
  options: EncoderOptions,
  longest: number,
): EncoderWith<TransformerEncoderParams> {
  const { historyInputs, width } = options;
  const { actions, outcomes, maxSteps, context } = environment;
  const transformer = incrementalTransformer({ ...options, activation: "relu" });
  const actionEmbedding = linear(actions, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const outcomeEmbedding = linear(outcomes, width, { bias: false, weightInit: init.normal(TOKEN_DEVIATION) });
  const contextEmbedding =
    context && embedding(context.vocabulary, width, { init: init.normal(TOKEN_DEVIATION) });
  const shared = 1 + (context?.tokens.length ?? 0); // positions that all trajectories share
  const stepKinds = { thought: actions, outcomes, both: actions * outcomes }[historyInputs];
  const positionTable = sinusoidalTable(shared + maxSteps, width); // [shared + maxSteps, width]
  const positions = (from: number, count: number) =>
    np.array(positionTable.slice(from * width, (from + count) * width), { shape: [count, width] }); // [count, width]

  /** Tokens at the shared positions, with their positions added, [shared, width]. */
  const sharedTokens = (params: ArraysOf<TransformerEncoderParams>) => {
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
  const stepTokens = (params: ArraysOf<TransformerEncoderParams>, { action, outcome }: HistoryStep) => {
    const parts = [
      ...(params.thought ? [actionEmbedding.apply(params.thought, action)] : []),
      ...(params.realised ? [outcomeEmbedding.apply(params.realised, outcome)] : []),
    ]; // each [rows, width]
    return parts.reduce((a, b) => np.add(a, b)); // [rows, width]
  };
  /** Tokens of all possible steps, without their positions, [stepKinds, width]. */
  const tokensOfKinds = ({ thought, realised }: ArraysOf<TransformerEncoderParams>) => {
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
  const projectedInputs = (params: ArraysOf<TransformerEncoderParams>) => {
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
      const byStep = stepInputs && np.split(stepInputs, longest, 0); // longest × [stepKinds, 4·width]
      const { output, cache } = transformer.prefill(params.transformer, sharedInputs, each); // [shared, width]
      const stateAfter = (steps: number, embedding: np.Array, earlier: KVCache): EncoderState => ({
        embedding,
        next(step, each) {
          checkHistoryLength(steps + 1, longest);
          const inputs = byStep
            ? np.matmul(kindOf(step), byStep[steps])
            : transformer.projectInputs(
                params.transformer,
                np.add(stepTokens(params, step), positions(shared + steps, 1)),
              ); // [B, 4·width]
          const { output, cache } = transformer.decodeStep(params.transformer, earlier, inputs, each); // [B, width]
          return stateAfter(steps + 1, output, cache);
        },
      });
      return stateAfter(0, dropContext(output), cache);
    },
    encodeAll(params, steps, B, each) {
      const { sharedInputs, stepInputs } = projectedInputs(params); // [shared, 4·width]
      if (!steps) return dropContext(transformer.forward(params.transformer, sharedInputs, null, B, each)); // [1, width]
      const L = steps.action.shape[0] / B;
      checkHistoryLength(L, longest);
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
}
