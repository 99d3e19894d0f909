// A transformer over the letters of strings as a network of proxies, for the comparison of proxies only.

import { numpy as np } from "@jax-js/jax";
import { layout, learnedPositions, linear, mlp, transformer } from "../../src/nn/index.ts";
import type { Network } from "../../src/proxy/proxy-networks.ts";

const [WIDTH, HEADS, FEED_FORWARD, HIDDEN] = [32, 4, 64, 64];

/** Embedded letters with learned positions, transformer layers, and a perceptron on the mean and the largest values of all positions. */
export function transformerNetwork(tokens: number, length: number, layers: number): Network {
  const embedding = linear(tokens, WIDTH);
  const positions = learnedPositions(length, WIDTH);
  const encoder = transformer({ layers, width: WIDTH, heads: HEADS, feedForward: FEED_FORWARD });
  const head = mlp({ inputs: 2 * WIDTH, hidden: [HIDDEN], outputs: 1 });
  const own = layout({
    embedding: embedding.params,
    positions: positions.params,
    encoder: encoder.params,
    head: head.params,
  });
  return {
    layout: own,
    apply(flat, x) {
      const params = own.split(flat);
      const rows = x.shape[0];
      const embedded = embedding.apply(params.embedding, x.reshape([rows * length, tokens])); // [B · L, D]
      const placed = positions.apply(params.positions, embedded.reshape([rows, length, WIDTH])); // [B, L, D]
      const encoded = encoder.apply(params.encoder, placed); // [B, L, D]
      const pooled = np.concatenate([np.mean(encoded, 1), np.max(encoded, 1)], 1); // [B, 2 D]
      return head.apply(params.head, pooled).reshape([-1]); // [B]
    },
  };
}
