// Creates forecasters by name: the learned model and the baselines.

export * from "./forecaster-by-name.ts";
export * from "./forecaster-names.ts";
