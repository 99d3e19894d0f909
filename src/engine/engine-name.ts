// Names of the engines, apart from the engines themselves so that they can be listed without loading any.

export const ENGINES = ["native", "jax"] as const;
export type EngineName = (typeof ENGINES)[number];
