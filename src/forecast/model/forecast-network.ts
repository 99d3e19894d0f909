// The network of a forecasting model: a context encoder, a path network that predicts the next token, and an optional
// point head that predicts one value per step. Computes the training losses and the token probabilities for sampling.

import { numpy as np } from "@jax-js/jax";
import { type ArraySpec, spec, type TypedArray } from "../../engine/index.ts";
import {
  type ArraysOf,
  init,
  type Layout,
  type LinearParams,
  layout,
  linear,
  logSoftmax,
  markedEntries,
  oneHot,
  type ParamSpec,
  softmax,
  type TableParams,
} from "../../nn/index.ts";
import { type ContextEncoderParams, categoryInput, contextEncoder } from "../network/context-encoder.ts";
import { type PathNetworkParams, pathNetwork } from "../network/path-network.ts";
import { type Bins, tokenCount } from "./quantiser.ts";
import type { CompleteForecastSettings, POINT_LOSSES } from "./settings.ts";
import { MISSING, type WindowArrays, type WindowShape, type WindowSizes } from "./window-arrays.ts";

export type ForecastParams = {
  readonly encoder: ContextEncoderParams;
  /** Embeddings of the categories that are known in the future. */
  readonly categories: { readonly [index: string]: TableParams };
  readonly path: PathNetworkParams;
  readonly point?: LinearParams;
  /** Log temperature of each step in sampling, [P]. Not trained, but calibrated on validation windows. */
  readonly logTemperature: ParamSpec;
  /**
   * Logits of the distribution that an infinite temperature gives, [K]: equal logits, or after bins were doubled, the
   * logits of the same distribution over the finer bins. Not trained.
   */
  readonly base: ParamSpec;
};

type Arrays = Readonly<Record<string, np.Array>>;

/** The inputs of the path network for B windows. */
export interface EncodedWindows {
  /** Context embedding, [B, W]. */
  readonly embedding: np.Array;
  /** Inputs of each future step, [B, P, D′]. The last L are the recent values, which are the same at every step. */
  readonly future: np.Array;
}

/** The network of a forecasting model, as array functions of its parameters. */
export interface ForecastNetwork {
  readonly layout: Layout<ForecastParams>;
  /** D′: width of the inputs of a future step. */
  readonly futureWidth: number;
  /** The window arrays that the network reads, with their shapes for B windows. */
  inputSpecs(batch: number): Readonly<Partial<Record<keyof WindowArrays, ArraySpec>>>;
  encode(params: ArraysOf<ForecastParams>, windows: Arrays): EncodedWindows;
  /**
   * Mean losses over the observed steps. Inputs: the window arrays, the true `tokens`, int32 [B, P] (−1 if missing), their
   * `weights`, [B, P] (1 if observed, else 0), and with a point head the true `standardised` values, [B, P].
   */
  losses(params: ArraysOf<ForecastParams>, inputs: Arrays): Readonly<Record<ForecastLossName, np.Array>>;
  /** Smoothed token probabilities at step t, [B, K]. `before`: the tokens sampled so far, one-hot [B, t, K]. */
  stepProbabilities(
    params: ArraysOf<ForecastParams>,
    t: number,
    windows: EncodedWindows,
    before?: np.Array,
  ): np.Array;
  /** Smoothed token probabilities at all steps of given paths, [B, P, K]. `tokens`: int32 [B, P], −1 if missing. */
  pathProbabilities(params: ArraysOf<ForecastParams>, windows: EncodedWindows, tokens: np.Array): np.Array;
  /** One standardised value per step, [B, P]. Absent without a point head. */
  pointForecast?(params: ArraysOf<ForecastParams>, embedding: np.Array): np.Array;
}

/** The window arrays that the network reads, as inputs of a program for `batch` windows. */
export function networkInputs(
  network: ForecastNetwork,
  arrays: WindowArrays,
  batch: number,
): Readonly<Record<string, TypedArray>> {
  const names = Object.keys(network.inputSpecs(batch)) as (keyof WindowArrays)[];
  return Object.fromEntries(names.map((name) => [name, arrays[name]]));
}

/** Cross-entropy per token, ranked probability score, loss of the point head, and their weighted sum. */
export type ForecastLossName = "crossEntropy" | "ranked" | "point" | "loss";

/** Creates the network of a forecasting model. */
export function forecastNetwork(
  settings: CompleteForecastSettings,
  shape: WindowShape,
  sizes: WindowSizes,
  bins: Bins,
): ForecastNetwork {
  const { context: T } = shape;
  const { channels: C, futureChannels: D, steps: P, recent: L, categories, futureCategories } = sizes;
  const { width: W, positions, smoothing, rankedWeight, pointLoss, pointWeight } = settings;
  const K = tokenCount(bins);
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
  const categoryInputs = futureCategories.map(categoryInput);
  const futureWidth = D + categoryInputs.reduce((sum, { width }) => sum + width, 0);
  const path = pathNetwork({
    tokens: K,
    horizon: P,
    contextWidth: W,
    futureWidth,
    pastTokens: L,
    lags: settings.tokenLags,
    hidden: settings.hidden,
    bigramTable: true,
    heads: { policy: K },
    zeroHeads: ["policy"],
  });
  const pointHead = pointLoss === "none" ? undefined : linear(W, P);

  const encode: ForecastNetwork["encode"] = (params, windows) => {
    const { numbers, present, times, codes, recent, futureNumbers, futureCodes } = windows;
    const embedding = encoder.apply(params.encoder, { numbers, present, times, codes }); // [B, W]
    const [B] = futureNumbers.shape;
    const n = categoryInputs.length;
    const byCategory = n > 0 ? np.split(futureCodes, n, 2) : []; // each [B, P, 1]
    const embedded = byCategory.map((code, i) =>
      categoryInputs[i].apply(params.categories[i], code.reshape([B, P])),
    ); // each [B, P, width]
    const repeated = np.broadcastTo(recent.reshape([B, 1, L]), [B, P, L]); // [B, P, L]
    return { embedding, future: np.concatenate([futureNumbers, ...embedded, repeated], 2) }; // [B, W], [B, P, D′]
  };

  /** Inputs of the path network for paths that start with the one-hot tokens [B, n, K]. */
  const pathInputs = (windows: EncodedWindows, tokens?: np.Array) => {
    const [future, recent] = np.split(windows.future, [futureWidth], 2); // [B, P, D], [B, P, L]
    const past = oneHotOfValues(recent.slice([], 0)); // [B, L, K]
    const all = tokens ? np.concatenate([past, tokens], 1) : past; // [B, L + n, K]
    return { context: windows.embedding, future, tokens: all };
  };

  /** One-hot tokens of standardised values, zeros for missing values: [B, L] to [B, L, K]. */
  const oneHotOfValues = (values: np.Array) => {
    const [B] = values.shape;
    const edges = np.array(Float32Array.from(bins.edges)); // [K − 1]
    const each = values.reshape([B, L, 1]); // [B, L, 1]
    const reached = np.greaterEqual(each, edges).astype(np.float32); // [B, L, K − 1]
    const token = np.sum(reached, 2); // [B, L]
    const observed = np.greater(each, MISSING / 1.5).astype(np.float32); // [B, L, 1]
    return np.multiply(oneHot(token, K), observed); // [B, L, K]
  };

  /**
   * Probabilities from the logits of `count` steps, starting at `first`, [count·B, K], with temperature and smoothing.
   */
  const probabilitiesOf = (
    params: ArraysOf<ForecastParams>,
    logits: np.Array,
    first: number,
    count: number,
  ) => {
    const inverse = np.exp(np.negative(params.logTemperature.slice([first, first + count]))); // [count]
    const rows = logits.shape[0];
    const byStep = logits.reshape([count, rows / count, K]); // [count, B, K]
    const scaled = np.multiply(np.subtract(byStep, params.base), inverse.reshape([count, 1, 1])); // [count, B, K]
    const probabilities = softmax(np.add(scaled, params.base).reshape([rows, K])); // [count·B, K]
    return np.add(np.multiply(probabilities, 1 - smoothing), smoothing / K); // [count·B, K]
  };

  return {
    layout: layout({
      encoder: encoder.params,
      categories: Object.fromEntries(
        categoryInputs.flatMap(({ params }, i) => (params ? [[i, params]] : [])),
      ),
      path: path.params,
      ...(pointHead && { point: pointHead.params }),
      logTemperature: { shape: [P], init: init.zeros },
      base: { shape: [K], init: init.zeros },
    }),
    futureWidth: futureWidth + L,
    inputSpecs(B) {
      const [G, Gf] = [categories.length, categoryInputs.length];
      return {
        numbers: spec([B, T, C]),
        present: spec([B, T]),
        ...(positions === "continuous" && { times: spec([B, T]) }),
        ...(G > 0 && { codes: spec([B, T, G], "int32") }),
        recent: spec([B, L]),
        futureNumbers: spec([B, P, D]),
        ...(Gf > 0 && { futureCodes: spec([B, P, Gf], "int32") }),
      };
    },
    encode,
    losses(params, inputs) {
      const { tokens, weights, standardised } = inputs; // [B, P] each
      const [B] = tokens.shape;
      const windows = encode(params, inputs); // [B, W], [B, P, D′]
      const paths = oneHot(tokens, K); // [B, P, K]
      const { policy } = path.allSteps(params.path, pathInputs(windows, paths)); // [P·B, K]
      const truth = np.transpose(paths, [1, 0, 2]).reshape([P * B, K]); // [P·B, K]
      const rowWeights = np.transpose(weights, [1, 0]).reshape([P * B]); // [P·B]
      const count = np.maximum(np.sum(weights), 1); // []
      const meanOf = (each: np.Array) => np.divide(np.sum(np.multiply(each, rowWeights)), count); // []
      const crossEntropy = np.negative(meanOf(markedEntries(logSoftmax(policy), truth))); // []
      const ranked =
        rankedWeight > 0 ? meanOf(rankedProbabilityScore(softmax(policy), truth, bins)) : np.zeros([]); // []
      const error = pointHead
        ? np.subtract(pointHead.apply(params.point!, windows.embedding), standardised)
        : np.zeros([B, P]); // [B, P]
      const penalty = pointLoss === "none" ? error : pointPenalty(pointLoss, error); // [B, P]
      const point = np.divide(np.sum(np.multiply(penalty, weights)), count); // []
      const others = np.add(
        np.multiply(ranked, rankedWeight),
        np.multiply(point, pointLoss === "none" ? 0 : pointWeight),
      ); // []
      return { crossEntropy, ranked, point, loss: np.add(crossEntropy, others) }; // [] each
    },
    stepProbabilities(params, t, windows, before) {
      const { policy } = path.step(params.path, t, pathInputs(windows, before)); // [B, K]
      return probabilitiesOf(params, policy, t, 1); // [B, K]
    },
    pathProbabilities(params, windows, tokens) {
      const [B] = windows.embedding.shape;
      const { policy } = path.allSteps(params.path, pathInputs(windows, oneHot(tokens, K))); // [P·B, K]
      return np.transpose(probabilitiesOf(params, policy, 0, P).reshape([P, B, K]), [1, 0, 2]); // [B, P, K]
    },
    ...(pointHead && {
      pointForecast: (params: ArraysOf<ForecastParams>, embedding: np.Array) =>
        pointHead.apply(params.point!, embedding), // [B, P]
    }),
  };
}

/**
 * Σ over edges of width × (P(below the edge) − [truth below the edge])², [R]: an approximation of the CRPS. The width of
 * an edge is half the distance between its neighbours.
 */
function rankedProbabilityScore(probabilities: np.Array, truth: np.Array, { edges }: Bins): np.Array {
  const [, K] = probabilities.shape;
  const E = edges.length;
  const isBelow = Float32Array.from({ length: K * E }, (_, i) => +(Math.floor(i / E) <= i % E));
  const below = np.array(isBelow, { shape: [K, E] }); // [K, E], 1 for tokens below the edge
  const difference = np.matmul(np.subtract(probabilities, truth), below); // [R, E]
  const widths = Float32Array.from(edges, (edge, k) => {
    const [left, right] = [edges[k - 1] ?? edge, edges[k + 1] ?? edge];
    return (right - left) / 2;
  });
  return np.matmul(np.multiply(difference, difference), np.array(widths)); // [R]
}

/** Squared error, absolute error or Huber loss, elementwise. */
function pointPenalty(loss: (typeof POINT_LOSSES)[number], error: np.Array): np.Array {
  if (loss === "mse") return np.multiply(error, error); // [...]
  const size = np.maximum(error, np.negative(error)); // [...]
  if (loss === "mae") return size; // [...]
  const near = np.minimum(size, 1); // [...]
  return np.multiply(near, np.subtract(size, np.multiply(near, 0.5))); // [...]
}
