// The runtime of the engine `web`. It is not part of this package, because its WebAssembly file has 14 MB: a page that wants it
// loads `onnxruntime-web` and provides it. The engine itself (`web.ts`) is loaded with the first program that it runs.

/** The part of `onnxruntime-web` that the engine uses. */
export interface WebRuntime {
  readonly Tensor: new (...parameters: never[]) => unknown;
  readonly InferenceSession: { create(...parameters: never[]): Promise<unknown> };
  /** Settings of the WebAssembly runtime; the engine sets the number of threads. */
  readonly env: { readonly wasm: { numThreads?: number } };
}

let provided: WebRuntime | undefined;

/**
 * Provides the runtime of the engine `web`, which from then on is the default in a browser. Set `env.wasm.wasmPaths` before, if
 * the page does not serve the file beside its script. Import the runtime on demand, as below: its threads load the script in
 * which a bundler puts it, and must not find the program of the page there.
 *
 * @example
 * ```ts
 * import { provideWebRuntime } from "gflownet/engine";
 *
 * provideWebRuntime(await import("onnxruntime-web/wasm"));
 * ```
 */
export function provideWebRuntime(runtime: WebRuntime): void {
  provided = runtime;
}

/** The runtime that was provided; undefined if none was. */
export function webRuntime(): WebRuntime | undefined {
  return provided;
}
