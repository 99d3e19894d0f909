// The first layer of a perceptron on the letters of a sequence, computed from the letter of each step instead of all
// features of a state. Its sums are those of the plain product, apart from rounding.

import { numpy as np } from "@jax-js/jax";
import type { BlockEmbeddingParams } from "../../nn/block-embedding.ts";
import type { ArraysOf, LinearParams } from "../../nn/index.ts";
import { prefixProducts, weightsByPosition } from "../../nn/prefix-linear.ts";
import { isSequence } from "../environment/capabilities.ts";
import { type Environment, isEnumerable } from "../environment/environment.ts";

/** Parameters of the first layer. Weights of further inputs follow those of the letters. */
export interface FirstLayerArrays {
  readonly layer: ArraysOf<LinearParams>;
  /** The embedding of the letters, if they are embedded. */
  readonly embedding?: ArraysOf<BlockEmbeddingParams>;
}

/** Sums of the first layer while a sequence is written. */
export interface PrefixState {
  /** [rows, width of the layer]: one row for the empty sequence, B rows after it. */
  readonly sums: np.Array;
  /** The state after one more letter of B sequences, one-hot [B, letters]; a row of zeros for a sequence that has ended. */
  next(letter: np.Array): PrefixState;
}

export interface PrefixLayer {
  /** The sums of the empty sequence. */
  start(arrays: FirstLayerArrays): PrefixState;
  /** The sums of the empty sequence and after each of L letters of B sequences, [1 + L·B, width of the layer]. The letters
   * are ordered by step and then by sequence, one-hot [L·B, letters]; null if L is 0. */
  all(arrays: FirstLayerArrays, letters: np.Array | null, batch: number): np.Array;
}

/** Fewest features of an enumerable state for which the sums are computed by letter: with fewer, one matrix product is faster. */
const LEAST_FEATURES = 512;

/**
 * The first layer by letter; null if the environment does not write sequences, or if they are so few that they can be enumerated.
 * A table then scores them, and the update uses the rollout's products of states; where a function scores them, it makes its own.
 */
export function prefixLayer(environment: Environment): PrefixLayer | null {
  if (!isSequence(environment)) return null;
  const isFaster = !isEnumerable(environment) || environment.features >= LEAST_FEATURES;
  return isFaster ? letterSums(environment) : null;
}

/** The first layer by letter, for a sequence of any length. */
export function letterSums({ features, featureBlock: letters }: Environment): PrefixLayer {
  const positions = features / letters;
  /** Columns of the layer's input per letter. */
  const blockWidth = ({ embedding }: FirstLayerArrays) => embedding?.values.shape[1] ?? letters;
  /** The weights of the letters, [positions · block width, width]. */
  const letterWeights = (arrays: FirstLayerArrays) => {
    const { weight } = arrays.layer;
    const inputs = positions * blockWidth(arrays);
    return inputs < weight.shape[0] ? np.split(weight, [inputs], 0)[0] : weight; // [positions · block width, width]
  };
  /** The blocks of one-hot letters, [R, block width]. */
  const blocksOf = ({ embedding }: FirstLayerArrays, letter: np.Array) =>
    embedding ? np.matmul(letter, embedding.values) : letter; // [R, block width]
  /** The sums of the empty sequence, [1, width]: an embedded position that is not written is its position embedding. */
  const emptySums = (arrays: FirstLayerArrays, weights: np.Array) => {
    const { embedding, layer } = arrays;
    const bias = layer.bias ?? np.zeros([weights.shape[1]]); // [width]
    const row = bias.reshape([1, -1]); // [1, width]
    return embedding ? np.add(np.matmul(embedding.positions.reshape([1, -1]), weights), row) : row; // [1, width]
  };
  return {
    start(arrays) {
      const weights = letterWeights(arrays); // [positions · block width, width]
      const byPosition = weightsByPosition(weights, positions); // positions × [block width, width]
      const stateAfter = (steps: number, sums: np.Array): PrefixState => ({
        sums,
        // A stop follows the last letter, and writes nothing.
        next: (letter) =>
          steps === positions
            ? stateAfter(steps, sums)
            : stateAfter(
                steps + 1,
                np.add(sums, np.matmul(blocksOf(arrays, letter), byPosition[steps])), // [B, width]
              ),
      });
      return stateAfter(0, emptySums(arrays, weights));
    },
    all(arrays, letter, B) {
      const weights = letterWeights(arrays); // [positions · block width, width]
      const first = emptySums(arrays, weights); // [1, width]
      if (!letter) return first;
      const later = np.add(first, prefixProducts(blocksOf(arrays, letter), weights, B)); // [L·B, width]
      return np.concatenate([first, later], 0); // [1 + L·B, width]
    },
  };
}
