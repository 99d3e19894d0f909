// Decodes the description of an `.onnx` file: producer, operator set, inputs, outputs and metadata.
//
// The computation itself is not decoded; ONNX Runtime reads it. Damaged files are detected here, because the error
// messages of ONNX Runtime for such files are unclear.

import type { ArraySpec } from "../dtype.ts";
import { PRODUCER } from "./encode.ts";
import { ELEMENT_TYPES } from "./model.ts";

/** An input or output of an `.onnx` model. */
export interface PortDescription extends ArraySpec {
  readonly name: string;
  readonly description: string;
}

/** What an `.onnx` file contains: inputs, outputs and metadata. */
export interface ModelDescription {
  readonly name: string;
  readonly description: string;
  readonly producer: string;
  readonly opset: number;
  readonly inputs: readonly PortDescription[];
  readonly outputs: readonly PortDescription[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Thrown for a model of another program, whose inputs and outputs this library may not support. */
export class ForeignModelError extends Error {
  readonly producer: string;

  constructor(producer: string) {
    super(`written by ${producer}`);
    this.producer = producer;
  }
}

/** Throws a RangeError with the reason if the bytes are not a complete ONNX model. */
export function decodeModel(bytes: Uint8Array): ModelDescription {
  const model = fields(bytes);
  const graphBytes = model.get(7)?.[0];
  if (!(graphBytes instanceof Uint8Array)) throw new RangeError("it holds no ONNX graph");
  const producer = text(model, 2);
  if (producer !== PRODUCER) throw new ForeignModelError(producer);
  const graph = fields(graphBytes);
  const opsets = messages(model, 8).filter((opset) => text(opset, 1) === "");
  return {
    name: text(graph, 2),
    description: text(model, 6),
    producer,
    opset: opsets.length > 0 ? integer(opsets[0], 2) : 0,
    inputs: messages(graph, 11).map(port),
    outputs: messages(graph, 12).map(port),
    metadata: Object.fromEntries(messages(model, 14).map((entry) => [text(entry, 1), text(entry, 2)])),
  };
}

function port(value: Fields): PortDescription {
  const [type] = messages(value, 2);
  const [tensor] = type ? messages(type, 1) : [];
  if (!tensor) throw new RangeError(`${text(value, 1)} is not a tensor`);
  const [shape] = messages(tensor, 2);
  const elementType = integer(tensor, 1);
  const dtype = Object.entries(ELEMENT_TYPES).find(([, code]) => code === elementType)?.[0];
  if (dtype === undefined || dtype === "int64") {
    throw new RangeError(
      `${text(value, 1)} has element type number ${elementType}, which this library does not use`,
    );
  }
  return {
    name: text(value, 1),
    dtype: dtype as ArraySpec["dtype"],
    shape: shape ? messages(shape, 1).map((dimension) => integer(dimension, 1)) : [],
    description: text(value, 3),
  };
}

/** Values by protocol-buffer field number: numbers for wire type 0, bytes for wire type 2. */
type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

function fields(bytes: Uint8Array): Fields {
  const found = new Map<number, (number | Uint8Array)[]>();
  let position = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (position >= bytes.length) throw new RangeError("it ends in the middle of a field");
      const byte = bytes[position++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new RangeError("it is not in the ONNX format");
  };
  const skip = (length: number): number => {
    const start = position;
    if (length < 0 || start + length > bytes.length) throw new RangeError("it ends in the middle of a field");
    position += length;
    return start;
  };
  while (position < bytes.length) {
    const tag = varint();
    const [field, wireType] = [Math.floor(tag / 8), tag % 8];
    let value: number | Uint8Array | undefined;
    if (wireType === 0) value = varint();
    else if (wireType === 1) skip(8);
    else if (wireType === 2) {
      const length = varint();
      const start = skip(length);
      value = bytes.subarray(start, start + length);
    } else if (wireType === 5) skip(4);
    else throw new RangeError("it is not in the ONNX format");
    if (value === undefined) continue;
    const values = found.get(field);
    if (values) values.push(value);
    else found.set(field, [value]);
  }
  return found;
}

function messages(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).flatMap((value) => (value instanceof Uint8Array ? [fields(value)] : []));
}

function text(message: Fields, field: number): string {
  const value = message.get(field)?.[0];
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : "";
}

function integer(message: Fields, field: number): number {
  const value = message.get(field)?.[0];
  return typeof value === "number" ? value : 0;
}
