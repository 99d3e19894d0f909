// An executable with checks: inputs match their specs, calls do not overlap, and nothing is used after disposal.

import { checkArray, checkFinite, checkInputs } from "./check-inputs.ts";
import type { TypedArray } from "./dtype.ts";
import { InputError } from "./errors.ts";
import type { Executable, ProgramSignature } from "./executable.ts";
import type { Specs } from "./trace.ts";

export class CheckedExecutable {
  readonly #signature: ProgramSignature;
  readonly #executable: Executable;
  /** Inputs that the caller must provide: all but the state. */
  readonly #callInputs: Specs;
  #running = false;
  #disposed = false;

  constructor(signature: ProgramSignature, executable: Executable) {
    this.#signature = signature;
    this.#executable = executable;
    this.#callInputs = Object.fromEntries(
      Object.entries(signature.inputs).filter(([key]) => !signature.state.includes(key)),
    );
  }

  /** Runs once and commits the next state, unless `accept` returns false for the outputs, or throws. */
  async run(
    inputs: Readonly<Record<string, TypedArray>>,
    accept: (outputs: Record<string, TypedArray>) => boolean = () => true,
  ): Promise<Record<string, TypedArray>> {
    this.#checkUsable();
    checkInputs(this.#signature.name, this.#callInputs, inputs);
    this.#running = true;
    try {
      const outputs = await this.#executable.run(inputs);
      if (accept(outputs)) this.#executable.commitState();
      return outputs;
    } finally {
      this.#running = false;
    }
  }

  write(state: Readonly<Record<string, TypedArray | undefined>>): void {
    this.#checkUsable();
    const { name, inputs } = this.#signature;
    const arrays = Object.entries(state) as [string, TypedArray][];
    for (const [key, data] of arrays) {
      this.#checkState(key);
      checkArray(name, key, inputs[key], data);
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
