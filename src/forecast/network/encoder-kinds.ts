// Names of the context encoders and their position encodings. `--help` loads this file, so it imports nothing.

export const CONTEXT_ENCODERS = ["transformer", "gru", "lstm", "mlp"] as const;
export const POSITIONS = ["learned", "sinusoidal", "continuous"] as const;

export type ContextEncoderKind = (typeof CONTEXT_ENCODERS)[number];
export type Positions = (typeof POSITIONS)[number];
