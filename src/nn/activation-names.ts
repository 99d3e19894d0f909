// The names of activation functions in settings. This file has no imports, because the command-line help loads it.

export const ACTIVATION_NAMES = [
  "relu",
  "gelu",
  "tanh",
  "sigmoid",
  "softplus",
  "silu",
  "logSigmoid",
  "identity",
] as const;

/** The name of an activation function. */
export type ActivationName = (typeof ACTIVATION_NAMES)[number];
