// Baseline forecasters without a network, for comparison.

export {
  type BaselineMethod,
  type BaselineOptions,
  baseline,
  type PointForecast,
  type PredictiveDistribution,
} from "./baseline.ts";
export { croston } from "./croston.ts";
export { type MstlOptions, mstlEts } from "./mstl.ts";
export { drift, naive, windowAverage } from "./naive.ts";
export { SEASONAL_NAIVE, seasonalNaive, seasonalNaiveDrift } from "./seasonal.ts";
export { theta } from "./theta.ts";

import type { Forecaster } from "../types.ts";
import type { BaselineOptions } from "./baseline.ts";
import { croston } from "./croston.ts";
import { mstlEts } from "./mstl.ts";
import { drift, naive, windowAverage } from "./naive.ts";
import { seasonalNaive, seasonalNaiveDrift } from "./seasonal.ts";
import { theta } from "./theta.ts";

/** Baselines by name, as the command line accepts them. */
export const baselines: Readonly<Record<string, (options?: BaselineOptions) => Forecaster>> = {
  naive,
  "seasonal-naive": seasonalNaive,
  drift,
  "seasonal-naive-drift": seasonalNaiveDrift,
  "window-average": windowAverage,
  "mstl-ets": mstlEts,
  theta,
  croston,
};
