// Settings of forecasting models, and of their scenarios, that train within a second.

import type { ForecastSettings } from "../../src/forecast/model/settings.ts";

/** Settings of a model that trains for only a few iterations. */
export const tinySettings: ForecastSettings = {
  horizon: 3,
  context: 8,
  bins: 8,
  width: 8,
  hidden: [16],
  batch: 8,
  iterations: 6,
  validateEvery: 3,
  lags: [],
  samples: 50,
};

/** Settings of a model that learns enough for tests of scenarios. */
export const smallSettings = {
  horizon: 3,
  context: 8,
  bins: 6,
  width: 8,
  hidden: [16],
  batch: 16,
  iterations: 30,
  validateEvery: 10,
  lags: [],
  samples: 60,
};
export const smallTuning = { iterations: 48, proposals: 1024, seed: 2 };
