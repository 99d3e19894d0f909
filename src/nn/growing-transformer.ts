// A causal transformer that can also be asked position by position, as a sequence grows.
//
// While an episode is played, each step adds one position, and what earlier positions have to offer (their keys and
// values) is kept: the whole episode costs as much as one pass over it. `all` is that pass, with the same parameters.
// Rows are ordered by position, then by sequence, so that every linear layer is one product over all rows. The first
// positions are the same in all sequences and stand there once.

import { lax, numpy as np } from "@jax-js/jax";
import { FORBIDDEN, maskedSoftmax } from "./activations.ts";
import { checkShape } from "./checks.ts";
import { layerNorm } from "./layer-norm.ts";
import { linear } from "./linear.ts";
import { mlp } from "./mlp.ts";
import type { ArraysOf } from "./params.ts";
import type { EachSum } from "./recall.ts";
import {
  type TransformerLayerParams,
  type TransformerOptions,
  type TransformerParams,
  transformer,
} from "./transformer.ts";

/** What later positions look at: per layer the keys and values of all positions so far. */
export type Offered = readonly LayerOffer[];

interface LayerOffer {
  /** Of the shared positions, [P, D] each. */
  readonly shared: Offer;
  /** Of each later position, [B, D] each. */
  readonly own: readonly Offer[];
}

/** What rows have to be found by, and what is found, [R, D] each. */
interface Offer {
  readonly key: np.Array;
  readonly value: np.Array;
}

export interface Grown {
  /** Outputs of the new rows, [rows, D]. */
  readonly output: np.Array;
  readonly offered: Offered;
}

export interface GrowingTransformer {
  readonly params: TransformerParams;
  /** The shared first positions, [P, D]. `each` sees the sums of all linear layers, here and below. */
  begin(params: ArraysOf<TransformerParams>, shared: np.Array, each?: EachSum): Grown;
  /** The next position of every sequence, [B, D]. */
  next(params: ArraysOf<TransformerParams>, offered: Offered, x: np.Array, each?: EachSum): Grown;
  /** Shared positions [P, D] and L later ones of B sequences, [L·B, D], at once: [P + L·B, D]. */
  all(
    params: ArraysOf<TransformerParams>,
    shared: np.Array,
    later: np.Array | null,
    batch: number,
    each?: EachSum,
  ): np.Array;
}

export type GrowingTransformerOptions = Pick<
  TransformerOptions,
  "layers" | "width" | "heads" | "feedForward" | "activation"
>;

export function growingTransformer(options: GrowingTransformerOptions): GrowingTransformer {
  const { width: D, heads: H, feedForward = 4 * D, activation = "gelu" } = options;
  // The same parameters as the transformer that sees whole sequences, and its checks.
  const { params } = transformer({ ...options, causal: true });
  const norm = layerNorm(D);
  const queryKeyValue = linear(D, 3 * D);
  const output = linear(D, D);
  const dense = mlp({ inputs: D, hidden: [feedForward], outputs: D, activation });

  type LayerArrays = ArraysOf<TransformerLayerParams>;
  /** What rows ask, [R, D], and what they offer. */
  const askAndOffer = (layer: LayerArrays, h: np.Array, each: EachSum) => {
    const sum = each(queryKeyValue.apply(layer.attention.queryKeyValue, norm.apply(layer.attentionNorm, h))); // [R, 3·D]
    const [query, key, value] = np.split(sum, 3, 1); // [R, D] each
    return { query, offer: { key, value } };
  };
  /** The rest of a layer, from what was found by looking around, [R, D]. */
  const digest = (layer: LayerArrays, h: np.Array, found: np.Array, each: EachSum) => {
    const middle = np.add(h, each(output.apply(layer.attention.output, found))); // [R, D]
    const computed = dense.apply(layer.feedForward, norm.apply(layer.feedForwardNorm, middle), each); // [R, D]
    return np.add(middle, computed); // [R, D]
  };
  const lookAmongShared = (query: np.Array, offer: Offer) =>
    query.shape[0] === 1 ? offer.value : look(query, offer, 1, H); // [P, D]

  return {
    params,
    begin(params, shared, each = (sum) => sum) {
      checkShape("growingTransformer", "shared", shared, ["P", D]);
      const offered: LayerOffer[] = [];
      const h = params.layers.reduce((h, layer) => {
        const { query, offer } = askAndOffer(layer, h, each); // [P, D]
        offered.push({ shared: offer, own: [] });
        return digest(layer, h, lookAmongShared(query, offer), each); // [P, D]
      }, shared); // [P, D]
      return { output: norm.apply(params.finalNorm, h), offered };
    },
    next(params, before, x, each = (sum) => sum) {
      checkShape("growingTransformer", "x", x, ["B", D]);
      const [B] = x.shape;
      const offered: LayerOffer[] = [];
      const h = params.layers.reduce((h, layer, i) => {
        const { query, offer } = askAndOffer(layer, h, each); // [B, D]
        const grown = { shared: before[i].shared, own: [...before[i].own, offer] };
        offered.push(grown);
        return digest(layer, h, look(query, together(grown, B), B, H), each); // [B, D]
      }, x); // [B, D]
      return { output: norm.apply(params.finalNorm, h), offered };
    },
    all(params, shared, later, B, each = (sum) => sum) {
      checkShape("growingTransformer", "shared", shared, ["P", D]);
      if (later) checkShape("growingTransformer", "later", later, ["L·B", D]);
      const [P] = shared.shape;
      const x = later ? np.concatenate([shared, later], 0) : shared; // [P + L·B, D]
      const h = params.layers.reduce((h, layer) => {
        const { query, offer } = askAndOffer(layer, h, each); // [P + L·B, D]
        if (!later) return digest(layer, h, lookAmongShared(query, offer), each); // [P, D]
        const [sharedQuery, laterQuery] = np.split(query, [P], 0); // [P, D], [L·B, D]
        const [sharedKey, laterKey] = np.split(offer.key, [P], 0); // [P, D], [L·B, D]
        const [sharedValue, laterValue] = np.split(offer.value, [P], 0); // [P, D], [L·B, D]
        const ofShared = { key: sharedKey, value: sharedValue };
        const all = together({ shared: ofShared, own: [{ key: laterKey, value: laterValue }] }, B); // [S·B, D]
        const found = [lookAmongShared(sharedQuery, ofShared), look(laterQuery, all, B, H)]; // [P, D], [L·B, D]
        return digest(layer, h, np.concatenate(found, 0), each); // [P + L·B, D]
      }, x); // [P + L·B, D]
      return norm.apply(params.finalNorm, h); // [P + L·B, D]
    },
  };
}

/** What all positions of B sequences offer, ordered by position, [S·B, D] each. */
function together({ shared, own }: LayerOffer, B: number): Offer {
  const all = (part: keyof Offer) =>
    np.concatenate([spread(shared[part], B), ...own.map((offer) => offer[part])], 0); // [S·B, D]
  return { key: all("key"), value: all("value") };
}

/** Shared rows [P, W] for each of B sequences: [P·B, W]. */
function spread(shared: np.Array, B: number): np.Array {
  const [P, W] = shared.shape;
  return np.broadcastTo(shared.reshape([P, 1, W]), [P, B, W]).reshape([P * B, W]); // [P·B, W]
}

/** Positions up to which products and sums are faster than many small matrix products. */
const SHORT = 16;

/**
 * The last L positions of B sequences look at all S positions up to their own: queries [L·B, D], offers [S·B, D], all
 * ordered by position; gives [L·B, D].
 */
function look(query: np.Array, { key, value }: Offer, B: number, H: number): np.Array {
  const [rows, D] = query.shape;
  const [L, S] = [rows / B, key.shape[0] / B];
  const scaled = np.multiply(query, 1 / Math.sqrt(D / H)); // [L·B, D]
  const sizes = { L, S, B, H, d: D / H };
  return L === 1 || S <= SHORT
    ? lookBySums(scaled, key, value, sizes)
    : lookByProducts(scaled, key, value, sizes);
}

interface Sizes {
  readonly L: number;
  readonly S: number;
  readonly B: number;
  readonly H: number;
  readonly d: number;
}

function lookBySums(query: np.Array, key: np.Array, value: np.Array, { L, S, B, H, d }: Sizes): np.Array {
  const raw = np.sum(np.multiply(query.reshape([L, 1, B, H, d]), key.reshape([1, S, B, H, d])), 4); // [L, S, B, H]
  const scores = L === 1 ? raw : np.where(upToOwn(L, S).reshape([L, S, 1, 1]), raw, FORBIDDEN); // [L, S, B, H]
  const peak = np.max(lax.stopGradient(scores), 1, { keepdims: true }); // [L, 1, B, H]
  const shares = np.exp(np.subtract(scores, peak)); // [L, S, B, H]
  const weights = np.divide(shares, np.sum(shares, 1, { keepdims: true })); // [L, S, B, H]
  const found = np.sum(np.multiply(weights.reshape([L, S, B, H, 1]), value.reshape([1, S, B, H, d])), 1); // [L, B, H, d]
  return found.reshape([L * B, H * d]); // [L·B, D]
}

function lookByProducts(query: np.Array, key: np.Array, value: np.Array, { L, S, B, H, d }: Sizes): np.Array {
  const queries = np.transpose(query.reshape([L, B, H, d]), [1, 2, 0, 3]); // [B, H, L, d]
  const keys = np.transpose(key.reshape([S, B, H, d]), [1, 2, 3, 0]); // [B, H, d, S]
  const values = np.transpose(value.reshape([S, B, H, d]), [1, 2, 0, 3]); // [B, H, S, d]
  const weights = maskedSoftmax(np.matmul(queries, keys), upToOwn(L, S)); // [B, H, L, S]
  const found = np.matmul(weights, values); // [B, H, L, d]
  return np.transpose(found, [2, 0, 1, 3]).reshape([L * B, H * d]); // [L·B, D]
}

/** bool [L, S]: row l is position S − L + l, and allows positions up to it. */
function upToOwn(L: number, S: number): np.Array {
  const allowed = new Int32Array(L * S).map((_, i) => +(i % S <= S - L + Math.floor(i / S)));
  return np.array(allowed, { shape: [L, S], dtype: np.bool }); // [L, S]
}
