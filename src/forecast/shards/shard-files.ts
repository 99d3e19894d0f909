// The names of the files of a backtest in shards, in addition to those of every backtest.

export const SHARD_FILES = {
  /** Scores of every series and model. */
  scores: "scores.parquet",
  /** Forecasts of every series, if they are asked for. */
  forecasts: "forecasts.parquet",
} as const;
