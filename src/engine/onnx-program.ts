// The ONNX model of a program, and how its inputs and outputs differ from those of the program.

import type { ArraySpec } from "./dtype.ts";
import type { ProgramSource } from "./executable.ts";
import { ParameterMemory } from "./in-place/parameter-memory.ts";
import { type ParameterUpdate, updateState } from "./in-place/parameter-update.ts";
import { dropUnusedInputs, type Segment, segmentInput, segmentOutput } from "./in-place/segments.ts";
import type { Graph } from "./ir.ts";
import { encodeModel } from "./onnx/encode.ts";
import { type LowerOptions, lower, outputName } from "./onnx/lower.ts";

/** How a model differs from the signature of its program. */
export interface ModelPorts {
  /** Name of an output in the model. */
  modelName(output: string): string;
  /** Shape of an array in the model. */
  modelShape(name: string, spec: ArraySpec): readonly number[];
  /** Inputs of the model, if it does not have all those of the program. */
  readonly modelInputs?: ReadonlySet<string>;
  readonly inPlace: readonly InPlaceUpdate[];
}

/** The bytes of the model of a program, and its ports. */
export function onnxProgram(
  source: ProgramSource,
  target: Pick<LowerOptions, "threads" | "inWebAssembly">,
): {
  readonly bytes: Uint8Array;
  readonly ports: ModelPorts;
} {
  const { graph, inPlace } = segmentUpdates(source);
  const rowVectors = stateVectors(source);
  const model = lower(graph, { rowVectors, ...target });
  return {
    bytes: encodeModel(model),
    ports: {
      modelName: (name) => outputName(graph, name),
      modelShape: (name, { shape }) => (rowVectors.has(name) ? [1, ...shape] : shape),
      modelInputs: new Set(graph.inputs.map(({ name }) => name)),
      inPlace,
    },
  };
}

/** An update in place, with the segments that the model reads and writes. */
export interface InPlaceUpdate {
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
