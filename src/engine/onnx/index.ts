// ONNX as a product: array functions saved as `.onnx` files that any ONNX Runtime loads, and loaded back here.

import { type ArraySpec, describe, type TypedArray } from "../dtype.ts";
import { ModelFileError } from "../errors.ts";
import { GuardedExecutable } from "../guarded.ts";
import { simplify } from "../simplify.ts";
import { type ArrayFunction, type Specs, trace } from "../trace.ts";
import { decodeModel, ForeignModel, type ModelDescription, type PortDescription } from "./decode.ts";
import { encodeModel, PRODUCER } from "./encode.ts";
import { lower } from "./lower.ts";

export type { ModelDescription, PortDescription } from "./decode.ts";
export { lower, OPSET } from "./lower.ts";

/** Layout of what we write beside the graph; raised when a reader must know. */
const FORMAT = "1";

export interface ExportOptions {
  readonly name: string;
  /** What the model computes, in a sentence or two. */
  readonly description: string;
  /** A sentence for each input and output. Shape and type are added. */
  readonly ports?: Readonly<Record<string, string>>;
  /** Further facts, such as the alphabet that a policy writes in. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An array function as the bytes of a `.onnx` file. Arrays it closes over, such as weights, become part of it. */
export function toOnnx<I extends string, O extends string>(
  f: ArrayFunction<I, O>,
  example: Readonly<Record<I, ArraySpec>>,
  options: ExportOptions,
): Uint8Array {
  const graph = simplify(trace(f as unknown as ArrayFunction, example, options.name));
  const model = lower(graph, {
    description: options.description,
    metadata: { ...options.metadata, [`${PRODUCER}.format`]: FORMAT },
  });
  const explain = <T extends PortDescription | (typeof model.inputs)[number]>(port: T): T => {
    const sentence = options.ports?.[port.name];
    return sentence ? { ...port, description: `${sentence} ${port.description}` } : port;
  };
  return encodeModel({ ...model, inputs: model.inputs.map(explain), outputs: model.outputs.map(explain) });
}

/** What a `.onnx` file of ours says about itself. `source` names the file in errors. */
export function inspectOnnx(bytes: Uint8Array, source: string): ModelDescription {
  let model: ModelDescription;
  try {
    model = decodeModel(bytes);
  } catch (error) {
    if (error instanceof ForeignModel) {
      const writer = error.producer ? JSON.stringify(error.producer) : "an unnamed program";
      throw new ModelFileError(
        `${source} was written by ${writer}; only models exported by ${PRODUCER} can be used here.`,
      );
    }
    throw damaged(source, error instanceof Error ? error.message : String(error));
  }
  const format = model.metadata[`${PRODUCER}.format`];
  if (format === undefined) throw damaged(source, "it ends before its last part");
  if (format !== FORMAT) {
    throw new ModelFileError(
      `${source} has format ${format}, and this version reads ${FORMAT}; upgrade ${PRODUCER}.`,
    );
  }
  return model;
}

function damaged(source: string, reason: string): ModelFileError {
  return new ModelFileError(`${source} is not a whole .onnx file: ${reason}; export the model again.`);
}

/** A saved model, ready to run on ONNX Runtime. */
export interface Model {
  readonly description: ModelDescription;
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
  dispose(): Promise<void>;
}

/** Opens a saved model. `source` names the file in errors. */
export async function loadOnnx(
  bytes: Uint8Array,
  source: string,
  { threads = 1 }: { readonly threads?: number } = {},
): Promise<Model> {
  const description = inspectOnnx(bytes, source);
  const specs = (ports: readonly PortDescription[]): Specs =>
    Object.fromEntries(ports.map(({ name, shape, dtype }) => [name, { shape, dtype }]));
  const signature = {
    name: description.name,
    example: specs(description.inputs),
    outputs: specs(description.outputs),
    state: [],
  };
  const { openModel } = await import("../native.ts");
  const guarded = new GuardedExecutable(signature, await openModel(bytes, signature, threads));
  return { description, run: (inputs) => guarded.run(inputs), dispose: () => guarded.dispose() };
}

/** A table of inputs, outputs and facts for people. */
export function describeModel(model: ModelDescription): string {
  const line = (port: PortDescription) => `  ${port.name}: ${port.description || describe(port)}`;
  const facts = Object.entries(model.metadata).filter(([name]) => name !== `${PRODUCER}.format`);
  return [
    `${model.name}: ${model.description}`,
    `opset ${model.opset}, standard operators only`,
    "inputs",
    ...model.inputs.map(line),
    "outputs",
    ...model.outputs.map(line),
    ...(facts.length > 0 ? ["facts", ...facts.map(([name, fact]) => `  ${name}: ${fact}`)] : []),
  ].join("\n");
}
