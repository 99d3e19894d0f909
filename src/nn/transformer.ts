// A transformer encoder with pre-normalisation (Xiong et al. 2020), which trains without learning-rate warm-up.

import { numpy as np } from "@jax-js/jax";
import type { ActivationName } from "./activations.ts";
import { type AttentionMask, type SelfAttentionParams, selfAttention } from "./attention.ts";
import { checkRange, checkShape, checkSizes } from "./checks.ts";
import { dropout } from "./dropout.ts";
import { type LayerNormParams, layerNorm } from "./layer-norm.ts";
import { type MlpParams, mlp } from "./mlp.ts";
import type { Module } from "./module.ts";

/** Parameters of one layer of a transformer. */
export type TransformerLayerParams = {
  readonly attentionNorm: LayerNormParams;
  readonly attention: SelfAttentionParams;
  readonly feedForwardNorm: LayerNormParams;
  readonly feedForward: MlpParams;
};

/** Parameters of a transformer. */
export type TransformerParams = {
  readonly layers: readonly TransformerLayerParams[];
  readonly finalNorm: LayerNormParams;
};

/** Options of `transformer`. */
export interface TransformerOptions {
  readonly layers: number;
  readonly width: number;
  /** Number of attention heads, which must divide the width. */
  readonly heads: number;
  /** Hidden width of the feed-forward blocks. Default: four times the width. */
  readonly feedForward?: number;
  /** Default: gelu. */
  readonly activation?: ActivationName;
  /** Whether positions attend only to themselves and earlier positions. Default: false. */
  readonly causal?: boolean;
  /** Dropout rate of the output of each attention and feed-forward block in training. Default: 0. */
  readonly dropoutRate?: number;
}

/** Further inputs of a transformer beside the sequence: padding and dropout. */
export interface TransformerInputs extends AttentionMask {
  /** Uniform random numbers of shape `uniformsShape(B, T)` for dropout. Omit in evaluation. */
  readonly uniforms?: np.Array;
}

/** A transformer as a module: [B, T, D] to [B, T, D]. */
export interface Transformer extends Module<TransformerParams, [x: np.Array, inputs?: TransformerInputs]> {
  /** Shape of the uniform random numbers for dropout: [layers, 2, B, T, D]. */
  uniformsShape(batch: number, length: number): number[];
}

/** Maps [B, T, D] to [B, T, D]. */
export function transformer({
  layers,
  width,
  heads,
  feedForward = 4 * width,
  activation = "gelu",
  causal = false,
  dropoutRate = 0,
}: TransformerOptions): Transformer {
  checkSizes("transformer", { layers, width, heads, feedForward });
  checkRange("transformer", "dropoutRate", dropoutRate, { low: 0, high: 1 });
  const attention = selfAttention({ width, heads, causal });
  const norm = layerNorm(width);
  const dense = mlp({ inputs: width, hidden: [feedForward], outputs: width, activation });
  const layer: TransformerLayerParams = {
    attentionNorm: norm.params,
    attention: attention.params,
    feedForwardNorm: norm.params,
    feedForward: dense.params,
  };
  const uniformsShape = (batch: number, length: number) => [layers, 2, batch, length, width];

  return {
    params: { layers: Array.from({ length: layers }, () => layer), finalNorm: norm.params },
    uniformsShape,
    apply(params, x, { keyAllowed, uniforms } = {}) {
      checkShape("transformer", "x", x, ["B", "T", width]);
      const drop = dropoutWith(uniforms);
      const output = params.layers.reduce((h, layer, i) => {
        const attended = attention.apply(layer.attention, norm.apply(layer.attentionNorm, h), { keyAllowed }); // [B, T, D]
        const middle = np.add(h, drop(attended, 2 * i)); // [B, T, D]
        const computed = dense.apply(layer.feedForward, norm.apply(layer.feedForwardNorm, middle)); // [B, T, D]
        return np.add(middle, drop(computed, 2 * i + 1)); // [B, T, D]
      }, x); // [B, T, D]
      return norm.apply(params.finalNorm, output); // [B, T, D]
    },
  };

  /** A function that applies dropout at position `place` of the network, with the slice of the uniform numbers for it. */
  function dropoutWith(uniforms: np.Array | undefined): (x: np.Array, place: number) => np.Array {
    if (dropoutRate === 0 || !uniforms) return (x) => x; // [B, T, D]
    const [, , batch, length] = uniforms.shape;
    checkShape("transformer", "uniforms", uniforms, uniformsShape(batch, length));
    const slices = np.split(uniforms.reshape([2 * layers, batch, length, width]), 2 * layers); // each [1, B, T, D]
    return (x, place) => dropout(x, slices[place].reshape([batch, length, width]), dropoutRate); // [B, T, D]
  }
}
