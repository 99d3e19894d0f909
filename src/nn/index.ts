// Neural networks as pure functions of arrays: layers, networks, parameters, sampling and optimisers.

export * from "./activation-reuse.ts";
export {
  type Activation,
  type ActivationName,
  activationByName,
  activations,
  gelu,
  logSigmoid,
  logSoftmax,
  logSumExp,
  MASKED_LOGIT,
  maskedLogSoftmax,
  maskedSoftmax,
  relu,
  sigmoid,
  silu,
  softmax,
  softplus,
  tanh,
} from "./activations.ts";
export * from "./attention.ts";
export * from "./categorical.ts";
export { ShapeError } from "./checks.ts";
export * from "./dropout.ts";
export * from "./embedding.ts";
export * from "./incremental-transformer.ts";
export type { Initialiser } from "./init.ts";
export * as init from "./init.ts";
export * from "./layer-norm.ts";
export * from "./linear.ts";
export * from "./mlp.ts";
export type { Module } from "./module.ts";
export * from "./one-hot.ts";
export * from "./optim/adam.ts";
export * from "./optim/adam-update.ts";
export * from "./optim/clip.ts";
export * from "./optim/optimiser-step.ts";
export * from "./optim/schedule.ts";
export * from "./params.ts";
export * from "./positional.ts";
export * from "./recurrent.ts";
export * from "./state-table.ts";
export * from "./transformer.ts";
export { withGradient } from "./with-gradient.ts";
