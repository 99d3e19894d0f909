// The jax engine: the same graph run by jax-js, on WebGPU or WebAssembly. The browser's engine, and Node's
// fallback. Its WebAssembly logarithm is accurate to about 1e-5, so it is not the numeric reference.

import { type Device, defaultDevice, init, jit, numpy as np } from "@jax-js/jax";
import { type ArraySpec, allocate, type DType, type TypedArray } from "./dtype.ts";
import { EngineError, InputError } from "./errors.ts";
import type { Executable, Source } from "./executable.ts";
import { deviceArray, evaluateGraph } from "./jax-evaluate.ts";
import { withoutOwnership } from "./ownership.ts";

type Arrays = Record<string, np.Array>;
type Jitted = ((anchor: np.Array, inputs: Arrays) => Arrays) & { dispose(): void };

export async function buildJax(source: Source): Promise<Executable> {
  await startDevice();
  return new JaxExecutable(source);
}

let device: Promise<Device> | undefined;

/** The best device here: WebGPU where there is one, else WebAssembly. Chosen once per process. */
function startDevice(): Promise<Device> {
  device ??= (async () => {
    const candidates: Device[] =
      typeof navigator === "object" && "gpu" in navigator ? ["webgpu", "wasm"] : ["wasm"];
    const available = await init(...candidates);
    const chosen = candidates.find((candidate) => available.includes(candidate));
    if (!chosen)
      throw new EngineError("The jax engine needs WebAssembly or WebGPU, and this platform has neither.");
    defaultDevice(chosen);
    return chosen;
  })();
  device.catch(() => {
    device = undefined; // the next program may try again
  });
  return device;
}

class JaxExecutable implements Executable {
  readonly #source: Source;
  readonly #call: Jitted;
  #current: Arrays = {};
  #next: Arrays = {};

  constructor(source: Source) {
    this.#source = source;
    this.#call = jit((anchor: np.Array, inputs: Arrays) =>
      withoutOwnership(() => evaluateGraph(source.graph, anchor, inputs)),
    ) as Jitted;
    for (const name of source.state)
      this.#current[name] = toDevice(source.example[name], allocate(source.example[name]));
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
    const { example, outputs, state } = this.#source;
    const arrays: Arrays = {};
    for (const name in example) {
      arrays[name] = state.includes(name) ? this.#current[name].ref : toDevice(example[name], inputs[name]);
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

  advance(): void {
    disposeAll(this.#current);
    this.#current = this.#next;
    this.#next = {};
  }

  write(name: string, data: TypedArray): void {
    this.#current[name].dispose();
    this.#current[name] = toDevice(this.#source.example[name], data);
  }

  read(name: string): Promise<TypedArray> {
    return toHost(this.#source.example[name].dtype, this.#current[name].ref);
  }

  async dispose(): Promise<void> {
    disposeAll(this.#current);
    disposeAll(this.#next);
    this.#current = {};
    this.#next = {};
    this.#call.dispose(); // its constants
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
