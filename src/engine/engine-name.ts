// Names of the engines. This file has no imports, so that command-line help can list the names without loading an
// engine.

/** Names of the engines that commands and configs choose from: `native` (ONNX Runtime) and `jax` (WebAssembly or WebGPU). */
export const ENGINES = ["native", "jax"] as const;
/** The name of an engine. `web` is ONNX Runtime for WebAssembly, which a program must provide first (`provideWebRuntime`). */
export type EngineName = (typeof ENGINES)[number] | "web";
