// Embeds rows of one-hot blocks: the embedding of a block is the sum of a value embedding and a position embedding.

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes } from "./checks.ts";
import { normal } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

export type BlockEmbeddingParams = { readonly values: ParamSpec; readonly positions: ParamSpec };

export interface BlockEmbeddingOptions {
  /** Number of blocks per row. */
  readonly blocks: number;
  /** Number of entries per block. At most one entry is 1, the others are 0. */
  readonly blockSize: number;
  /** Width of the embedding of a block. */
  readonly width: number;
}

/** Maps [R, blocks · blockSize] to [R, blocks · width]. A block of zeros becomes its position embedding. */
export function blockEmbedding({
  blocks,
  blockSize: block,
  width,
}: BlockEmbeddingOptions): Module<BlockEmbeddingParams, [x: np.Array]> {
  checkSizes("blockEmbedding", { blocks, block, width });
  return {
    params: {
      values: { shape: [block, width], init: normal(1 / Math.sqrt(width)) },
      positions: { shape: [blocks, width], init: normal(0.02) },
    },
    apply({ values, positions }, x) {
      checkShape("blockEmbedding", "x", x, ["R", blocks * block]);
      const embedded = np.matmul(x.reshape([-1, block]), values); // [R·blocks, width]
      return np.add(embedded.reshape([-1, blocks * width]), positions.reshape([blocks * width])); // [R, blocks·width]
    },
  };
}
