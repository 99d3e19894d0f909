// The inputs of networks by their names in settings. A file without imports, because the command-line help loads it.

/** How a network receives a state. */
export const STATE_INPUTS = ["one-hot", "embedded", "none"] as const;
/** What a history encoder reads of each step: its action, its outcome, or both. */
export const HISTORY_INPUTS = ["thought", "outcomes", "both"] as const;
/** What reads a state for the policy: a perceptron on its features, or a network over the outcomes that led to it. */
export const NETWORKS = ["mlp", "recurrent", "transformer"] as const;

export type StateInput = (typeof STATE_INPUTS)[number];
export type NetworkName = (typeof NETWORKS)[number];
export type HistoryInput = (typeof HISTORY_INPUTS)[number];

/** Input of a history encoder at each step; "none" for a network that depends on the state alone. */
export type EncoderInput = HistoryInput | "none";

/** Initial weights of the last layer of the policy. */
export const OUTPUT_INITS = ["glorot", "zeros"] as const;
export type OutputInit = (typeof OUTPUT_INITS)[number];
