// Export and import of ONNX files: array functions become `.onnx` files that any ONNX Runtime can run.

import { CheckedExecutable } from "../checked-executable.ts";
import { type ArraySpec, describeSpec, type TypedArray } from "../dtype.ts";
import { ModelFileError } from "../errors.ts";
import { simplify } from "../simplify.ts";
import { type ArrayFunction, type Specs, trace } from "../trace.ts";
import { decodeModel, ForeignModelError, type ModelDescription, type PortDescription } from "./decode.ts";
import { encodeModel, PRODUCER } from "./encode.ts";
import { lower } from "./lower.ts";

export type { ModelDescription, PortDescription } from "./decode.ts";
export { lower, OPSET } from "./lower.ts";

/** Version of the metadata in exported files. It increases with every incompatible change. */
const FORMAT = "1";

/** Options of `toOnnx`. */
export interface ExportOptions {
  readonly name: string;
  /** One or two sentences on what the model computes. */
  readonly description: string;
  /** A description of each input and output, one sentence each. Shape and type are appended to each description. */
  readonly ports?: Readonly<Record<string, string>>;
  /** Further properties, such as the alphabet of a policy. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * The bytes of an `.onnx` file for an array function. Arrays that it closes over, such as weights, become constants.
 *
 * @example
 * ```ts
 * import { np } from "gflownet/array";
 * import { spec } from "gflownet/engine";
 * import { inspectOnnx, toOnnx } from "gflownet/engine/onnx";
 *
 * const bytes = toOnnx(({ x }) => ({ y: np.multiply(x, 2) }), { x: spec([4]) }, {
 *   name: "double",
 *   description: "Doubles its input.",
 * });
 * const { name, inputs } = inspectOnnx(bytes, "double.onnx");
 * console.log(name, inputs[0].name, inputs[0].shape[0]); // double x 4
 * ```
 */
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

/** Description of an `.onnx` file of this library. `source` names the file in errors. */
export function inspectOnnx(bytes: Uint8Array, source: string): ModelDescription {
  let model: ModelDescription;
  try {
    model = decodeModel(bytes);
  } catch (error) {
    if (error instanceof ForeignModelError) {
      const writer = error.producer ? JSON.stringify(error.producer) : "an unnamed program";
      throw new ModelFileError(
        `${source} was written by ${writer}; only models exported by ${PRODUCER} can be used here.`,
      );
    }
    throw damaged(source, error instanceof Error ? error.message : String(error));
  }
  const format = model.metadata[`${PRODUCER}.format`];
  if (format === undefined) throw damaged(source, "its metadata is missing");
  if (format !== FORMAT) {
    throw new ModelFileError(
      `${source} has format ${format}, but this version reads ${FORMAT}; upgrade ${PRODUCER}.`,
    );
  }
  return model;
}

function damaged(source: string, reason: string): ModelFileError {
  return new ModelFileError(`${source} is not a complete .onnx file: ${reason}; export the model again.`);
}

/** A loaded model, ready to run on ONNX Runtime. */
export interface Model {
  readonly description: ModelDescription;
  run(inputs: Readonly<Record<string, TypedArray>>): Promise<Record<string, TypedArray>>;
  dispose(): Promise<void>;
}

/** Loads a model from the bytes of an `.onnx` file. `source` names the file in errors. */
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
    inputs: specs(description.inputs),
    outputs: specs(description.outputs),
    state: [],
  };
  const { openModel } = await import("../native.ts");
  const executable = new CheckedExecutable(signature, await openModel(bytes, signature, threads));
  return { description, run: (inputs) => executable.run(inputs), dispose: () => executable.dispose() };
}

/** Human-readable description of a model: inputs, outputs and metadata. */
export function describeModel(model: ModelDescription): string {
  const line = (port: PortDescription) => `  ${port.name}: ${port.description || describeSpec(port)}`;
  const metadata = Object.entries(model.metadata).filter(([name]) => name !== `${PRODUCER}.format`);
  return [
    `${model.name}: ${model.description}`,
    `opset ${model.opset}, standard operators only`,
    "inputs",
    ...model.inputs.map(line),
    "outputs",
    ...model.outputs.map(line),
    ...(metadata.length > 0 ? ["facts", ...metadata.map(([name, value]) => `  ${name}: ${value}`)] : []),
  ].join("\n");
}
