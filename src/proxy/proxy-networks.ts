// The networks of proxies: a perceptron, and a convolution with max-pooling, over one-hot strings.

import { numpy as np } from "@jax-js/jax";
import { type Layout, layout, linear, mlp, type ParamTree, relu } from "../nn/index.ts";

/** A network: its parameters as one vector [P], and a score for each row of one-hot strings. */
export interface Network {
  readonly layout: Pick<Layout<ParamTree>, "size" | "init" | "fill">;
  /** [P] and [B, L · A] to [B]. */
  apply(flat: np.Array, x: np.Array): np.Array;
}

/** Width of hidden layers, channels of the convolution, and letters of its window. */
const [HIDDEN, CHANNELS, WIDTH] = [64, 32, 5];

/** The networks by name, for strings of up to `length` out of `tokens` letters. */
export const NETWORKS = { mlp: perceptron, convolution } as const;
export type NetworkName = keyof typeof NETWORKS;

/** Two hidden layers on the one-hot letters. */
function perceptron(tokens: number, length: number): Network {
  const module = mlp({ inputs: length * tokens, hidden: [HIDDEN, HIDDEN], outputs: 1 });
  const own = layout(module.params);
  return {
    layout: own,
    apply: (flat, x) => module.apply(own.split(flat), x).reshape([-1]), // [B]
  };
}

/** Windows of letters share one layer; its largest value over all places, and its values at each place, go into a
 * perceptron. So it learns motifs wherever they stand, and what depends on the place. */
function convolution(tokens: number, length: number): Network {
  const width = Math.min(WIDTH, length);
  const places = length - width + 1;
  const window = linear(width * tokens, CHANNELS);
  const head = mlp({ inputs: CHANNELS * (places + 1), hidden: [HIDDEN], outputs: 1 });
  const own = layout({ window: window.params, head: head.params });
  return {
    layout: own,
    apply(flat, x) {
      const params = own.split(flat);
      const rows = x.shape[0];
      const letters = x.reshape([rows, length, tokens]); // [B, L, A]
      const shifted = Array.from({ length: width }, (_, start) => middle(letters, start, places)); // W of [B, places, A]
      const windows = width === 1 ? letters : np.concatenate(shifted, 2); // [B, places, W · A]
      const sums = relu(window.apply(params.window, windows.reshape([rows * places, width * tokens]))); // [B · places, C]
      const values = sums.reshape([rows, places, CHANNELS]); // [B, places, C]
      const largest = np.max(values, 1); // [B, C]
      const joined = np.concatenate([largest, values.reshape([rows, places * CHANNELS])], 1); // [B, C · (places + 1)]
      return head.apply(params.head, joined).reshape([-1]); // [B]
    },
  };
}

/** The entries of the second axis from `start` on, `count` of them. */
function middle(array: np.Array, start: number, count: number): np.Array {
  const [, rest] = start > 0 ? np.split(array, [start], 1) : [null, array];
  return count < rest.shape[1] ? np.split(rest, [count], 1)[0] : rest;
}
