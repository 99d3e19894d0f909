// Forecasts that are not learned by a network, to compare with.

export { type BaselineOptions, baseline, type Method, type Outlook, type Spread } from "./baseline.ts";
export { type MstlOptions, mstlEts } from "./mstl.ts";
export { drift, naive, windowAverage } from "./naive.ts";
export { SEASONAL_NAIVE, seasonalNaive, seasonalNaiveDrift } from "./seasonal.ts";

import type { Forecaster } from "../types.ts";
import type { BaselineOptions } from "./baseline.ts";
import { mstlEts } from "./mstl.ts";
import { drift, naive, windowAverage } from "./naive.ts";
import { seasonalNaive, seasonalNaiveDrift } from "./seasonal.ts";

/** Baselines by the name that is typed. */
export const baselines: Readonly<Record<string, (options?: BaselineOptions) => Forecaster>> = {
  naive,
  "seasonal-naive": seasonalNaive,
  drift,
  "seasonal-naive-drift": seasonalNaiveDrift,
  "window-average": windowAverage,
  "mstl-ets": mstlEts,
};
