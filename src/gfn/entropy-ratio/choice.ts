// Names of what may be chosen about the entropy ratio, apart from everything else: help needs them at once.

export const RATIO_USES = ["observe", "behaviour", "potential", "margin"] as const;
export const ESTIMATORS = ["quantile", "clamp", "state"] as const;

/** What is done with the ratio: nothing but logging it, or one of three ways into training. */
export type RatioUse = (typeof RATIO_USES)[number];
/** Which two entropies are compared. */
export type Estimator = (typeof ESTIMATORS)[number];
