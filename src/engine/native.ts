// The native engine: lowers a graph to one ONNX model and runs it with ONNX Runtime.
//
// The state has two sets of buffers, which alternate as inputs and outputs, so no call copies the state. A buffer is
// never input and output of the same call: ONNX Runtime would silently corrupt it.

import { availableParallelism } from "node:os";
import { type ArraySpec, allocate, type TypedArray } from "./dtype.ts";
import { EngineError, InputError } from "./errors.ts";
import type { Executable, ProgramSignature, ProgramSource } from "./executable.ts";
import { ParameterMemory } from "./in-place/parameter-memory.ts";
import { type ParameterUpdate, updateState } from "./in-place/parameter-update.ts";
import { dropUnusedInputs, type Segment, segmentInput, segmentOutput } from "./in-place/segments.ts";
import type { Graph } from "./ir.ts";
import { nativeCall } from "./native-calls.ts";
import { encodeModel } from "./onnx/encode.ts";
import { lower, outputName } from "./onnx/lower.ts";
import { type InferenceSession, loadRuntime, type Runtime, type Tensor } from "./onnx-runtime.ts";

export async function buildNative(source: ProgramSource): Promise<Executable> {
  const runtime = await loadRuntime();
  const { graph, inPlace } = segmentUpdates(source);
  const rowVectors = stateVectors(source);
  const model = lower(graph, { rowVectors, threads: source.threads });
  const session = await createSession(runtime, encodeModel(model), source);
  return new NativeExecutable(runtime, session, source, {
    modelName: (name) => outputName(graph, name),
    modelShape: (name, { shape }) => (rowVectors.has(name) ? [1, ...shape] : shape),
    modelInputs: new Set(graph.inputs.map(({ name }) => name)),
    inPlace,
  });
}

/** An update in place, with the segments that the model reads and writes. */
interface InPlaceUpdate {
  readonly update: ParameterUpdate;
  readonly memory: ParameterMemory;
  readonly parameters: readonly Segment[];
  readonly gradient: readonly Segment[];
}

/** The graph with segments of parameters and gradients, and without the rest of the state of updates. */
function segmentUpdates({ graph: whole, inputs, updates }: ProgramSource) {
  let graph: Graph = whole;
  const inPlace: InPlaceUpdate[] = [];
  for (const update of updates) {
    const read = segmentInput(graph, update.parameters);
    const written = segmentOutput(read.graph, update.gradient);
    graph = dropUnusedInputs(written.graph, new Set([...updateState(update), update.rate]));
    const memory = new ParameterMemory(update, inputs[update.parameters].shape[0]);
    inPlace.push({ update, memory, parameters: read.segments, gradient: written.segments });
  }
  return { graph, inPlace };
}

/**
 * Names of the float vectors in the state that the model returns. The model stores these vectors as [1, N] matrices, so that
 * the scaled sums of an optimiser become matrix products.
 */
function stateVectors({ state, inputs, updates }: ProgramSource): ReadonlySet<string> {
  const inPlace = new Set(updates.flatMap(updateState));
  return new Set(
    state.filter(
      (name) => !inPlace.has(name) && inputs[name].dtype === "float32" && inputs[name].shape.length === 1,
    ),
  );
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

/** How a model differs from the signature of its program. */
interface ModelOptions {
  /** Name of an output in the model. */
  modelName(output: string): string;
  /** Shape of an array in the model. */
  modelShape(name: string, spec: ArraySpec): readonly number[];
  /** Inputs of the model, if it does not have all those of the program. */
  readonly modelInputs?: ReadonlySet<string>;
  readonly inPlace: readonly InPlaceUpdate[];
}

const LIKE_SIGNATURE: ModelOptions = {
  modelName: (output) => output,
  modelShape: (_, { shape }) => shape,
  inPlace: [],
};

/** Runs a session. The state that the model returns is in two sets of buffers, current and next; parameters that are updated in
 * place have their own memory. */
class NativeExecutable implements Executable {
  readonly #session: InferenceSession;
  readonly #name: string;
  readonly #inputs: Buffers = {};
  readonly #outputs: Buffers = {};
  readonly #state: [Buffers, Buffers] = [{}, {}];
  readonly #calls: readonly { feeds: Buffers; fetches: Buffers }[];
  readonly #inPlace: readonly InPlaceUpdate[];
  /** The memory of each name of the state that is updated in place. */
  readonly #memories: ReadonlyMap<string, ParameterMemory>;
  #turn: 0 | 1 = 0;

  constructor(
    runtime: Runtime,
    session: InferenceSession,
    signature: ProgramSignature,
    { modelName, modelShape, modelInputs, inPlace }: ModelOptions = LIKE_SIGNATURE,
  ) {
    this.#session = session;
    this.#name = signature.name;
    this.#inPlace = inPlace;
    this.#memories = new Map(
      inPlace.flatMap(({ update, memory }) => updateState(update).map((name) => [name, memory] as const)),
    );
    const norms = new Set<string | undefined>(inPlace.map(({ update }) => update.norm));
    const isState = (name: string) => signature.state.includes(name);
    const tensor = (name: string, spec: ArraySpec) =>
      new runtime.Tensor(spec.dtype, allocate(spec) as Float32Array, modelShape(name, spec));
    for (const [name, spec] of Object.entries(signature.inputs)) {
      if (this.#memories.has(name)) continue;
      if (isState(name)) for (const buffers of this.#state) buffers[name] = tensor(name, spec);
      else this.#inputs[name] = tensor(name, spec);
    }
    for (const [name, spec] of Object.entries(signature.outputs)) {
      if (!isState(name) && !norms.has(name)) this.#outputs[name] = tensor(name, spec);
    }
    const tensorsOf = (memory: ParameterMemory, vector: string, segments: readonly Segment[]): Buffers =>
      Object.fromEntries(
        segments.map((segment) => [
          segment.name,
          new runtime.Tensor("float32", memory.segment(vector, segment), segment.shape),
        ]),
      );
    const [parameters, gradients]: [Buffers, Buffers] = [{}, {}];
    for (const { update, memory, ...segments } of inPlace) {
      Object.assign(parameters, tensorsOf(memory, update.parameters, segments.parameters));
      Object.assign(gradients, tensorsOf(memory, update.gradient, segments.gradient));
    }
    const feeds = (buffers: Buffers): Buffers => {
      const all = Object.entries({ ...this.#inputs, ...buffers, ...parameters });
      return Object.fromEntries(all.filter(([name]) => !modelInputs || modelInputs.has(name)));
    };
    const fetches = (buffers: Buffers): Buffers =>
      Object.fromEntries(
        Object.entries({ ...this.#outputs, ...buffers, ...gradients }).map(([name, buffer]) => [
          modelName(name),
          buffer,
        ]),
      );
    const [a, b] = this.#state;
    this.#calls = [
      { feeds: feeds(a), fetches: fetches(b) },
      { feeds: feeds(b), fetches: fetches(a) },
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
    for (const { update, memory } of this.#inPlace) {
      if (update.norm !== undefined) results[update.norm] = Float32Array.of(memory.gradientNorm());
    }
    return results;
  }

  commitState(): void {
    this.#turn = this.#turn === 0 ? 1 : 0;
    for (const { update, memory } of this.#inPlace) memory.apply(dataOf(this.#inputs[update.rate])[0]);
  }

  write(name: string, data: TypedArray): void {
    const memory = this.#memories.get(name);
    if (memory) memory.write(name, data);
    else dataOf(this.#state[this.#turn][name]).set(data);
  }

  async read(name: string): Promise<TypedArray> {
    return this.#memories.get(name)?.read(name) ?? dataOf(this.#state[this.#turn][name]).slice();
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
