// What an engine makes of a compiled function, and what it is given to do so.

import type { TypedArray } from "./dtype.ts";
import type { Graph } from "./ir.ts";
import type { Specs } from "./trace.ts";

/** What goes into a program and what comes out. */
export interface Signature {
  readonly name: string;
  /** Specs of all inputs. */
  readonly example: Specs;
  /** Specs of all outputs. */
  readonly outputs: Specs;
  /** Names that are both inputs and outputs and stay inside between calls. */
  readonly state: readonly string[];
}

/** What an engine builds from. */
export interface Source extends Signature {
  readonly graph: Graph;
  readonly threads: number;
}

/** A function ready to run. Inputs have been checked by the caller; state is double-buffered here. */
export interface Executable {
  /** Computes outputs and the next state, which `advance` then makes current. */
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
  /** Makes the state of the last run current. */
  advance(): void;
  write(name: string, data: TypedArray): void;
  read(name: string): Promise<TypedArray>;
  dispose(): Promise<void>;
}
