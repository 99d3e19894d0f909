// Names and descriptions of all forecasters. This file imports nothing, so that the command line can show them in
// `--help` quickly.

/** Name of the learned forecaster in options. */
export const TOKEN_MODEL = "token-model";
/** Label of the learned forecaster in tables and columns. */
export const TOKEN_MODEL_LABEL = "TokenModel";

/** All forecasters by name, with a description. */
export const FORECASTERS: Readonly<Record<string, string>> = {
  [TOKEN_MODEL]: "an autoregressive network over tokens, trained by maximum likelihood, that samples paths",
  naive: "repeats the last value",
  "seasonal-naive": "repeats the value one season earlier",
  drift: "extends the line from the first value to the last",
  "seasonal-naive-drift": "repeats the value one season earlier, plus the mean slope",
  "window-average": "the mean of the last season",
  "mstl-ets":
    "removes seasons by MSTL and forecasts the remainder by exponential smoothing (ETS); only ETS without a season",
  theta: "exponential smoothing with half the slope of the regression line, after removing the season",
  croston: "for counts with many zeros: their smoothed size, divided by the smoothed steps between them",
};
