// Multi-head attention (Vaswani et al. 2017): self-attention and cross-attention.
//
// Masks are true for keys that may be attended to. A query without allowed keys attends to all keys equally;
// its output has no meaning, but is finite.

import { numpy as np } from "@jax-js/jax";
import { maskedSoftmax, softmax } from "./activations.ts";
import { checkShape, checkSizes } from "./checks.ts";
import { columnBlocks, glorotUniform } from "./init.ts";
import { type LinearParams, linear } from "./linear.ts";
import type { Module } from "./module.ts";

/** Parameters of self-attention. */
export type SelfAttentionParams = { readonly queryKeyValue: LinearParams; readonly output: LinearParams };

/** Options of `selfAttention`. */
export interface SelfAttentionOptions {
  readonly width: number;
  /** Number of heads, which must divide the width. */
  readonly heads: number;
  /** Whether positions attend only to themselves and earlier positions. Default: false. */
  readonly causal?: boolean;
}

/** Which positions may be attended to. */
export interface AttentionMask {
  /** Mask, bool [B, S]: true for keys that may be attended to, false for padding. Omit if there is no padding. */
  readonly keyAllowed?: np.Array;
}

/** Self-attention as a module: [B, S, D] to [B, S, D]. */
export type SelfAttention = Module<SelfAttentionParams, [x: np.Array, mask?: AttentionMask]>;

/** Maps [B, T, D] to [B, T, D]. */
export function selfAttention({ width, heads, causal = false }: SelfAttentionOptions): SelfAttention {
  checkHeads("selfAttention", width, heads);
  const queryKeyValue = linear(width, 3 * width, { weightInit: columnBlocks(glorotUniform, 3) });
  const output = linear(width, width);
  return {
    params: { queryKeyValue: queryKeyValue.params, output: output.params },
    apply(params, x, { keyAllowed } = {}) {
      checkShape("selfAttention", "x", x, ["B", "T", width]);
      const [batch, length] = x.shape;
      const [query, key, value] = splitHeads(queryKeyValue.apply(params.queryKeyValue, x), 3, heads); // [B, H, T, D/H]
      const past = causal ? causalMask(length) : undefined; // [T, T]
      const present = keyAllowed && keyMask("selfAttention", keyAllowed, batch, length); // [B, 1, 1, T]
      const allowed = past && present ? np.logicalAnd(past, present) : (past ?? present); // broadcasts to [B, 1, T, T]
      return output.apply(params.output, attend(query, key, value, allowed)); // [B, T, D]
    },
  };
}

/** Parameters of cross-attention. */
export type CrossAttentionParams = {
  readonly query: LinearParams;
  readonly keyValue: LinearParams;
  readonly output: LinearParams;
};

/** Options of `crossAttention`. */
export interface CrossAttentionOptions {
  readonly width: number;
  /** Number of heads, which must divide the width. */
  readonly heads: number;
  /** Width of the context sequence. Default: `width`. */
  readonly contextWidth?: number;
}

/** Cross-attention as a module, from a sequence to a context sequence. */
export type CrossAttention = Module<
  CrossAttentionParams,
  [x: np.Array, context: np.Array, mask?: AttentionMask]
>;

/** Attention of x [B, T, D] to a context [B, S, C]: gives [B, T, D]. */
export function crossAttention({
  width,
  heads,
  contextWidth = width,
}: CrossAttentionOptions): CrossAttention {
  checkHeads("crossAttention", width, heads);
  checkSizes("crossAttention", { contextWidth });
  const queries = linear(width, width);
  const keyValue = linear(contextWidth, 2 * width, { weightInit: columnBlocks(glorotUniform, 2) });
  const output = linear(width, width);
  return {
    params: { query: queries.params, keyValue: keyValue.params, output: output.params },
    apply(params, x, context, { keyAllowed } = {}) {
      checkShape("crossAttention", "x", x, ["B", "T", width]);
      const [batch] = x.shape;
      checkShape("crossAttention", "context", context, [batch, "S", contextWidth]);
      const [query] = splitHeads(queries.apply(params.query, x), 1, heads); // [B, H, T, D/H]
      const [key, value] = splitHeads(keyValue.apply(params.keyValue, context), 2, heads); // [B, H, S, D/H]
      const allowed = keyAllowed && keyMask("crossAttention", keyAllowed, batch, context.shape[1]); // [B, 1, 1, S]
      return output.apply(params.output, attend(query, key, value, allowed)); // [B, T, D]
    },
  };
}

/**
 * Causal mask, bool [queries, length], of the last `queries` (default: all) of `length` positions: each may attend to
 * itself and to earlier positions.
 */
export function causalMask(length: number, queries = length): np.Array {
  checkSizes("causalMask", { length, queries });
  const allowed = new Int32Array(queries * length).map(
    (_, i) => +(i % length <= length - queries + Math.floor(i / length)),
  );
  return np.array(allowed, { shape: [queries, length], dtype: np.bool }); // [queries, length]
}

/** Attention of queries [B, H, T, D/H] to keys and values [B, H, S, D/H], with the heads concatenated: [B, T, D]. */
function attend(query: np.Array, key: np.Array, value: np.Array, allowed: np.Array | undefined): np.Array {
  const [batch, heads, length, headWidth] = query.shape;
  const scaled = np.multiply(query, 1 / Math.sqrt(headWidth)); // [B, H, T, D/H]
  const scores = np.matmul(scaled, np.transpose(key, [0, 1, 3, 2])); // [B, H, T, S]
  const weights = allowed ? maskedSoftmax(scores, allowed) : softmax(scores); // [B, H, T, S]
  const mixed = np.matmul(weights, value); // [B, H, T, D/H]
  return np.transpose(mixed, [0, 2, 1, 3]).reshape([batch, length, heads * headWidth]); // [B, T, D]
}

/** Splits [B, T, parts · D] into `parts` arrays of shape [B, H, T, D/H]. */
function splitHeads(x: np.Array, parts: number, heads: number): np.Array[] {
  const [batch, length, columns] = x.shape;
  const headWidth = columns / parts / heads;
  const partsFirst = np.transpose(x.reshape([batch, length, parts, heads, headWidth]), [2, 0, 3, 1, 4]); // [P, B, H, T, D/H]
  return np.split(partsFirst, parts).map((part) => part.reshape([batch, heads, length, headWidth])); // each [B, H, T, D/H]
}

function keyMask(where: string, keyAllowed: np.Array, batch: number, length: number): np.Array {
  checkShape(where, "keyAllowed", keyAllowed, [batch, length]);
  return keyAllowed.reshape([batch, 1, 1, length]); // [B, 1, 1, S]
}

function checkHeads(where: string, width: number, heads: number): void {
  checkSizes(where, { width, heads });
  if (width % heads !== 0) {
    throw new RangeError(`${where}: heads must divide the width ${width}, got ${heads}`);
  }
}
