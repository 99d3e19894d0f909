// What a forecasting model may be told, as plain data, and what it does unless told.

import type { EngineName } from "../../engine/index.ts";
import { checkRange, checkSizes } from "../../nn/checks.ts";
import { AFFINE_NORMALISATIONS, type AffineNormalisation, NORMALISATIONS } from "../data/normalise.ts";
import {
  CONTEXT_ENCODERS,
  type ContextEncoderKind,
  POSITIONS,
  type Positions,
} from "../network/context-encoder.ts";
import { DEFAULTS } from "./defaults.ts";

export const POINT_LOSSES = ["mse", "mae", "huber"] as const;
/** What targets may be read by, series by series. */
export const NORMALISERS = ["none", ...NORMALISATIONS] as const;
/** Bins are doubled so often at most. */
export const MOST_REFINEMENTS = 6;

export interface ForecastSettings {
  /** Steps ahead that are learned; fewer may be asked for. */
  readonly horizon: number;
  /** Steps of the past that are read; from the horizon and the season unless told. */
  readonly context?: number;
  /** The panel's unless told. */
  readonly season?: number;
  /** Seasons whose mean is expected to come again; 1 is the seasonal naive forecast, 0 the last value; by the data unless told. */
  readonly seasons?: number;
  /** Whether the usual change from season to season is added to what is expected. */
  readonly drift?: boolean;
  /** How targets are normalised before anything else, series by series. */
  readonly normaliser?: (typeof NORMALISERS)[number];
  /** How all other columns of numbers are. */
  readonly columnNormaliser?: AffineNormalisation;
  /** Bins between the two tails. */
  readonly bins?: number;
  /** How often they are doubled on the way: iterations are shared out evenly among the stages. */
  readonly refine?: number;
  readonly encoder?: ContextEncoderKind;
  readonly positions?: Positions;
  /** Length of the thought. */
  readonly width?: number;
  readonly layers?: number;
  readonly heads?: number;
  /** Widths of the hidden layers that say the next token. */
  readonly hidden?: readonly number[];
  /** Tokens before a step that it sees. */
  readonly tokenLags?: number;
  /** Steps back, beyond the last seasons, whose values each step ahead sees; from the frequency unless told. */
  readonly lags?: readonly Lag[];
  readonly batch?: number;
  /** Rows between the beginnings of two windows that are learned from; 1 learns from all there are. */
  readonly windowStep?: number;
  /** Most iterations; fewer where validation stops. */
  readonly iterations?: number;
  readonly learningRate?: number;
  readonly weightDecay?: number;
  /** Share of each series, at its end, that only validates; 0 for none. */
  readonly validation?: number;
  /** Iterations between two validations. */
  readonly every?: number;
  /** Validations without a better one after which training stops. */
  readonly patience?: number;
  /** Share of the uniform law that is mixed into the trained one. */
  readonly smoothing?: number;
  /** Weight of the ranked probability score beside the cross-entropy. */
  readonly ranked?: number;
  /** A forecast of one number from the thought alone, beside the law. */
  readonly point?: { readonly loss: (typeof POINT_LOSSES)[number]; readonly weight: number } | null;
  /** Paths drawn for a forecast unless the request says so. */
  readonly samples?: number;
  readonly seed?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
}

/** Steps, or the same date a year earlier. */
export type Lag = number | "year";

export type CompleteSettings = Required<
  Omit<ForecastSettings, "engine" | "lags" | "season" | "seasons" | "context">
> & {
  readonly season?: number;
  readonly seasons?: number;
  readonly context?: number;
  readonly lags?: readonly Lag[];
  readonly engine?: EngineName;
};

/** Settings that are positive whole numbers. */
const SIZES = [
  "horizon",
  "bins",
  "width",
  "layers",
  "heads",
  "tokenLags",
  "batch",
  "windowStep",
  "iterations",
  "every",
  "patience",
  "samples",
  "threads",
] as const;

/** All settings, checked: one sentence says what is wrong. */
export function completeSettings(settings: ForecastSettings): CompleteSettings {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const complete: CompleteSettings = { ...DEFAULTS, ...(given as unknown as ForecastSettings) };
  for (const name of SIZES) checkSizes("forecast", { [name]: complete[name] });
  if (complete.context !== undefined) checkSizes("forecast", { context: complete.context });
  if (complete.season !== undefined) checkSizes("forecast", { season: complete.season });
  if (complete.seasons) checkSizes("forecast", { seasons: complete.seasons });
  checkRange("forecast", "learningRate", complete.learningRate, { low: 0, high: Infinity });
  checkRange("forecast", "weightDecay", complete.weightDecay, { low: 0, high: Infinity });
  checkRange("forecast", "validation", complete.validation, { low: 0, high: 0.9 });
  checkRange("forecast", "smoothing", complete.smoothing, { low: 0, high: 1 });
  checkRange("forecast", "ranked", complete.ranked, { low: 0, high: Infinity });
  checkRefine(complete.refine);
  checkOneOf("normaliser", complete.normaliser, NORMALISERS);
  checkOneOf("columnNormaliser", complete.columnNormaliser, AFFINE_NORMALISATIONS);
  checkOneOf("encoder", complete.encoder, CONTEXT_ENCODERS);
  checkOneOf("positions", complete.positions, POSITIONS);
  if (complete.point) {
    checkOneOf("point.loss", complete.point.loss, POINT_LOSSES);
    checkRange("forecast", "point.weight", complete.point.weight, { low: 0, high: Infinity });
  }
  complete.lags?.forEach((lag, i) => {
    if (lag !== "year") checkSizes("forecast", { [`lags[${i}]`]: lag });
  });
  return complete;
}

function checkOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RangeError(`forecast: ${name} must be one of ${allowed.join(", ")}, got ${value}`);
}

function checkRefine(refine: number): void {
  if (Number.isInteger(refine) && refine >= 0 && refine <= MOST_REFINEMENTS) return;
  throw new RangeError(
    `forecast: refine must be a whole number from 0 to ${MOST_REFINEMENTS}, got ${refine}`,
  );
}
