// The web engine: runs the ONNX model of a program with ONNX Runtime for WebAssembly, in a browser or in Node.
//
// The runtime is not part of this package, because its WebAssembly file has 14 MB: a page that wants it loads `onnxruntime-web`
// and provides it. The runtime copies inputs into its own memory, and returns outputs as new arrays.

import { EngineError } from "./errors.ts";
import type { Executable, ProgramSource } from "./executable.ts";
import { hasSimd } from "./in-place/adam-kernel.ts";
import { type Buffers, firstLine, OnnxExecutable, type OnnxSession } from "./onnx-executable.ts";
import { onnxProgram } from "./onnx-program.ts";
import type { Tensor } from "./onnx-runtime.ts";
import { mostWebThreads, webThreads } from "./web-threads.ts";

/** The part of `onnxruntime-web` that the engine uses. */
export interface WebRuntime {
  readonly Tensor: new (...parameters: never[]) => unknown;
  readonly InferenceSession: { create(...parameters: never[]): Promise<unknown> };
  /** Settings of the WebAssembly runtime; the engine sets the number of threads. */
  readonly env: { readonly wasm: { numThreads?: number } };
}

/** The same part with its parameters, for which the types of the runtime have overloads. */
interface Runtime {
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => Tensor;
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<WebSession>;
  };
}

interface WebSession {
  run(feeds: Buffers): Promise<Buffers>;
  release(): Promise<void>;
}

let provided: WebRuntime | undefined;

/** Threads of the runtime, which it starts once, with the first program. */
let startedThreads: number | undefined;

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
  if (runtime !== provided) startedThreads = undefined;
  provided = runtime;
}

/** Whether a runtime was provided. */
export function hasWebRuntime(): boolean {
  return provided !== undefined;
}

export async function buildWeb(source: ProgramSource): Promise<Executable> {
  const { name } = source;
  if (!provided) {
    throw new EngineError(
      `${name}: the web engine needs a runtime; load onnxruntime-web and call provideWebRuntime`,
    );
  }
  if (!hasSimd()) {
    throw new EngineError(
      `${name}: the web engine needs WebAssembly with SIMD, which is missing here; use a newer browser`,
    );
  }
  const threads = threadsOf(source);
  const { bytes, ports } = onnxProgram(source, { threads, inWebAssembly: true });
  return new OnnxExecutable(await createSession(provided, bytes, name, threads), source, ports);
}

/** Threads of a program: those of the runtime if it has started. */
function threadsOf({ name, threads: set }: ProgramSource): number {
  const threads = set === undefined && startedThreads !== undefined ? startedThreads : webThreads(set);
  if (threads > mostWebThreads()) {
    throw new EngineError(`${name}: threads must be at most ${mostWebThreads()} on this machine, got ${set}`);
  }
  if (startedThreads !== undefined && threads !== startedThreads) {
    throw new EngineError(
      `${name}: threads must be ${startedThreads}, with which ONNX Runtime has started on this page, got ${set}`,
    );
  }
  return threads;
}

async function createSession(
  given: WebRuntime,
  bytes: Uint8Array,
  name: string,
  threads: number,
): Promise<OnnxSession> {
  startedThreads = threads;
  given.env.wasm.numThreads = threads;
  const runtime = given as unknown as Runtime;
  try {
    const session = await keepingWorkerGlobal(() =>
      runtime.InferenceSession.create(bytes, {
        executionProviders: ["wasm"],
        graphOptimizationLevel: "all",
        logSeverityLevel: 4,
      }),
    );
    return {
      tensor: (type, data, shape) => new runtime.Tensor(type, data, shape),
      // Tensors of outputs are not given to the runtime: version 1.30 copies them into its memory, computes there, and forgets
      // the result.
      run: (feeds) => session.run(feeds),
      release: () => session.release(),
    };
  } catch (error) {
    throw new EngineError(
      `${name}: ${startProblem(error) ?? `ONNX Runtime rejected the program: ${firstLine(error)}`}`,
      {
        cause: error,
      },
    );
  }
}

/** Why the runtime itself did not start, for which the program is not the reason. Undefined if it did. */
function startProblem(error: unknown): string | undefined {
  const reason = /^no available backend found\. ERR: (?:\[wasm\] )?(?:\w*Error: )*(.*)$/.exec(
    firstLine(error),
  )?.[1];
  return (
    reason &&
    `ONNX Runtime for WebAssembly did not start (${reason}); serve its .wasm file beside the script, or set env.wasm.wasmPaths`
  );
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
