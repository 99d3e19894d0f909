// A causal transformer that can also be asked position by position, as a sequence grows.
//
// While an episode is played, each step adds one position, and what earlier positions have to offer (their keys and
// values) is kept: the whole episode costs as much as one pass over it. `all` is that pass, with the same parameters.
// Rows are ordered by position, then by sequence, so that every linear layer is one product over all rows. The first
// positions are the same in all sequences and stand there once.

import { numpy as np } from "@jax-js/jax";
import { checkShape } from "./checks.ts";
import { layerNorm } from "./layer-norm.ts";
import { linear } from "./linear.ts";
import { look, type Offer } from "./look.ts";
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

export interface Grown {
  /** Outputs of the new rows, [rows, D]. */
  readonly output: np.Array;
  readonly offered: Offered;
}

export interface GrowingTransformer {
  readonly params: TransformerParams;
  /**
   * Rows [R, D] with what the first layer asks and offers of each beside them, [R, 4·D]: what the functions below take.
   * It has nothing to do with other rows. So where few different rows occur often, it is done once for each, and rows
   * are chosen from what comes of it.
   */
  enter(params: ArraysOf<TransformerParams>, x: np.Array): np.Array;
  /** The shared first positions, entered, [P, 4·D]. `each` sees the sums of all layers and the weights between, here
   * and below. */
  begin(params: ArraysOf<TransformerParams>, shared: np.Array, each?: EachSum): Grown;
  /** The next position of every sequence, entered, [B, 4·D]. */
  next(params: ArraysOf<TransformerParams>, offered: Offered, entered: np.Array, each?: EachSum): Grown;
  /** Shared positions [P, 4·D] and L later ones of B sequences, [L·B, 4·D], all entered, at once: [P + L·B, D]. */
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
  /** What rows ask, what they are found by, and what is found then, side by side: [R, 3·D]. */
  const ask = (layer: LayerArrays, h: np.Array) =>
    queryKeyValue.apply(layer.attention.queryKeyValue, norm.apply(layer.attentionNorm, h)); // [R, 3·D]
  /** The rest of a layer, from what was found by looking around, [R, D]. */
  const digest = (layer: LayerArrays, h: np.Array, found: np.Array, each: EachSum) => {
    const middle = np.add(h, each(output.apply(layer.attention.output, each(found)))); // [R, D]
    const computed = dense.apply(layer.feedForward, norm.apply(layer.feedForwardNorm, middle), each); // [R, D]
    return np.add(middle, computed); // [R, D]
  };
  /** All layers over entered rows, [R, 4·D] to [R, D]; `around` says what each layer finds. */
  const through = (
    params: ArraysOf<TransformerParams>,
    entered: np.Array,
    each: EachSum,
    around: (query: np.Array, offer: Offer, layer: number) => np.Array,
  ) => {
    // Noted apart, they need not be told apart again.
    const apart = (sums: np.Array) => np.split(sums, sums.shape[1] / D, 1).map((part) => each(part)); // [R, D] each
    const [x, ...ofFirst] = apart(entered);
    const h = params.layers.reduce((h, layer, i) => {
      const [query, key, value] = i === 0 ? ofFirst : apart(ask(layer, h)); // [R, D] each
      return digest(layer, h, around(query, { key, value }, i), each); // [R, D]
    }, x); // [R, D]
    return norm.apply(params.finalNorm, h); // [R, D]
  };
  const lookAmongShared = (query: np.Array, offer: Offer, each?: EachSum) => {
    if (query.shape[0] > 1) return look(query, offer, 1, H, each); // [P, D]
    each?.(np.ones([1, 1, 1, H])); // A single position looks at itself.
    return offer.value; // [1, D]
  };

  return {
    params,
    enter(params, x) {
      checkShape("growingTransformer", "x", x, ["R", D]);
      return np.concatenate([x, ask(params.layers[0], x)], 1); // [R, 4·D]
    },
    begin(params, shared, each = (sum) => sum) {
      checkShape("growingTransformer", "shared", shared, ["P", 4 * D]);
      const offered: LayerOffer[] = [];
      const output = through(params, shared, each, (query, offer) => {
        offered.push({ shared: offer, own: [] });
        return lookAmongShared(query, offer, each); // [P, D]
      }); // [P, D]
      return { output, offered };
    },
    next(params, before, entered, each = (sum) => sum) {
      checkShape("growingTransformer", "entered", entered, ["B", 4 * D]);
      const [B] = entered.shape;
      const offered: LayerOffer[] = [];
      const output = through(params, entered, each, (query, offer, i) => {
        const grown = { shared: before[i].shared, own: [...before[i].own, offer] };
        offered.push(grown);
        return look(query, together(grown, B), B, H, each); // [B, D]
      }); // [B, D]
      return { output, offered };
    },
    all(params, shared, later, B, each = (sum) => sum) {
      checkShape("growingTransformer", "shared", shared, ["P", 4 * D]);
      if (!later) return through(params, shared, each, (query, offer) => lookAmongShared(query, offer, each)); // [P, D]
      checkShape("growingTransformer", "later", later, ["L·B", 4 * D]);
      const [P] = shared.shape;
      // Shared positions are few: their weights are computed again.
      const eachOfLater = (weights: np.Array) => each(weights, ([_, ...noted]) => underEachOther(noted)); // [L, S, B, H]
      return through(params, np.concatenate([shared, later], 0), each, (query, { key, value }) => {
        const [sharedQuery, laterQuery] = np.split(query, [P], 0); // [P, D], [L·B, D]
        const [sharedKey, laterKey] = np.split(key, [P], 0); // [P, D], [L·B, D]
        const [sharedValue, laterValue] = np.split(value, [P], 0); // [P, D], [L·B, D]
        const ofShared = { key: sharedKey, value: sharedValue };
        const all = together({ shared: ofShared, own: [{ key: laterKey, value: laterValue }] }, B); // [S·B, D]
        const found = [lookAmongShared(sharedQuery, ofShared), look(laterQuery, all, B, H, eachOfLater)]; // [P, D], [L·B, D]
        return np.concatenate(found, 0); // [P + L·B, D]
      }); // [P + L·B, D]
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

/** Weights of one position after the other, [1, s, B, H] each for s = S − L + 1 to S, as [L, S, B, H]. */
function underEachOther(weights: readonly np.Array[]): np.Array {
  const [, S, B, H] = weights.at(-1)!.shape;
  const rows = weights.flatMap((own) => [
    own,
    ...(own.shape[1] < S ? [np.zeros([1, S - own.shape[1], B, H])] : []),
  ]);
  const all = rows.map((row) => row.reshape([-1, B, H])); // [s, B, H] or [S − s, B, H]
  return np.concatenate(all, 0).reshape([weights.length, S, B, H]); // [L, S, B, H]
}
