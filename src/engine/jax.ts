// The jax engine: runs graphs with jax-js on WebGPU or WebAssembly. It is the engine of pages that provide no runtime, and the
// fallback in Node. Its WebAssembly logarithm is accurate to about 1e-5, so tests do not use it as the numeric reference.

import { jit, numpy as np } from "@jax-js/jax";
import { type ArraySpec, allocate, type DType, type TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Executable, ProgramSource } from "./executable.ts";
import { startDevice } from "./jax-device.ts";
import { deviceArray, evaluateGraph } from "./jax-evaluate.ts";
import { withoutOwnership } from "./ownership.ts";

type Arrays = Record<string, np.Array>;
type Jitted = ((anchor: np.Array, inputs: Arrays) => Arrays) & { dispose(): void };

export async function buildJax(source: ProgramSource): Promise<Executable> {
  await startDevice();
  return new JaxExecutable(source);
}

class JaxExecutable implements Executable {
  readonly #source: ProgramSource;
  readonly #call: Jitted;
  #current: Arrays = {};
  #next: Arrays = {};

  constructor(source: ProgramSource) {
    this.#source = source;
    this.#call = jit((anchor: np.Array, inputs: Arrays) =>
      withoutOwnership(() => evaluateGraph(source.graph, anchor, inputs)),
    ) as Jitted;
    for (const name of source.state)
      this.#current[name] = toDevice(source.inputs[name], allocate(source.inputs[name]));
  }

  async run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    try {
      return await this.#run(inputs);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new InputError(`${this.#source.name}: ${reason}`, { cause: error });
    }
  }

  async #run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>> {
    const { inputs: specs, outputs, state } = this.#source;
    const arrays: Arrays = {};
    for (const name in specs) {
      arrays[name] = state.includes(name) ? this.#current[name].ref : toDevice(specs[name], inputs[name]);
    }
    const results = this.#call(np.zeros([]), arrays);
    disposeAll(this.#next);
    this.#next = {};
    const host: Record<string, TypedArray> = {};
    for (const name in outputs) {
      if (state.includes(name)) this.#next[name] = results[name];
      else host[name] = await toHost(outputs[name].dtype, results[name]);
    }
    return host;
  }

  commitState(): void {
    disposeAll(this.#current);
    this.#current = this.#next;
    this.#next = {};
  }

  write(name: string, data: TypedArray): void {
    this.#current[name].dispose();
    this.#current[name] = toDevice(this.#source.inputs[name], data);
  }

  read(name: string): Promise<TypedArray> {
    return toHost(this.#source.inputs[name].dtype, this.#current[name].ref);
  }

  async dispose(): Promise<void> {
    disposeAll(this.#current);
    disposeAll(this.#next);
    this.#current = {};
    this.#next = {};
    this.#call.dispose(); // frees its constants
  }
}

function toDevice({ shape, dtype }: ArraySpec, data: TypedArray): np.Array {
  return deviceArray(dtype, shape, data);
}

async function toHost(dtype: DType, array: np.Array): Promise<TypedArray> {
  const data = await array.data();
  return dtype === "bool" ? Uint8Array.from(data, (x) => (x ? 1 : 0)) : (data as TypedArray).slice();
}

function disposeAll(arrays: Arrays): void {
  for (const array of Object.values(arrays)) array.dispose();
}
