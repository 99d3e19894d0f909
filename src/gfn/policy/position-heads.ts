// A last layer for each position of a sequence: the outputs of all heads are computed, and the number of letters written so
// far selects one.
//
// The rules for the next letter differ from position to position. With one last layer, hidden units must also encode the
// position, and each interaction between letters is harder to learn by one more factor.

import { numpy as np } from "@jax-js/jax";
import { isSequence } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";

/** How many heads there are, and which one a state selects. */
export interface WrittenLetters {
  /** Number of heads: one for each number of letters, from 0 to the length. */
  readonly heads: number;
  /** One-hot number of letters that a state has, [R, heads], from its features, [R, length · letters]. */
  of(features: np.Array): np.Array;
}

export function writtenLetters(environment: Environment): WrittenLetters {
  if (!isSequence(environment)) {
    throw new TypeError(`networks: internal: ${environment.name} has no positions`);
  }
  const { length, features: width, featureBlock } = environment;
  const heads = length + 1;
  // With p_k = 1 if position k has a letter: the state has k letters if p_(k−1) − p_k = 1, where p_(−1) = 1.
  const differences = new Float32Array(width * heads);
  for (let feature = 0; feature < width; feature++) {
    const position = Math.floor(feature / featureBlock);
    differences[feature * heads + position] = -1;
    differences[feature * heads + position + 1] = 1;
  }
  const none = Float32Array.from({ length: heads }, (_, k) => +(k === 0));
  return {
    heads,
    of: (features) =>
      np.add(np.matmul(features, np.array(differences, { shape: [width, heads] })), np.array(none)), // [R, heads]
  };
}

/** The outputs of the selected head of each row, from [R, heads · outputs] and one-hot [R, heads] to [R, outputs]. */
export function selectedHead(outputs: np.Array, selected: np.Array): np.Array {
  const [rows, heads] = selected.shape;
  const perHead = outputs.reshape([rows, heads, -1]); // [R, heads, outputs]
  return np.sum(np.multiply(perHead, selected.reshape([rows, heads, 1])), 1); // [R, outputs]
}
