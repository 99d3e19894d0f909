// Neural networks as plain functions of arrays: layers, networks, parameters and optimisers.

export {
  type Activation,
  type ActivationName,
  activationNamed,
  activations,
  FORBIDDEN,
  gelu,
  logSigmoid,
  logSoftmax,
  logSumExp,
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
export { ShapeError } from "./checks.ts";
export * from "./dropout.ts";
export * from "./embedding.ts";
export * from "./growing-transformer.ts";
export type { Initialiser } from "./init.ts";
export * as init from "./init.ts";
export * from "./layer-norm.ts";
export * from "./linear.ts";
export * from "./memory.ts";
export * from "./mlp.ts";
export type { Module } from "./module.ts";
export * from "./optim/adam.ts";
export * from "./optim/clip.ts";
export * from "./optim/schedule.ts";
export * from "./params.ts";
export * from "./positional.ts";
export { type PrefixIndex, type PrefixOptions, prefixIndex } from "./prefix-index.ts";
export * from "./recall.ts";
export * from "./recurrent.ts";
export * from "./transformer.ts";
export { withGradient } from "./with-gradient.ts";
