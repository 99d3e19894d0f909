// Embeds a row of one-hot blocks, block by block: one table of what a block holds, one of where it stands.

import { numpy as np } from "@jax-js/jax";
import { checkShape, checkSizes } from "./checks.ts";
import { normal } from "./init.ts";
import type { Module } from "./module.ts";
import type { ParamSpec } from "./params.ts";

export type BlockEmbeddingParams = { readonly values: ParamSpec; readonly positions: ParamSpec };

export interface BlockEmbeddingOptions {
  /** How many blocks a row has. */
  readonly blocks: number;
  /** Entries of a block, at most one of them 1. */
  readonly block: number;
  /** Numbers that a block becomes. */
  readonly width: number;
}

/** Maps [R, blocks · block] to [R, blocks · width]. A block of zeros becomes what its position alone is. */
export function blockEmbedding({
  blocks,
  block,
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
      const held = np.matmul(x.reshape([-1, block]), values); // [R·blocks, width]
      return np.add(held.reshape([-1, blocks * width]), positions.reshape([blocks * width])); // [R, blocks·width]
    },
  };
}
