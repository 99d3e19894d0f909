// Names of the engines. This file has no imports, so that command-line help can list the names without loading an
// engine.

export const ENGINES = ["native", "jax"] as const;
export type EngineName = (typeof ENGINES)[number];
