// Names of the engines, in a file without imports: command-line help lists them without loading an engine.

export const ENGINES = ["native", "jax"] as const;
export type EngineName = (typeof ENGINES)[number];
