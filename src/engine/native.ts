// The native engine: the whole graph as one ONNX model, run by onnxruntime-node. The only file that knows it.
//
// State lives in two sets of buffers that take turns as input and output, so it never passes through JavaScript
// between calls. A buffer is never both in one call: ONNX Runtime would silently corrupt it.

import { availableParallelism } from "node:os";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { type ArraySpec, allocate, type TypedArray } from "./dtype.ts";
import { EngineError, InputError } from "./errors.ts";
import type { Executable, Signature, Source } from "./executable.ts";
import { encodeModel } from "./onnx/encode.ts";
import { lower, outputName } from "./onnx/lower.ts";

type Runtime = typeof import("onnxruntime-node");

/** Not a literal where it is imported: bundlers for the browser would follow it into a native library. */
const MODULE: string = "onnxruntime-node";

/** ONNX Runtime, loaded on first need. Rejects with one sentence where its library is missing or cannot start. */
export async function loadRuntime(): Promise<Runtime> {
  // ONNX Runtime would keep an id of the device and events in the home folder; whoever wants that can set it.
  process.env.ORT_DISABLE_TELEMETRY ??= "1";
  try {
    const loaded = (await import(/* @vite-ignore */ /* webpackIgnore: true */ MODULE)) as Runtime & {
      default?: Runtime;
    };
    return loaded.default ?? loaded;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new EngineError(
      `The native library onnxruntime-node cannot be loaded (${reason}); reinstall it with: npm install onnxruntime-node`,
      { cause: error },
    );
  }
}

export async function buildNative(source: Source): Promise<Executable> {
  const runtime = await loadRuntime();
  const rows = stateVectors(source);
  const model = lower(source.graph, { rows, threads: source.threads });
  const session = await createSession(runtime, encodeModel(model), source);
  return new NativeExecutable(
    runtime,
    session,
    source,
    (name) => outputName(source.graph, name),
    (name, { shape }) => (rows.has(name) ? [1, ...shape] : shape),
  );
}

/** An optimiser scales and adds its state, which is a product of a row. */
function stateVectors({ state, example }: Signature): ReadonlySet<string> {
  return new Set(
    state.filter((name) => example[name].dtype === "float32" && example[name].shape.length === 1),
  );
}

/** Opens a saved model. */
export async function openModel(
  bytes: Uint8Array,
  signature: Signature,
  threads: number,
): Promise<Executable> {
  const runtime = await loadRuntime();
  const session = await createSession(runtime, bytes, { ...signature, threads });
  return new NativeExecutable(runtime, session, signature);
}

/** More threads than this only wait for each other; thousands take minutes to start. */
export const MOST_THREADS = Math.max(4, availableParallelism());

async function createSession(
  runtime: Runtime,
  bytes: Uint8Array,
  { name, threads }: { readonly name: string; readonly threads: number },
): Promise<InferenceSession> {
  if (threads > MOST_THREADS) {
    throw new EngineError(`${name}: threads must be at most ${MOST_THREADS} on this machine, got ${threads}`);
  }
  try {
    return await runtime.InferenceSession.create(bytes, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      logSeverityLevel: 4,
    });
  } catch (error) {
    throw new EngineError(`${name}: ONNX Runtime refused the program: ${firstLine(error)}`, { cause: error });
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

  /** `modelName` gives the name that an output has in the model, `modelShape` the shape of an array there. */
  constructor(
    runtime: Runtime,
    session: InferenceSession,
    signature: Signature,
    modelName = (output: string): string => output,
    modelShape = (_: string, { shape }: ArraySpec): readonly number[] => shape,
  ) {
    this.#session = session;
    this.#name = signature.name;
    const tensor = (name: string, spec: ArraySpec) =>
      new runtime.Tensor(spec.dtype, allocate(spec) as Float32Array, modelShape(name, spec));
    const isState = (name: string) => signature.state.includes(name);
    for (const [name, spec] of Object.entries(signature.example)) {
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
      await this.#session.run(feeds, fetches);
    } catch (error) {
      const given = Object.entries(feeds).map(
        ([name, { type, dims }]) => `${name}: ${type}[${dims.join(", ")}]`,
      );
      throw new InputError(`${this.#name}: ${firstLine(error)} (inputs: ${given.join(", ")})`, {
        cause: error,
      });
    }
    const results: Record<string, TypedArray> = {};
    for (const name in this.#outputs) results[name] = dataOf(this.#outputs[name]).slice();
    return results;
  }

  advance(): void {
    this.#turn = this.#turn === 0 ? 1 : 0;
  }

  write(name: string, data: TypedArray): void {
    dataOf(this.#state[this.#turn][name]).set(data);
  }

  async read(name: string): Promise<TypedArray> {
    return dataOf(this.#state[this.#turn][name]).slice();
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }
}

function dataOf(tensor: Tensor): TypedArray {
  return tensor.data as TypedArray;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}
