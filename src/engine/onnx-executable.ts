// Runs the ONNX model of a program in a session of a runtime, native or in WebAssembly.

import { type ArraySpec, allocate, type DType, type TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Executable, ProgramSignature } from "./executable.ts";
import type { ParameterMemory } from "./in-place/parameter-memory.ts";
import { updateState } from "./in-place/parameter-update.ts";
import type { Segment } from "./in-place/segments.ts";
import type { InPlaceUpdate, ModelPorts } from "./onnx-program.ts";
import type { Tensor } from "./onnx-runtime.ts";

export type Buffers = Record<string, Tensor>;

/** A session of a runtime, and how tensors are made for it. */
export interface OnnxSession {
  /** A tensor that reads and writes this array. */
  tensor(type: DType, data: Float32Array, shape: readonly number[]): Tensor;
  /** Computes the outputs of the model, into the tensors of `fetches` or into new ones. */
  run(feeds: Buffers, fetches: Buffers): Promise<Buffers>;
  release(): Promise<void>;
}

/** The ports of a model that has those of its program. */
const LIKE_SIGNATURE: ModelPorts = {
  modelName: (output) => output,
  modelShape: (_, { shape }) => shape,
  inPlace: [],
};

/** Runs a session. The state that the model returns is in two sets of buffers, current and next; parameters that are updated in
 * place have their own memory. */
export class OnnxExecutable implements Executable {
  readonly #session: OnnxSession;
  readonly #name: string;
  readonly #inputs: Buffers = {};
  readonly #outputs: Buffers = {};
  readonly #state: [Buffers, Buffers] = [{}, {}];
  /** `kept`: the tensors of `fetches` that the next call reads, the state and the gradients. */
  readonly #calls: readonly { feeds: Buffers; fetches: Buffers; kept: Buffers }[];
  readonly #modelName: (output: string) => string;
  readonly #inPlace: readonly InPlaceUpdate[];
  /** The memory of each name of the state that is updated in place. */
  readonly #memories: ReadonlyMap<string, ParameterMemory>;
  #turn: 0 | 1 = 0;

  constructor(
    session: OnnxSession,
    signature: ProgramSignature,
    { modelName, modelShape, modelInputs, inPlace }: ModelPorts = LIKE_SIGNATURE,
  ) {
    this.#session = session;
    this.#name = signature.name;
    this.#modelName = modelName;
    this.#inPlace = inPlace;
    this.#memories = new Map(
      inPlace.flatMap(({ update, memory }) => updateState(update).map((name) => [name, memory] as const)),
    );
    const norms = new Set<string | undefined>(inPlace.map(({ update }) => update.norm));
    const isState = (name: string) => signature.state.includes(name);
    const tensor = (name: string, spec: ArraySpec) =>
      session.tensor(spec.dtype, allocate(spec) as Float32Array, modelShape(name, spec));
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
          session.tensor("float32", memory.segment(vector, segment), segment.shape),
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
    const inModel = (buffers: Buffers): Buffers =>
      Object.fromEntries(Object.entries(buffers).map(([name, buffer]) => [modelName(name), buffer]));
    const call = (state: Buffers, next: Buffers) => {
      const kept = inModel({ ...next, ...gradients });
      return { feeds: feeds(state), fetches: { ...inModel(this.#outputs), ...kept }, kept };
    };
    const [a, b] = this.#state;
    this.#calls = [call(a, b), call(b, a)];
  }

  async run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    for (const name in inputs) dataOf(this.#inputs[name]).set(inputs[name]);
    const { feeds, fetches, kept } = this.#calls[this.#turn];
    let computed: Buffers;
    try {
      computed = await this.#session.run(feeds, fetches);
    } catch (error) {
      const described = Object.entries(feeds).map(
        ([name, { type, dims }]) => `${name}: ${type}[${dims.join(", ")}]`,
      );
      throw new InputError(`${this.#name}: ${firstLine(error)} (inputs: ${described.join(", ")})`, {
        cause: error,
      });
    }
    for (const name in kept) {
      if (computed[name] !== kept[name]) dataOf(kept[name]).set(dataOf(computed[name]));
    }
    const results: Record<string, TypedArray> = {};
    for (const name in this.#outputs) {
      const output = computed[this.#modelName(name)];
      // A new tensor belongs to the caller; the next call overwrites the others.
      results[name] = output === this.#outputs[name] ? dataOf(output).slice() : dataOf(output);
    }
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

  dispose(): Promise<void> {
    return this.#session.release();
  }
}

function dataOf(tensor: Tensor): TypedArray {
  return tensor.data as TypedArray;
}

/** The first line of an error of ONNX Runtime, whose messages may have many. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0];
}
