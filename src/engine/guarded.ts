// The checks around an executable: inputs fit, calls do not overlap, nothing is used after its end.

import type { TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Executable, Signature } from "./executable.ts";
import { checkArray, checkFinite, checkInputs } from "./inputs.ts";
import type { Specs } from "./trace.ts";

export class GuardedExecutable {
  readonly #signature: Signature;
  readonly #executable: Executable;
  /** Inputs that every call must bring. */
  readonly #free: Specs;
  #running = false;
  #disposed = false;

  constructor(signature: Signature, executable: Executable) {
    this.#signature = signature;
    this.#executable = executable;
    this.#free = Object.fromEntries(
      Object.entries(signature.example).filter(([key]) => !signature.state.includes(key)),
    );
  }

  /** Runs and moves the state on, unless `accept` throws at the outputs. */
  async run(
    inputs: Readonly<Record<string, TypedArray>>,
    accept: (outputs: Record<string, TypedArray>) => void = () => {},
  ): Promise<Record<string, TypedArray>> {
    this.#checkUsable();
    checkInputs(this.#signature.name, this.#free, inputs);
    this.#running = true;
    try {
      const outputs = await this.#executable.run(inputs);
      accept(outputs);
      this.#executable.advance();
      return outputs;
    } finally {
      this.#running = false;
    }
  }

  write(state: Readonly<Record<string, TypedArray | undefined>>): void {
    this.#checkUsable();
    const { name, example } = this.#signature;
    const arrays = Object.entries(state) as [string, TypedArray][];
    for (const [key, data] of arrays) {
      this.#checkState(key);
      checkArray(name, key, example[key], data);
      checkFinite(name, `state ${key}`, data);
    }
    for (const [key, data] of arrays) this.#executable.write(key, data);
  }

  async read(key: string): Promise<TypedArray> {
    this.#checkUsable();
    this.#checkState(key);
    return this.#executable.read(key);
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#executable.dispose();
  }

  #checkState(key: string): void {
    if (!this.#signature.state.includes(key)) {
      throw new InputError(`${this.#signature.name}: ${key} is not part of the state`);
    }
  }

  #checkUsable(): void {
    const { name } = this.#signature;
    if (this.#disposed) throw new InputError(`${name}: used after it was disposed of`);
    if (this.#running) throw new InputError(`${name}: used again before the previous call was awaited`);
  }
}
