// The native engine: lowers a graph to one ONNX model and runs it with ONNX Runtime.
//
// The state has two sets of buffers, which alternate as inputs and outputs, so no call copies the state. A buffer is
// never input and output of the same call: ONNX Runtime would silently corrupt it.

import { availableParallelism } from "node:os";
import { type ArraySpec, allocate, type TypedArray } from "./dtype.ts";
import { EngineError, InputError } from "./errors.ts";
import type { Executable, ProgramSignature, ProgramSource } from "./executable.ts";
import { nativeCall } from "./native-calls.ts";
import { encodeModel } from "./onnx/encode.ts";
import { lower, outputName } from "./onnx/lower.ts";
import { type InferenceSession, loadRuntime, type Runtime, type Tensor } from "./onnx-runtime.ts";

export async function buildNative(source: ProgramSource): Promise<Executable> {
  const runtime = await loadRuntime();
  const rowVectors = stateVectors(source);
  const model = lower(source.graph, { rowVectors, threads: source.threads });
  const session = await createSession(runtime, encodeModel(model), source);
  return new NativeExecutable(
    runtime,
    session,
    source,
    (name) => outputName(source.graph, name),
    (name, { shape }) => (rowVectors.has(name) ? [1, ...shape] : shape),
  );
}

/**
 * Names of the float vectors in the state. The model stores these vectors as [1, N] matrices, so that the scaled sums
 * of an optimiser become matrix products.
 */
function stateVectors({ state, inputs }: ProgramSignature): ReadonlySet<string> {
  return new Set(state.filter((name) => inputs[name].dtype === "float32" && inputs[name].shape.length === 1));
}

/** Opens the bytes of a saved ONNX model. */
export async function openModel(
  bytes: Uint8Array,
  signature: ProgramSignature,
  threads: number,
): Promise<Executable> {
  const runtime = await loadRuntime();
  const session = await createSession(runtime, bytes, { ...signature, threads });
  return new NativeExecutable(runtime, session, signature);
}

/** Upper limit on threads: more threads than cores only wait for each other, and thousands take minutes to start. */
export const MAX_THREADS = Math.max(4, availableParallelism());

async function createSession(
  runtime: Runtime,
  bytes: Uint8Array,
  { name, threads }: { readonly name: string; readonly threads: number },
): Promise<InferenceSession> {
  if (threads > MAX_THREADS) {
    throw new EngineError(`${name}: threads must be at most ${MAX_THREADS} on this machine, got ${threads}`);
  }
  try {
    return await nativeCall(() =>
      runtime.InferenceSession.create(bytes, {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        logSeverityLevel: 4,
      }),
    );
  } catch (error) {
    throw new EngineError(`${name}: ONNX Runtime rejected the program: ${firstLine(error)}`, {
      cause: error,
    });
  }
}

type Buffers = Record<string, Tensor>;

class NativeExecutable implements Executable {
  readonly #session: InferenceSession;
  readonly #name: string;
  readonly #inputs: Buffers = {};
  readonly #outputs: Buffers = {};
  readonly #state: [Buffers, Buffers] = [{}, {}];
  readonly #calls: readonly { feeds: Buffers; fetches: Buffers }[];
  #turn: 0 | 1 = 0;

  /** `modelName` maps an output to its name in the model, `modelShape` an array to its shape in the model. */
  constructor(
    runtime: Runtime,
    session: InferenceSession,
    signature: ProgramSignature,
    modelName = (output: string): string => output,
    modelShape = (_: string, { shape }: ArraySpec): readonly number[] => shape,
  ) {
    this.#session = session;
    this.#name = signature.name;
    const tensor = (name: string, spec: ArraySpec) =>
      new runtime.Tensor(spec.dtype, allocate(spec) as Float32Array, modelShape(name, spec));
    const isState = (name: string) => signature.state.includes(name);
    for (const [name, spec] of Object.entries(signature.inputs)) {
      if (isState(name)) for (const buffers of this.#state) buffers[name] = tensor(name, spec);
      else this.#inputs[name] = tensor(name, spec);
    }
    for (const [name, spec] of Object.entries(signature.outputs)) {
      if (!isState(name)) this.#outputs[name] = tensor(name, spec);
    }
    const fetches = (buffers: Buffers): Buffers =>
      Object.fromEntries(
        Object.entries({ ...this.#outputs, ...buffers }).map(([name, buffer]) => [modelName(name), buffer]),
      );
    const [a, b] = this.#state;
    this.#calls = [
      { feeds: { ...this.#inputs, ...a }, fetches: fetches(b) },
      { feeds: { ...this.#inputs, ...b }, fetches: fetches(a) },
    ];
  }

  async run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    for (const name in inputs) dataOf(this.#inputs[name]).set(inputs[name]);
    const { feeds, fetches } = this.#calls[this.#turn];
    try {
      await nativeCall(() => this.#session.run(feeds, fetches));
    } catch (error) {
      const described = Object.entries(feeds).map(
        ([name, { type, dims }]) => `${name}: ${type}[${dims.join(", ")}]`,
      );
      throw new InputError(`${this.#name}: ${firstLine(error)} (inputs: ${described.join(", ")})`, {
        cause: error,
      });
    }
    const results: Record<string, TypedArray> = {};
    for (const name in this.#outputs) results[name] = dataOf(this.#outputs[name]).slice();
    return results;
  }

  commitState(): void {
    this.#turn = this.#turn === 0 ? 1 : 0;
  }

  write(name: string, data: TypedArray): void {
    dataOf(this.#state[this.#turn][name]).set(data);
  }

  async read(name: string): Promise<TypedArray> {
    return dataOf(this.#state[this.#turn][name]).slice();
  }

  async dispose(): Promise<void> {
    await nativeCall(() => this.#session.release());
  }
}

function dataOf(tensor: Tensor): TypedArray {
  return tensor.data as TypedArray;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}
