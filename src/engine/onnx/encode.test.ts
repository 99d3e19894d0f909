// Tests of encoded models: their bytes by the field numbers of onnx.proto, and that ONNX Runtime reads them.

import { describe, expect, test } from "vitest";
import { spec } from "../dtype.ts";
import { openModel } from "../native.ts";
import { encodeModel } from "./encode.ts";
import type { AttributeValue, OnnxInitializer, OnnxModel, OnnxNode } from "./model.ts";

const port = (name: string, shape: readonly number[]) =>
  ({ name, type: "float32", shape, description: "" }) as const;

function modelOf(nodes: readonly OnnxNode[], initializers: readonly OnnxInitializer[] = []): OnnxModel {
  return {
    name: "g",
    opset: 18,
    description: "",
    nodes,
    initializers,
    inputs: [port("x", [2])],
    outputs: [port("y", [2])],
    metadata: {},
  };
}

const node = (
  operator: string,
  inputs: string[],
  attributes: Record<string, AttributeValue> = {},
): OnnxNode => ({
  operator,
  inputs,
  outputs: ["y"],
  attributes,
});

const text = (s: string) => [...new TextEncoder().encode(s)];
/** A length-delimited field of up to 127 bytes: tag, length, bytes. */
const field = (number: number, bytes: readonly number[]) => [(number << 3) | 2, bytes.length, ...bytes];

/** Position of a byte sequence in an array, or -1. */
function find(bytes: Uint8Array, sequence: readonly number[]): number {
  return bytes.findIndex((_, at) => sequence.every((byte, k) => bytes[at + k] === byte));
}

test("a small model is encoded as the expected bytes", () => {
  const bytes = encodeModel({ ...modelOf([node("Neg", ["x"])]), description: "d", metadata: { k: "v" } });
  const tensorType = [0x08, 1, ...field(2, field(1, [0x08, 2]))]; // float, one dimension of 2
  const portBytes = (name: string) => [
    ...field(1, text(name)),
    ...field(2, field(1, tensorType)),
    ...field(3, []),
  ];
  const nodeBytes = [
    ...field(1, text("x")),
    ...field(2, text("y")),
    ...field(3, text("Neg_y")),
    ...field(4, text("Neg")),
  ];
  const graph = [
    ...field(1, nodeBytes),
    ...field(2, text("g")),
    ...field(11, portBytes("x")),
    ...field(12, portBytes("y")),
  ];
  const expected = [
    ...[0x08, 8], // ir_version
    ...field(2, text("gflownet")), // producer_name
    ...field(6, text("d")), // doc_string
    ...field(7, graph),
    ...field(8, [...field(1, []), 0x10, 18]), // operator set of the standard domain
    ...field(14, [...field(1, text("k")), ...field(2, text("v"))]), // metadata
  ];
  expect([...bytes]).toEqual(expected);
});

describe("attributes", () => {
  const cases: [name: string, value: AttributeValue, bytes: number[]][] = [
    ["an integer", 5, [0x18, 5, 0xa0, 1, 2]],
    ["a negative number", -1, [0x18, ...new Array<number>(9).fill(0xff), 1, 0xa0, 1, 2]],
    ["a large number", 300, [0x18, 0xac, 2, 0xa0, 1, 2]],
    ["a float", { float: 1.5 }, [0x15, 0, 0, 0xc0, 0x3f, 0xa0, 1, 1]],
    ["a string", "add", [...field(4, text("add")), 0xa0, 1, 3]],
    ["a list", [1, 0, 2], [0x40, 1, 0x40, 0, 0x40, 2, 0xa0, 1, 7]],
  ];

  test.each(cases)("%s is encoded with its type", (_, value, bytes) => {
    const model = encodeModel(modelOf([node("Op", ["x"], { a: value })]));
    expect(find(model, field(5, [...field(1, text("a")), ...bytes]))).toBeGreaterThan(0);
  });
});

describe("constants", () => {
  test("are encoded with shape, type, name and little-endian bytes", () => {
    const c = { name: "c", type: "int32", shape: [2, 1], data: Int32Array.of(1, -2) } as const;
    const expected = [
      0x08,
      2,
      0x08,
      1,
      0x10,
      6,
      ...field(8, text("c")),
      ...field(9, [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff]),
    ];
    expect(find(encodeModel(modelOf([], [c])), field(5, expected))).toBeGreaterThan(0);
  });

  test("that are subarrays are encoded without the rest of their buffer", () => {
    const data = Float32Array.of(9, 1, 2, 9).subarray(1, 3);
    const c = { name: "c", type: "float32", shape: [2], data } as const;
    const expected = field(9, [0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    expect(find(encodeModel(modelOf([], [c])), expected)).toBeGreaterThan(0);
  });

  test("longer than 127 bytes have a length of two bytes", () => {
    const c = { name: "c", type: "bool", shape: [300], data: new Uint8Array(300) } as const;
    expect(find(encodeModel(modelOf([], [c])), [(9 << 3) | 2, 0xac, 2, 0])).toBeGreaterThan(0);
  });
});

describe("ONNX Runtime reads", () => {
  const signature = { name: "g", inputs: { x: spec([2]) }, outputs: { y: spec([2]) }, state: [] };

  async function run(model: OnnxModel): Promise<number[]> {
    const executable = await openModel(encodeModel(model), signature, 1);
    const { y } = await executable.run({ x: Float32Array.of(3, -4) });
    await executable.dispose();
    return [...y];
  }

  test("a node with a constant", async () => {
    const c = { name: "größe", type: "float32", shape: [], data: Float32Array.of(0.5) } as const;
    expect(await run(modelOf([node("Mul", ["x", "größe"])], [c]))).toEqual([1.5, -2]);
  });

  test("attributes of every kind", async () => {
    expect(await run(modelOf([node("LeakyRelu", ["x"], { alpha: { float: 0.25 } })]))).toEqual([3, -1]);
    expect(await run(modelOf([node("Transpose", ["x"], { perm: [0] })]))).toEqual([3, -4]);
    expect(await run(modelOf([node("Softmax", ["x"], { axis: -1 })]))).toEqual([
      expect.closeTo(1 / (1 + Math.exp(-7)), 6),
      expect.closeTo(1 / (1 + Math.exp(7)), 6),
    ]);
    const index = { name: "i", type: "int64", shape: [2], data: BigInt64Array.of(1n, 1n) } as const;
    const scatter = node("ScatterElements", ["x", "i", "x"], { axis: 0, reduction: "add" });
    expect(await run(modelOf([scatter], [index]))).toEqual([3, -4 + 3 - 4]);
  });
});
