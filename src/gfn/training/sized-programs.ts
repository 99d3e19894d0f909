// The program of a training iteration, compiled for the batches that there are.
//
// Where trajectories end with a stop, most are much shorter than the longest possible one, and a program for all steps computes
// many states that no trajectory reaches. Batches are therefore sampled by a program that was large enough for most of the last
// ones. If a batch does not fit, the call does not count, and a larger program takes the same random numbers. So the trajectories
// are the same as with all steps, and sums over them are equal up to rounding.

import type { ArraySpec, EngineName, Program, TypedArray } from "../../engine/index.ts";
import { type BatchSizing, fits, type MeasuredSize } from "./batch-sizing.ts";
import type { BatchSize } from "./iteration.ts";

/** Largest number of programs besides the one for all steps. */
const MOST_PROGRAMS = 4;

/** The part of a program that training uses. */
export type TrainingProgram<I extends string, O extends string, S extends I & O> = Pick<
  Program<I, O, S>,
  "name" | "engine" | "run" | "read" | "write" | "dispose"
>;

export interface SizedProgramsOptions<I extends string, O extends string, S extends I & O> {
  readonly sizing: BatchSizing;
  /** Names of the state, which moves from program to program. */
  readonly state: readonly S[];
  /** Compiles the program of a size. A call whose batch does not fit must not count (`accept`). */
  compile(size: BatchSize): Promise<Program<I, O, S>>;
}

type Arrays = Record<string, TypedArray>;
type AnyProgram = Program<string, string, string>;

/** A program for all steps, and smaller ones that are compiled when they are first used. */
export class SizedPrograms<I extends string, O extends string, S extends I & O>
  implements TrainingProgram<I, O, S>
{
  readonly #options: SizedProgramsOptions<I, O, S>;
  readonly #largest: AnyProgram;
  /** Smaller programs by their size as text, the one that was used last at the end. */
  readonly #smaller = new Map<string, AnyProgram>();
  /** The program that has the state. */
  #current: AnyProgram;

  static async compile<I extends string, O extends string, S extends I & O>(
    options: SizedProgramsOptions<I, O, S>,
  ): Promise<SizedPrograms<I, O, S>> {
    return new SizedPrograms(options, await options.compile(options.sizing.largest));
  }

  private constructor(options: SizedProgramsOptions<I, O, S>, largest: Program<I, O, S>) {
    this.#options = options;
    this.#largest = largest as unknown as AnyProgram;
    this.#current = this.#largest;
  }

  get name(): string {
    return this.#largest.name;
  }

  get engine(): EngineName {
    return this.#largest.engine;
  }

  async run(inputs: Readonly<Record<Exclude<I, S>, TypedArray>>): Promise<Record<Exclude<O, S>, TypedArray>> {
    const { sizing } = this.#options;
    for (const size of sizing.sizes) {
      const outputs = await this.#runWith(size, inputs as Arrays);
      const needed = measuredSize(outputs);
      if (!fits(needed, size)) continue;
      sizing.add(needed);
      return outputs as Record<Exclude<O, S>, TypedArray>;
    }
    throw new Error("sizedPrograms: internal: a batch does not fit into the largest program");
  }

  write(state: Readonly<Partial<Record<S, TypedArray>>>): void {
    this.#current.write(state);
  }

  read(name: S): Promise<TypedArray> {
    return this.#current.read(name);
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#largest, ...this.#smaller.values()].map((program) => program.dispose()));
  }

  /** Runs the program of a size on the beginning of the inputs. Outputs are filled up to all steps. */
  async #runWith(size: BatchSize, inputs: Arrays): Promise<Arrays> {
    const program = await this.#programOf(size);
    await this.#moveStateTo(program);
    const beginnings = Object.entries(inputs).map(([name, data]) => {
      return [name, data.subarray(0, sizeOf(program.inputs[name]))] as const;
    });
    const outputs: Arrays = await program.run(Object.fromEntries(beginnings));
    for (const name in outputs) {
      outputs[name] = filledUp(outputs[name], sizeOf(this.#largest.outputs[name]));
    }
    return outputs;
  }

  async #programOf(size: BatchSize): Promise<AnyProgram> {
    const key = JSON.stringify(size);
    if (key === JSON.stringify(this.#options.sizing.largest)) return this.#largest;
    const program = this.#smaller.get(key) ?? ((await this.#options.compile(size)) as unknown as AnyProgram);
    this.#smaller.delete(key);
    this.#smaller.set(key, program);
    if (this.#smaller.size > MOST_PROGRAMS) {
      const [[oldest, oldProgram]] = this.#smaller;
      await this.#moveStateTo(program);
      this.#smaller.delete(oldest);
      await oldProgram.dispose();
    }
    return program;
  }

  async #moveStateTo(program: AnyProgram): Promise<void> {
    if (program === this.#current) return;
    const entries = this.#options.state.map(async (name) => [name, await this.#current.read(name)] as const);
    program.write(Object.fromEntries(await Promise.all(entries)));
    this.#current = program;
  }
}

/** What the batch of a call needs, from the outputs of the program. */
export function measuredSize({ longest, reached }: Readonly<Record<string, TypedArray>>): MeasuredSize {
  return { steps: longest[0], rows: reached[0] };
}

/** An array with a value for each step, filled up to all steps: after the end there is no action or outcome, −1, and no number,
 * NaN. */
function filledUp(values: TypedArray, size: number): TypedArray {
  if (values.length === size) return values;
  const filled =
    values instanceof Int32Array ? new Int32Array(size).fill(-1) : new Float32Array(size).fill(Number.NaN);
  filled.set(values);
  return filled;
}

function sizeOf({ shape }: ArraySpec): number {
  return shape.reduce((product, extent) => product * extent, 1);
}
