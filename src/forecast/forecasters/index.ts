// Creates forecasters by name: the learned model and the baselines.

export * from "./create-forecaster.ts";
export * from "./forecaster-names.ts";
