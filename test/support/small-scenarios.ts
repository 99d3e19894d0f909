// A forecasting model so small that scenarios of it are tuned in a second.

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
