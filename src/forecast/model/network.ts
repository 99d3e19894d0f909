// The networks of a forecasting model as one: a context encoder, the path network that says the next token, and a head
// that says one number per step; with what they are trained by and drawn from.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec } from "../../engine/index.ts";
import {
  type ArraysOf,
  type Layout,
  type LinearParams,
  layout,
  linear,
  logSoftmax,
  softmax,
  type TableParams,
} from "../../nn/index.ts";
import { type ContextEncoderParams, categoryInput, contextEncoder } from "../network/context-encoder.ts";
import { type PathNetworkParams, pathNetwork } from "../network/path-network.ts";
import { type Bins, tokensOf } from "./quantiser.ts";
import type { CompleteSettings } from "./settings.ts";
import type { WindowArrays, WindowShape, WindowSizes } from "./windows.ts";

export type ForecastParams = {
  readonly encoder: ContextEncoderParams;
  readonly categories: { readonly [place: string]: TableParams };
  readonly path: PathNetworkParams;
  readonly point?: LinearParams;
};

type Arrays = Readonly<Record<string, np.Array>>;

export interface ForecastNetwork {
  readonly layout: Layout<ForecastParams>;
  /** D′: numbers that the path network takes of each step ahead. */
  readonly ahead: number;
  /** Which window arrays the networks read, with their shapes for B windows. */
  specs(batch: number): Readonly<Partial<Record<keyof WindowArrays, ArraySpec>>>;
  /** Thought [B, W] and all that is known of the steps ahead, [B, P, D′]. */
  read(params: ArraysOf<ForecastParams>, windows: Arrays): { thought: np.Array; known: np.Array };
  /** Mean losses over what is known of the truth: `tokens` int32 [B, P], `weights` and `differences` [B, P]. */
  losses(params: ArraysOf<ForecastParams>, inputs: Arrays): Readonly<Record<LossName, np.Array>>;
  /** Probabilities of the token at step t, [B, tokens], smoothed; `before` are the tokens drawn so far, one-hot [B, t, tokens]. */
  next(
    params: ArraysOf<ForecastParams>,
    t: number,
    read: { readonly thought: np.Array; readonly known: np.Array },
    before?: np.Array,
  ): np.Array;
  /** Probabilities of all steps of given paths, [B, P, tokens], smoothed; `tokens` int32 [B, P], −1 where not known. */
  all(
    params: ArraysOf<ForecastParams>,
    read: { readonly thought: np.Array; readonly known: np.Array },
    tokens: np.Array,
  ): np.Array;
  /** One number per step, in units of differences, [B, P]; where there is such a head. */
  point?(params: ArraysOf<ForecastParams>, thought: np.Array): np.Array;
}

/** Cross-entropy per token; ranked probability score; loss of the point head; and their weighted sum. */
export type LossName = "crossEntropy" | "ranked" | "point" | "loss";

export function forecastNetwork(
  settings: CompleteSettings,
  shape: WindowShape,
  sizes: WindowSizes,
  bins: Bins,
): ForecastNetwork {
  const { context: T } = shape;
  const { channels: C, known: D, steps: P, categories, knownCategories } = sizes;
  const { width: W, positions, smoothing, ranked, point: pointOptions } = settings;
  const K = tokensOf(bins);
  const encoder = contextEncoder({
    kind: settings.encoder,
    length: T,
    channels: C,
    categories,
    width: W,
    layers: settings.layers,
    heads: settings.heads,
    positions,
  });
  const ahead = knownCategories.map(categoryInput);
  const aheadWidth = D + ahead.reduce((sum, { width }) => sum + width, 0);
  const path = pathNetwork({
    tokens: K,
    horizon: P,
    context: W,
    known: aheadWidth,
    lags: settings.tokenLags,
    hidden: settings.hidden,
    heads: { policy: K },
    zeroHeads: ["policy"],
  });
  const pointHead = pointOptions ? linear(W, P) : undefined;

  const read: ForecastNetwork["read"] = (params, { numbers, present, times, codes, known, knownCodes }) => {
    const thought = encoder.apply(params.encoder, { numbers, present, times, codes }); // [B, W]
    if (ahead.length === 0) return { thought, known }; // [B, W], [B, P, D]
    const [B] = known.shape;
    const parts = np
      .split(knownCodes, ahead.length, 2)
      .map((code, i) => ahead[i].apply(params.categories[i], code.reshape([B, P]))); // each [B, P, width]
    return { thought, known: np.concatenate([known, ...parts], 2) }; // [B, W], [B, P, D′]
  };

  const oneHotOf = (tokens: np.Array) => {
    const slots = np.arange(K).astype(np.int32); // [K]
    return np.equal(tokens.reshape([...tokens.shape, 1]), slots).astype(np.float32); // [B, P, K]
  };
  const smooth = (logits: np.Array) => np.add(np.multiply(softmax(logits), 1 - smoothing), smoothing / K); // [rows, K]

  return {
    layout: layout({
      encoder: encoder.params,
      categories: Object.fromEntries(ahead.flatMap(({ params }, i) => (params ? [[i, params]] : []))),
      path: path.params,
      ...(pointHead && { point: pointHead.params }),
    }),
    ahead: aheadWidth,
    specs(B) {
      return {
        numbers: spec([B, T, C]),
        present: spec([B, T]),
        ...(positions === "continuous" && { times: spec([B, T]) }),
        ...(categories.length > 0 && { codes: spec([B, T, categories.length], "int32") }),
        known: spec([B, P, D]),
        ...(ahead.length > 0 && { knownCodes: spec([B, P, ahead.length], "int32") }),
      };
    },
    read,
    losses(params, inputs) {
      const { tokens, weights, differences } = inputs; // [B, P] each
      const [B] = tokens.shape;
      const { thought, known } = read(params, inputs); // [B, W], [B, P, D′]
      const oneHot = oneHotOf(tokens); // [B, P, K]
      const { policy } = path.all(params.path, { context: thought, known, tokens: oneHot }); // [P·B, K]
      const truth = np.transpose(oneHot, [1, 0, 2]).reshape([P * B, K]); // [P·B, K]
      const counted = np.transpose(weights, [1, 0]).reshape([P * B]); // [P·B]
      const count = np.maximum(np.sum(weights), 1); // []
      const meanOf = (each: np.Array) => np.divide(np.sum(np.multiply(each, counted)), count); // []
      const crossEntropy = np.negative(meanOf(np.sum(np.multiply(logSoftmax(policy), truth), 1))); // []
      const score = ranked > 0 ? meanOf(rankedScore(softmax(policy), truth, bins)) : np.zeros([]); // []
      const miss = pointHead
        ? np.subtract(pointHead.apply(params.point!, thought), differences)
        : np.zeros([B, P]); // [B, P]
      const error = pointOptions ? sizeOf(pointOptions.loss, miss) : miss; // [B, P]
      const pointLoss = np.divide(np.sum(np.multiply(error, weights)), count); // []
      const others = np.add(np.multiply(score, ranked), np.multiply(pointLoss, pointOptions?.weight ?? 0)); // []
      return { crossEntropy, ranked: score, point: pointLoss, loss: np.add(crossEntropy, others) }; // [] each
    },
    next(params, t, { thought, known }, before) {
      const { policy } = path.at(params.path, t, { context: thought, known, tokens: before }); // [B, K]
      return smooth(policy); // [B, K]
    },
    all(params, { thought, known }, tokens) {
      const [B] = thought.shape;
      const { policy } = path.all(params.path, { context: thought, known, tokens: oneHotOf(tokens) }); // [P·B, K]
      return np.transpose(smooth(policy).reshape([P, B, K]), [1, 0, 2]); // [B, P, K]
    },
    ...(pointHead && {
      point: (params: ArraysOf<ForecastParams>, thought: np.Array) => pointHead.apply(params.point!, thought), // [B, P]
    }),
  };
}

/** Σ over edges of its share of the line times (probability below it − whether the truth is below it)², [R]. */
function rankedScore(law: np.Array, truth: np.Array, { edges }: Bins): np.Array {
  const [, K] = law.shape;
  const E = edges.length;
  const belowEdge = Float32Array.from({ length: K * E }, (_, i) => +(Math.floor(i / E) <= i % E));
  const below = np.array(belowEdge, { shape: [K, E] }); // [K, E], tokens that lie below each edge
  const gap = np.matmul(np.subtract(law, truth), below); // [R, E]
  const shares = Float32Array.from(edges, (edge, k) => {
    const [left, right] = [edges[k - 1] ?? edge, edges[k + 1] ?? edge];
    return (right - left) / 2;
  });
  return np.matmul(np.multiply(gap, gap), np.array(shares)); // [R]
}

/** Squares, absolute values, or Huber's mixture of both, [...]. */
function sizeOf(loss: "mse" | "mae" | "huber", miss: np.Array): np.Array {
  if (loss === "mse") return np.multiply(miss, miss); // [...]
  const size = np.maximum(miss, np.negative(miss)); // [...]
  if (loss === "mae") return size; // [...]
  const near = np.minimum(size, 1); // [...]
  return np.multiply(near, np.subtract(size, np.multiply(near, 0.5))); // [...]
}
