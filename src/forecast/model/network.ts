// The networks of a forecasting model as one: a context encoder, the path network that says the next token, and a head
// that says one number per step; with what they are trained by and drawn from.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec } from "../../engine/index.ts";
import {
  type ArraysOf,
  init,
  type Layout,
  type LinearParams,
  layout,
  linear,
  logSoftmax,
  type ParamSpec,
  softmax,
  type TableParams,
} from "../../nn/index.ts";
import { type ContextEncoderParams, categoryInput, contextEncoder } from "../network/context-encoder.ts";
import { type PathNetworkParams, pathNetwork } from "../network/path-network.ts";
import { type Bins, tokensOf } from "./quantiser.ts";
import type { CompleteSettings } from "./settings.ts";
import { MISSING, type WindowArrays, type WindowShape, type WindowSizes } from "./windows.ts";

export type ForecastParams = {
  readonly encoder: ContextEncoderParams;
  readonly categories: { readonly [place: string]: TableParams };
  readonly path: PathNetworkParams;
  readonly point?: LinearParams;
  /** Logarithm of what the logits of each step are divided by when paths are drawn, [P]. Not trained: validation says what it is. */
  readonly logTemperature: ParamSpec;
  /** Logits that the law goes to as temperature rises, [K]: all alike, unless bins were cut. Not trained either. */
  readonly base: ParamSpec;
};

type Arrays = Readonly<Record<string, np.Array>>;

export interface ForecastNetwork {
  readonly layout: Layout<ForecastParams>;
  /** D′: numbers that are read of each step ahead; the last of them are the steps just before, the same at every step. */
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
  const { channels: C, known: D, steps: P, recent: L, categories, knownCategories } = sizes;
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
    earlier: L,
    lags: settings.tokenLags,
    hidden: settings.hidden,
    table: true,
    heads: { policy: K },
    zeroHeads: ["policy"],
  });
  const pointHead = pointOptions ? linear(W, P) : undefined;

  const read: ForecastNetwork["read"] = (params, windows) => {
    const { numbers, present, times, codes, recent, known, knownCodes } = windows;
    const thought = encoder.apply(params.encoder, { numbers, present, times, codes }); // [B, W]
    const [B] = known.shape;
    const parts = ahead.length > 0 ? np.split(knownCodes, ahead.length, 2) : []; // each [B, P, 1]
    const embedded = parts.map((code, i) => ahead[i].apply(params.categories[i], code.reshape([B, P]))); // each [B, P, width]
    const before = np.broadcastTo(recent.reshape([B, 1, L]), [B, P, L]); // [B, P, L]
    return { thought, known: np.concatenate([known, ...embedded, before], 2) }; // [B, W], [B, P, D′]
  };

  /** What the path network takes of B paths whose tokens are given one-hot, [B, n, K]. */
  const pathInputs = (read: { readonly thought: np.Array; readonly known: np.Array }, tokens?: np.Array) => {
    const [known, before] = np.split(read.known, [aheadWidth], 2); // [B, P, D], [B, P, L]
    const earlier = tokensOfNumbers(before.slice([], 0)); // [B, L, K]
    const all = tokens ? np.concatenate([earlier, tokens], 1) : earlier; // [B, L + n, K]
    return { context: read.thought, known, tokens: all };
  };

  /** Numbers as one-hot tokens, zeros where they are missing: [B, L] to [B, L, K]. */
  const tokensOfNumbers = (numbers: np.Array) => {
    const [B] = numbers.shape;
    const edges = np.array(Float32Array.from(bins.edges)); // [K − 1]
    const each = numbers.reshape([B, L, 1]); // [B, L, 1]
    const reached = np.greaterEqual(each, edges).astype(np.float32); // [B, L, K − 1]
    const token = np.sum(reached, 2).reshape([B, L, 1]); // [B, L, 1]
    const slots = np.arange(K).astype(np.float32); // [K]
    const known = np.greater(each, MISSING / 1.5).astype(np.float32); // [B, L, 1]
    return np.multiply(np.equal(token, slots).astype(np.float32), known); // [B, L, K]
  };

  const oneHotOf = (tokens: np.Array) => {
    const slots = np.arange(K).astype(np.int32); // [K]
    return np.equal(tokens.reshape([...tokens.shape, 1]), slots).astype(np.float32); // [B, P, K]
  };
  /** Logits of the steps from `first` on, [count·B, K], as laws of these steps. */
  const lawOf = (params: ArraysOf<ForecastParams>, logits: np.Array, first: number, count: number) => {
    const cold = np.exp(np.negative(params.logTemperature.slice([first, first + count]))); // [count]
    const rows = logits.shape[0];
    const byStep = logits.reshape([count, rows / count, K]); // [count, B, K]
    const above = np.multiply(np.subtract(byStep, params.base), cold.reshape([count, 1, 1])); // [count, B, K]
    const law = softmax(np.add(above, params.base).reshape([rows, K])); // [count·B, K]
    return np.add(np.multiply(law, 1 - smoothing), smoothing / K); // [count·B, K]
  };

  return {
    layout: layout({
      encoder: encoder.params,
      categories: Object.fromEntries(ahead.flatMap(({ params }, i) => (params ? [[i, params]] : []))),
      path: path.params,
      ...(pointHead && { point: pointHead.params }),
      logTemperature: { shape: [P], init: init.zeros },
      base: { shape: [K], init: init.zeros },
    }),
    ahead: aheadWidth + L,
    specs(B) {
      return {
        numbers: spec([B, T, C]),
        present: spec([B, T]),
        ...(positions === "continuous" && { times: spec([B, T]) }),
        ...(categories.length > 0 && { codes: spec([B, T, categories.length], "int32") }),
        recent: spec([B, L]),
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
      const { policy } = path.all(params.path, pathInputs({ thought, known }, oneHot)); // [P·B, K]
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
    next(params, t, read, before) {
      const { policy } = path.at(params.path, t, pathInputs(read, before)); // [B, K]
      return lawOf(params, policy, t, 1); // [B, K]
    },
    all(params, read, tokens) {
      const [B] = read.thought.shape;
      const { policy } = path.all(params.path, pathInputs(read, oneHotOf(tokens))); // [P·B, K]
      return np.transpose(lawOf(params, policy, 0, P).reshape([P, B, K]), [1, 0, 2]); // [B, P, K]
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
