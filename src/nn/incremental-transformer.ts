// A causal transformer with incremental decoding: with a KV cache, one more position of a sequence costs one row.
//
// A rollout adds one position per step, so the rollout of a whole trajectory costs as much as one pass over it.
// `forward` computes this one pass over all positions, with the same parameters. Rows are ordered by position, then by
// sequence, so that every linear layer is one product over all rows. The first positions are the same in all sequences
// (a shared prompt); they are stored and computed once.

import { numpy as np } from "@jax-js/jax";
import type { ActivationHook } from "./activation-reuse.ts";
import { checkShape } from "./checks.ts";
import { layerNorm } from "./layer-norm.ts";
import { linear } from "./linear.ts";
import { mlp } from "./mlp.ts";
import type { ArraysOf } from "./params.ts";
import { attend, type KeyValue } from "./step-attention.ts";
import {
  type TransformerLayerParams,
  type TransformerOptions,
  type TransformerParams,
  transformer,
} from "./transformer.ts";

/** Keys and values of all positions so far, per layer. */
export type KVCache = readonly LayerCache[];

/** One array grows by a position per step: a list of arrays would be joined anew in every step, and the joins of a long
 * sequence would have as many inputs as the square of its length. */
interface LayerCache {
  /** Keys and values of the shared positions, [P, D] each. */
  readonly shared: KeyValue;
  /** Keys and values of all positions of B sequences, [S·B, D] each; null before the first step. */
  readonly all: KeyValue | null;
}

/** The result of decoding some rows: their outputs, and the cache that includes them. */
export interface Decoded {
  /** Outputs of the new rows, [rows, D]. */
  readonly output: np.Array;
  readonly cache: KVCache;
}

/** A causal transformer that decodes position by position, or all positions at once. */
export interface IncrementalTransformer {
  readonly params: TransformerParams;
  /**
   * Rows [R, D] with their queries, keys and values of the first layer beside them, [R, 4·D]: the input of the functions
   * below. Each row is independent of the others, so if few different rows occur often, project each of them once and
   * select from the results.
   */
  projectInputs(params: ArraysOf<TransformerParams>, x: np.Array): np.Array;
  /**
   * Starts a cache with the shared first positions [P, 4·D]. In this and the following functions, the hook receives the
   * activations of all layers and the attention weights.
   */
  prefill(params: ArraysOf<TransformerParams>, shared: np.Array, hook?: ActivationHook): Decoded;
  /** Decodes the next position of every sequence, [B, 4·D]. */
  decodeStep(
    params: ArraysOf<TransformerParams>,
    cache: KVCache,
    projected: np.Array,
    hook?: ActivationHook,
  ): Decoded;
  /**
   * Computes all positions at once: the shared positions [P, 4·D] and the L later positions of B sequences [L·B, 4·D]
   * give [P + L·B, D].
   */
  forward(
    params: ArraysOf<TransformerParams>,
    shared: np.Array,
    later: np.Array | null,
    batch: number,
    hook?: ActivationHook,
  ): np.Array;
}

/** Options of `incrementalTransformer`. */
export type IncrementalTransformerOptions = Pick<
  TransformerOptions,
  "layers" | "width" | "heads" | "feedForward" | "activation"
>;

/** Creates a causal transformer with incremental decoding. Its parameters are those of `transformer`. */
export function incrementalTransformer(options: IncrementalTransformerOptions): IncrementalTransformer {
  const { width: D, heads: H, feedForward = 4 * D, activation = "gelu" } = options;
  // Parameters and checks are those of the transformer over complete sequences.
  const { params } = transformer({ ...options, causal: true });
  const norm = layerNorm(D);
  const queryKeyValue = linear(D, 3 * D);
  const output = linear(D, D);
  const dense = mlp({ inputs: D, hidden: [feedForward], outputs: D, activation });

  type LayerArrays = ArraysOf<TransformerLayerParams>;
  /** The query, the key and the value of each row, side by side, [R, 3·D]. */
  const projectQueryKeyValue = (layer: LayerArrays, h: np.Array) =>
    queryKeyValue.apply(layer.attention.queryKeyValue, norm.apply(layer.attentionNorm, h)); // [R, 3·D]
  /** Computes the rest of a layer after its attention, [R, D]. */
  const finishLayer = (layer: LayerArrays, h: np.Array, attended: np.Array, hook: ActivationHook) => {
    const middle = np.add(h, hook(output.apply(layer.attention.output, hook(attended)))); // [R, D]
    const computed = dense.apply(layer.feedForward, norm.apply(layer.feedForwardNorm, middle), hook); // [R, D]
    return np.add(middle, computed); // [R, D]
  };
  /** All layers over projected rows, [R, 4·D] to [R, D]. `attention` computes the attention of a layer. */
  const applyLayers = (
    params: ArraysOf<TransformerParams>,
    projected: np.Array,
    hook: ActivationHook,
    attention: (query: np.Array, keyValue: KeyValue, layer: number) => np.Array,
  ) => {
    // Activations are recorded in parts of width D, so that reused activations need no further split.
    const splitParts = (rows: np.Array) => np.split(rows, rows.shape[1] / D, 1).map((part) => hook(part)); // [R, D] each
    const [x, ...firstParts] = splitParts(projected);
    const h = params.layers.reduce((h, layer, i) => {
      const [query, key, value] = i === 0 ? firstParts : splitParts(projectQueryKeyValue(layer, h)); // [R, D] each
      return finishLayer(layer, h, attention(query, { key, value }, i), hook); // [R, D]
    }, x); // [R, D]
    return norm.apply(params.finalNorm, h); // [R, D]
  };
  const attendShared = (query: np.Array, keyValue: KeyValue, hook?: ActivationHook) => {
    if (query.shape[0] > 1) return attend(query, keyValue, 1, H, hook); // [P, D]
    hook?.(np.ones([1, 1, 1, H])); // A single position attends to itself with weight 1.
    return keyValue.value; // [1, D]
  };

  return {
    params,
    projectInputs(params, x) {
      checkShape("incrementalTransformer", "x", x, ["R", D]);
      return np.concatenate([x, projectQueryKeyValue(params.layers[0], x)], 1); // [R, 4·D]
    },
    prefill(params, shared, hook = (activation) => activation) {
      checkShape("incrementalTransformer", "shared", shared, ["P", 4 * D]);
      const cache: LayerCache[] = [];
      const output = applyLayers(params, shared, hook, (query, keyValue) => {
        cache.push({ shared: keyValue, all: null });
        return attendShared(query, keyValue, hook); // [P, D]
      }); // [P, D]
      return { output, cache };
    },
    decodeStep(params, before, projected, hook = (activation) => activation) {
      checkShape("incrementalTransformer", "projected", projected, ["B", 4 * D]);
      const [B] = projected.shape;
      const cache: LayerCache[] = [];
      const output = applyLayers(params, projected, hook, (query, keyValue, i) => {
        const { shared, all: earlier } = before[i];
        const all = earlier ? joined(earlier, keyValue) : allPositions(shared, keyValue, B); // [S·B, D]
        cache.push({ shared, all });
        return attend(query, all, B, H, hook); // [B, D]
      }); // [B, D]
      return { output, cache };
    },
    forward(params, shared, later, B, hook = (activation) => activation) {
      checkShape("incrementalTransformer", "shared", shared, ["P", 4 * D]);
      if (!later)
        return applyLayers(params, shared, hook, (query, keyValue) => attendShared(query, keyValue, hook)); // [P, D]
      checkShape("incrementalTransformer", "later", later, ["L·B", 4 * D]);
      const [P] = shared.shape;
      // The first recorded weights belong to the shared positions and are skipped: there are few of these positions, so
      // their attention is computed again.
      const hookLater = (weights: np.Array) =>
        hook(weights, ([_, ...recorded]) => stackCausalWeights(recorded)); // [L, S, B, H]
      return applyLayers(params, np.concatenate([shared, later], 0), hook, (query, { key, value }) => {
        const [sharedQuery, laterQuery] = np.split(query, [P], 0); // [P, D], [L·B, D]
        const [sharedKey, laterKey] = np.split(key, [P], 0); // [P, D], [L·B, D]
        const [sharedValue, laterValue] = np.split(value, [P], 0); // [P, D], [L·B, D]
        const ofShared = { key: sharedKey, value: sharedValue };
        const ofLater = { key: laterKey, value: laterValue };
        const all = allPositions(ofShared, ofLater, B); // [S·B, D]
        const attended = [attendShared(sharedQuery, ofShared), attend(laterQuery, all, B, H, hookLater)]; // [P, D], [L·B, D]
        return np.concatenate(attended, 0); // [P + L·B, D]
      }); // [P + L·B, D]
    },
  };
}

/** Keys and values of the shared positions [P, D] and the later positions [L·B, D] of B sequences, ordered by position,
 * [S·B, D] each. */
function allPositions(shared: KeyValue, later: KeyValue, B: number): KeyValue {
  const repeated = { key: repeatPerSequence(shared.key, B), value: repeatPerSequence(shared.value, B) }; // [P·B, D]
  return joined(repeated, later); // [S·B, D]
}

/** Keys and values of earlier rows and the rows after them. */
function joined(earlier: KeyValue, later: KeyValue): KeyValue {
  return {
    key: np.concatenate([earlier.key, later.key], 0), // [R, D]
    value: np.concatenate([earlier.value, later.value], 0), // [R, D]
  };
}

/** Shared rows [P, W] repeated for each of B sequences: [P·B, W]. */
function repeatPerSequence(shared: np.Array, B: number): np.Array {
  const [P, W] = shared.shape;
  return np.broadcastTo(shared.reshape([P, 1, W]), [P, B, W]).reshape([P * B, W]); // [P·B, W]
}

/** Attention weights of consecutive positions, [1, s, B, H] each for s = S − L + 1 to S, padded to [L, S, B, H]. */
function stackCausalWeights(weights: readonly np.Array[]): np.Array {
  const [, S, B, H] = weights.at(-1)!.shape;
  const rows = weights.flatMap((row) => [
    row,
    ...(row.shape[1] < S ? [np.zeros([1, S - row.shape[1], B, H])] : []),
  ]);
  const flat = rows.map((row) => row.reshape([-1, B, H])); // [s, B, H] or [S − s, B, H]
  return np.concatenate(flat, 0).reshape([weights.length, S, B, H]); // [L, S, B, H]
}
