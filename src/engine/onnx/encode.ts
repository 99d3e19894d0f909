// Encodes an ONNX model as protocol-buffer bytes. Field numbers are those of onnx.proto.

import {
  type AttributeValue,
  ELEMENT_TYPES,
  type OnnxInitializer,
  type OnnxModel,
  type OnnxNode,
  type OnnxPort,
} from "./model.ts";

export const PRODUCER = "gflownet";

/** Version of the ONNX file format that belongs to an operator set. */
function formatRevision(opset: number): number {
  return opset <= 18 ? 8 : 13;
}

const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 } as const;

/** The bytes of a `.onnx` file. */
export function encodeModel(model: OnnxModel): Uint8Array {
  const writer = new Writer();
  writer.integer(1, formatRevision(model.opset));
  writer.string(2, PRODUCER);
  writer.string(6, model.description);
  writer.message(7, (graph) => {
    for (const node of model.nodes) graph.message(1, (field) => writeNode(field, node));
    graph.string(2, model.name);
    for (const tensor of model.initializers) graph.message(5, (field) => writeInitializer(field, tensor));
    for (const port of model.inputs) graph.message(11, (field) => writePort(field, port));
    for (const port of model.outputs) graph.message(12, (field) => writePort(field, port));
  });
  writer.message(8, (opset) => {
    opset.string(1, "");
    opset.integer(2, model.opset);
  });
  for (const [key, value] of Object.entries(model.metadata)) {
    writer.message(14, (entry) => {
      entry.string(1, key);
      entry.string(2, value);
    });
  }
  return writer.bytes();
}

function writeNode(writer: Writer, node: OnnxNode): void {
  for (const name of node.inputs) writer.string(1, name);
  for (const name of node.outputs) writer.string(2, name);
  writer.string(3, `${node.operator}_${node.outputs[0]}`);
  writer.string(4, node.operator);
  for (const [name, value] of Object.entries(node.attributes)) {
    writer.message(5, (attribute) => writeAttribute(attribute, name, value));
  }
}

function writeAttribute(writer: Writer, name: string, value: AttributeValue): void {
  writer.string(1, name);
  if (typeof value === "string") {
    writer.string(4, value);
    writer.integer(20, ATTRIBUTE_TYPE.string);
  } else if (typeof value === "number") {
    writer.integer(3, value);
    writer.integer(20, ATTRIBUTE_TYPE.int);
  } else if ("float" in value) {
    writer.float(2, value.float);
    writer.integer(20, ATTRIBUTE_TYPE.float);
  } else {
    for (const integer of value) writer.integer(8, integer);
    writer.integer(20, ATTRIBUTE_TYPE.ints);
  }
}

function writeInitializer(writer: Writer, { name, type, shape, data }: OnnxInitializer): void {
  for (const extent of shape) writer.integer(1, extent);
  writer.integer(2, ELEMENT_TYPES[type]);
  writer.string(8, name);
  writer.raw(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

function writePort(writer: Writer, { name, type, shape, description }: OnnxPort): void {
  writer.string(1, name);
  writer.message(2, (typeField) =>
    typeField.message(1, (tensor) => {
      tensor.integer(1, ELEMENT_TYPES[type]);
      tensor.message(2, (shapeField) => {
        for (const extent of shape) shapeField.message(1, (dimension) => dimension.integer(1, extent));
      });
    }),
  );
  writer.string(3, description);
}

const UTF8 = new TextEncoder();

/** Protocol-buffer wire format: varints, length-delimited fields, little-endian floats. */
class Writer {
  readonly #parts: Uint8Array[] = [];

  integer(field: number, value: number): void {
    this.#tag(field, 0);
    if (value >= 0) this.#varint(value);
    else this.#negative(value);
  }

  float(field: number, value: number): void {
    this.#tag(field, 5);
    this.#parts.push(new Uint8Array(Float32Array.of(value).buffer));
  }

  string(field: number, value: string): void {
    this.raw(field, UTF8.encode(value));
  }

  message(field: number, write: (writer: Writer) => void): void {
    const inner = new Writer();
    write(inner);
    this.raw(field, inner.bytes());
  }

  raw(field: number, bytes: Uint8Array): void {
    this.#tag(field, 2);
    this.#varint(bytes.length);
    this.#parts.push(bytes);
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of this.#parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  }

  #tag(field: number, wireType: number): void {
    this.#varint((field << 3) | wireType);
  }

  #varint(value: number): void {
    const bytes: number[] = [];
    let rest = value;
    while (rest > 0x7f) {
      bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    bytes.push(rest);
    this.#parts.push(Uint8Array.from(bytes));
  }

  /** A negative integer is written as its two's complement of 64 bits. */
  #negative(value: number): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#parts.push(Uint8Array.from(bytes));
  }
}
