// The web engine: runs the ONNX model of a program with ONNX Runtime for WebAssembly, in a browser or in Node.
//
// The runtime is not part of this package, because its WebAssembly file has 14 MB: a page that wants it loads `onnxruntime-web`
// and provides it. The runtime copies inputs into its own memory, and returns outputs as new arrays.

import type { TypedArray } from "./dtype.ts";
import { EngineError } from "./errors.ts";
import type { Executable, ProgramSource } from "./executable.ts";
import { type Buffers, firstLine, OnnxExecutable, type OnnxSession } from "./onnx-executable.ts";
import { onnxProgram } from "./onnx-program.ts";
import type { Tensor } from "./onnx-runtime.ts";

/** The part of `onnxruntime-web` that the engine uses. */
export interface WebRuntime {
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => unknown;
  readonly InferenceSession: {
    create(model: Uint8Array, options: Record<string, unknown>): Promise<unknown>;
  };
  /** Settings of the WebAssembly runtime; the engine sets the number of threads. */
  readonly env: { readonly wasm: { numThreads?: number } };
}

interface WebSession {
  run(feeds: Buffers): Promise<Buffers>;
  release(): Promise<void>;
}

let provided: WebRuntime | undefined;

/**
 * Provides the runtime of the engine `web`, which from then on is the default in a browser. Set `env.wasm.wasmPaths` before, if
 * the page does not serve the file beside its script.
 *
 * @example
 * ```ts
 * import * as ort from "onnxruntime-web/wasm";
 * import { provideWebRuntime } from "gflownet/engine";
 *
 * provideWebRuntime(ort);
 * ```
 */
export function provideWebRuntime(runtime: WebRuntime): void {
  provided = runtime;
}

/** Whether a runtime was provided. */
export function hasWebRuntime(): boolean {
  return provided !== undefined;
}

export async function buildWeb(source: ProgramSource): Promise<Executable> {
  const { bytes, ports } = onnxProgram(source);
  return new OnnxExecutable(await createSession(bytes, source), source, ports);
}

async function createSession(
  bytes: Uint8Array,
  { name, threads }: Pick<ProgramSource, "name" | "threads">,
): Promise<OnnxSession> {
  if (!provided) {
    throw new EngineError(
      `${name}: the web engine needs a runtime; load onnxruntime-web and call provideWebRuntime`,
    );
  }
  const runtime = provided;
  runtime.env.wasm.numThreads = threads;
  try {
    const session = (await keepingWorkerGlobal(() =>
      runtime.InferenceSession.create(bytes, {
        executionProviders: ["wasm"],
        graphOptimizationLevel: "all",
        logSeverityLevel: 4,
      }),
    )) as WebSession;
    return {
      tensor: (type, data, shape) => new runtime.Tensor(type, data, shape) as Tensor,
      async run(feeds, fetches) {
        const outputs = await session.run(feeds);
        for (const name in fetches) {
          (fetches[name].data as TypedArray).set(outputs[name].data as TypedArray);
        }
      },
      release: () => session.release(),
    };
  } catch (error) {
    throw new EngineError(`${name}: ONNX Runtime rejected the program: ${firstLine(error)}`, {
      cause: error,
    });
  }
}

/** In Node, the runtime defines a global `Worker` when it starts. jax-js takes this for a browser and then cannot run any more. */
async function keepingWorkerGlobal<T>(start: () => Promise<T>): Promise<T> {
  const global = globalThis as { Worker?: unknown };
  const isDefined = "Worker" in global;
  try {
    return await start();
  } finally {
    if (!isDefined) delete global.Worker;
  }
}
