// The native engine: lowers a graph to one ONNX model and runs it with ONNX Runtime.
//
// The state that a model returns has two sets of buffers, which alternate as inputs and outputs, so no call copies the state. A
// buffer is never input and output of the same call: ONNX Runtime would silently corrupt it.

import { availableParallelism } from "node:os";
import { EngineError } from "./errors.ts";
import type { Executable, ProgramSignature, ProgramSource } from "./executable.ts";
import { nativeCall } from "./native-calls.ts";
import { firstLine, OnnxExecutable, type OnnxSession } from "./onnx-executable.ts";
import { onnxProgram } from "./onnx-program.ts";
import { loadRuntime } from "./onnx-runtime.ts";

export async function buildNative(source: ProgramSource): Promise<Executable> {
  const { name, threads = 1 } = source;
  const { bytes, ports } = onnxProgram(source, { threads });
  return new OnnxExecutable(await createSession(bytes, { name, threads }), source, ports);
}

/** Opens the bytes of a saved ONNX model. */
export async function openModel(
  bytes: Uint8Array,
  signature: ProgramSignature,
  threads: number,
): Promise<Executable> {
  return new OnnxExecutable(await createSession(bytes, { ...signature, threads }), signature);
}

/** Upper limit on threads: more threads than cores only wait for each other, and thousands take minutes to start. */
export const MAX_THREADS = Math.max(4, availableParallelism());

async function createSession(
  bytes: Uint8Array,
  { name, threads }: { readonly name: string; readonly threads: number },
): Promise<OnnxSession> {
  if (threads > MAX_THREADS) {
    throw new EngineError(`${name}: threads must be at most ${MAX_THREADS} on this machine, got ${threads}`);
  }
  const runtime = await loadRuntime();
  try {
    const session = await nativeCall(() =>
      runtime.InferenceSession.create(bytes, {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        logSeverityLevel: 4,
      }),
    );
    return {
      tensor: (type, data, shape) => new runtime.Tensor(type, data, shape),
      run: async (feeds, fetches) => {
        await nativeCall(() => session.run(feeds, fetches));
        return fetches;
      },
      release: () => nativeCall(() => session.release()),
    };
  } catch (error) {
    throw new EngineError(`${name}: ONNX Runtime rejected the program: ${firstLine(error)}`, {
      cause: error,
    });
  }
}
