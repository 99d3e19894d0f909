// Forecasting models so small that they are trained, and scenarios of them tuned, in a second.

import type { ForecastSettings } from "../../src/forecast/model/settings.ts";

/** As little as trains at all. */
export const tiny: ForecastSettings = {
  horizon: 3,
  context: 8,
  bins: 8,
  width: 8,
  hidden: [16],
  batch: 8,
  iterations: 6,
  every: 3,
  lags: [],
  samples: 50,
};

/** Learns a little, for scenarios. */
export const settings = {
  horizon: 3,
  context: 8,
  bins: 6,
  width: 8,
  hidden: [16],
  batch: 16,
  iterations: 30,
  every: 10,
  lags: [],
  samples: 60,
};
export const tuning = { iterations: 48, proposals: 1024, seed: 2 };
