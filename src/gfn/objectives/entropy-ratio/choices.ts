// The uses and estimators of the entropy ratio. A file without imports, because the command-line help loads it.

/** Names of the uses of the entropy ratio. */
export const ENTROPY_RATIO_USES = ["observe", "behaviour", "potential", "margin"] as const;
/** Names of the estimators of the entropy ratio. */
export const ENTROPY_RATIO_ESTIMATORS = ["quantile", "clamp", "state"] as const;

/** Use of the ratio. `observe`: logged only. `behaviour`: flattens the behaviour policy. `potential`: added to the log
 * flows, which preserves the target. `margin`: subtracted from the residuals, which changes the target. */
export type EntropyRatioUse = (typeof ENTROPY_RATIO_USES)[number];
/** The high and the low entropy of the ratio. `quantile`: two quantiles of the batch, which give one ratio per batch.
 * `clamp`: the entropy of each state and a fixed low level. `state`: the entropy of each state and the low quantile. */
export type EntropyRatioEstimator = (typeof ENTROPY_RATIO_ESTIMATORS)[number];
