// Names of the engines. This file has no imports, so that command-line help can list the names without loading an
// engine.

/** Names of the engines: `native` (ONNX Runtime) and `jax` (WebAssembly or WebGPU). */
export const ENGINES = ["native", "jax"] as const;
/** The name of an engine. */
export type EngineName = (typeof ENGINES)[number];
