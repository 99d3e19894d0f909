// The interface between compilation and engines: an engine builds an Executable from a ProgramSource.

import type { TypedArray } from "./dtype.ts";
import type { ParameterUpdate } from "./in-place/parameter-update.ts";
import type { Graph } from "./ir.ts";
import type { Specs } from "./trace.ts";

/** Name, inputs, outputs and state of a program. */
export interface ProgramSignature {
  readonly name: string;
  /** Specs of all inputs. */
  readonly inputs: Specs;
  /** Specs of all outputs. */
  readonly outputs: Specs;
  /** Names that are both inputs and outputs. The executable keeps their values between calls. */
  readonly state: readonly string[];
}

/** Everything that an engine needs to build an executable. */
export interface ProgramSource extends ProgramSignature {
  readonly graph: Graph;
  /** The number that the caller of `compile` has set. */
  readonly threads: number | undefined;
  /** Updates that the engine makes in place. Their gradients are outputs of the graph, their state is not. */
  readonly updates: readonly ParameterUpdate[];
}

/** A function ready to run. The caller checks inputs; the executable keeps the state. */
export interface Executable {
  /** Computes the outputs and the next state. The current state does not change until `commitState` is called. */
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
  /** Makes the next state, which the last run computed, the current state. */
  commitState(): void;
  /** Overwrites one array of the current state. */
  write(name: string, data: TypedArray): void;
  /** Copies one array of the current state. */
  read(name: string): Promise<TypedArray>;
  dispose(): Promise<void>;
}
