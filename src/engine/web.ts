// The web engine: runs the ONNX model of a program with ONNX Runtime for WebAssembly, in a browser or in Node.
//
// The runtime, which a page provides (`web-runtime.ts`), copies inputs into its own memory, and returns outputs as new arrays.

import { EngineError } from "./errors.ts";
import type { Executable, ProgramSource } from "./executable.ts";
import { hasSimd } from "./in-place/adam-kernel.ts";
import { type Buffers, firstLine, OnnxExecutable, type OnnxSession } from "./onnx-executable.ts";
import { onnxProgram } from "./onnx-program.ts";
import type { Tensor } from "./onnx-runtime.ts";
import { type WebRuntime, webRuntime } from "./web-runtime.ts";
import { mostWebThreads, webThreads } from "./web-threads.ts";

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

/** The runtime whose threads have started, and their number: it starts once, with its first program. */
let started: { readonly runtime: WebRuntime; readonly threads: number } | undefined;

export async function buildWeb(source: ProgramSource): Promise<Executable> {
  const { name } = source;
  const runtime = webRuntime();
  if (!runtime) {
    throw new EngineError(
      `${name}: the web engine needs a runtime; load onnxruntime-web and call provideWebRuntime`,
    );
  }
  if (!hasSimd()) {
    throw new EngineError(
      `${name}: the web engine needs WebAssembly with SIMD, which is missing here; use a newer browser`,
    );
  }
  const threads = threadsOf(source, runtime);
  const { bytes, ports } = onnxProgram(source, { threads, inWebAssembly: true });
  return new OnnxExecutable(await createSession(runtime, bytes, name, threads), source, ports);
}

/** Threads of a program: those of the runtime if it has started. */
function threadsOf({ name, threads: set }: ProgramSource, runtime: WebRuntime): number {
  const startedThreads = started?.runtime === runtime ? started.threads : undefined;
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
  started = { runtime: given, threads };
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
