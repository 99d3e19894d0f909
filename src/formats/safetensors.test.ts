// Tests of safetensors files: round trips, hand-written files, and hundreds of damaged files.

import { describe, expect, test } from "vitest";
import { mutations } from "../../test/support/mutations.ts";
import { ModelFileError } from "../engine/index.ts";
import { crc32 } from "./crc32.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";

const tensors: Record<string, StoredTensor> = {
  weights: { dtype: "F32", shape: [2, 3], data: Float32Array.of(1, -2.5, 1e-40, -0, Math.PI, 3e38) },
  scores: { dtype: "F64", shape: [2], data: Float64Array.of(Math.E, 2 ** -1074) },
  step: { dtype: "I32", shape: [], data: Int32Array.of(-7) },
  words: { dtype: "U32", shape: [1, 2], data: Uint32Array.of(2 ** 32 - 1, 5) },
  bytes: { dtype: "U8", shape: [3], data: Uint8Array.of(1, 0, 255) },
  nothing: { dtype: "F32", shape: [0, 4], data: new Float32Array(0) },
};
const metadata = { library: "test", 'odd "name"\n': "värde \u{1f600}", "10": "ten" };
const valid = encodeSafetensors(tensors, metadata);

/** A hand-written file with this header. */
function file(header: unknown, dataSize = 0): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + dataSize);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

const entry = (begin: number, end: number, changes: object = {}) => ({
  dtype: "F32",
  shape: [(end - begin) / 4],
  data_offsets: [begin, end],
  ...changes,
});

describe("safetensors", () => {
  test("survive a round trip", () => {
    expect(decodeSafetensors(valid, "a.safetensors")).toEqual({ tensors, metadata });
    expect(decodeSafetensors(encodeSafetensors({}), "empty")).toEqual({ tensors: {}, metadata: {} });
  });

  test("are decoded from bytes of any alignment, into newly allocated memory", () => {
    const shifted = Buffer.alloc(valid.length + 3);
    shifted.set(valid, 3);
    const read = decodeSafetensors(shifted.subarray(3), "a.safetensors");
    shifted.fill(0);
    expect(read).toEqual({ tensors, metadata });
  });

  test("have the layout of the format: length, JSON header, data without gaps at multiples of 8", () => {
    const size = new DataView(valid.buffer).getUint32(0, true);
    expect((8 + size) % 8).toBe(0);
    const header = JSON.parse(new TextDecoder().decode(valid.subarray(8, 8 + size)));
    expect(header.__metadata__).toEqual(metadata);
    expect(header.weights).toEqual({ dtype: "F32", shape: [2, 3], data_offsets: [20, 44] });
    expect(header.scores).toEqual({ dtype: "F64", shape: [2], data_offsets: [0, 16] });
    const [begin] = header.weights.data_offsets;
    expect(new DataView(valid.buffer).getFloat32(8 + size + begin + 4, true)).toBe(-2.5);
  });

  test("are encoded as the same bytes for any order of names", () => {
    const reversed = Object.fromEntries(Object.entries(tensors).reverse());
    const reversedMetadata = Object.fromEntries(Object.entries(metadata).reverse());
    expect(encodeSafetensors(reversed, reversedMetadata)).toEqual(valid);
  });

  test("of other programs are decoded for any order of names in the header", () => {
    const bytes = file({ b: entry(4, 8), a: entry(0, 4) }, 8);
    new DataView(bytes.buffer).setFloat32(bytes.length - 4, 3, true);
    expect(decodeSafetensors(bytes, "x").tensors.b.data).toEqual(Float32Array.of(3));
  });

  test("of the reference implementation are decoded", () => {
    // This file was written by safetensors 0.8.0 for Python.
    const bytes = Buffer.from(
      "2AAAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJieSI6InB5dGhvbiJ9LCJzY29yZXMiOnsiZHR5cGUiOiJGNjQiLCJzaGFwZSI6WzFdLCJkYXRhX29mZnNldHMiOlswLDhdfSwid2VpZ2h0cyI6eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpbMiwxXSwiZGF0YV9vZmZzZXRzIjpbOCwxNl19LCJzdGVwIjp7ImR0eXBlIjoiSTMyIiwic2hhcGUiOltdLCJkYXRhX29mZnNldHMiOlsxNiwyMF19fSAgICAgICCamZmZmZm5PwAAgD8AACDA+f///w==",
      "base64",
    );
    expect(decodeSafetensors(bytes, "python.safetensors")).toEqual({
      tensors: {
        step: { dtype: "I32", shape: [], data: Int32Array.of(-7) },
        weights: { dtype: "F32", shape: [2, 1], data: Float32Array.of(1, -2.5) },
        scores: { dtype: "F64", shape: [1], data: Float64Array.of(0.1) },
      },
      metadata: { by: "python" },
    });
  });

  test("may have any name, even __proto__", () => {
    const { tensors: read } = decodeSafetensors(
      file(`{"__proto__": ${JSON.stringify(entry(0, 4))}}`, 4),
      "x",
    );
    expect(Object.keys(read)).toEqual(["__proto__"]);
  });

  test.each<[string, Record<string, StoredTensor>]>([
    ["with data of another type", { a: { dtype: "F64", shape: [1], data: Float32Array.of(1) } }],
    ["with data of another size", { a: { dtype: "F32", shape: [2], data: Float32Array.of(1) } }],
    ["with the name of the metadata", { __metadata__: tensors.step }],
  ])("%s are not encoded", (_, wrong) => {
    expect(() => encodeSafetensors(wrong)).toThrow(RangeError);
  });
});

describe("a safetensors file is refused in one sentence:", () => {
  const twoLists = '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},';
  test.each<[string, Uint8Array, string]>([
    ["nothing", new Uint8Array(0), "it has 0 bytes and no header"],
    ["a truncated length", valid.subarray(0, 7), "it has 7 bytes and no header"],
    ["a truncated header", valid.subarray(0, 50), "but only 42 are present"],
    ["truncated data", valid.subarray(0, valid.length - 1), "ends at 55, but the file has 54 bytes of data"],
    [
      "a huge header",
      Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0),
      "must have at most 100000000 bytes, got 4294967296",
    ],
    ["the largest length", new Uint8Array(8).fill(255), "must have at most 100000000 bytes"],
    ["extra bytes", file({ a: entry(0, 4) }, 5), "1 bytes at its end belong to no tensor"],
    ["a header that is not JSON", file("{nonsense}"), "its header is not JSON"],
    ["a header with a bad escape", file('{"\\x": 1}'), "its header is not JSON"],
    ["a header that does not end", file('{"a'), "its header is not JSON"],
    [
      "a header that is not UTF-8",
      file("{~").map((x) => (x === 126 ? 255 : x)),
      "its header is not UTF-8 text",
    ],
    ["a header that is an array", file([]), "its header is not a JSON object"],
    ["an empty header", file(""), "its header is not a JSON object"],
    ["deep nesting", file(`{"a":${"[".repeat(1e6)}`), "nested too deeply"],
    ["a tensor that is a number", file({ a: 1 }), 'the entry of "a" is not an object'],
    ["a tensor that is an array", file({ a: [] }), 'the entry of "a" is not an object'],
    ["metadata that is null", file({ __metadata__: null }), 'of "__metadata__" is not an object'],
    ["metadata that is a number", file({ __metadata__: { k: 1 } }), '"k" is not a string'],
    ["no dtype", file({ a: entry(0, 4, { dtype: undefined }) }, 4), 'the dtype of "a" is not a string'],
    [
      "another dtype",
      file({ a: entry(0, 4, { dtype: "BF16" }) }, 4),
      'the dtype of "a" must be one of F64, F32, I32, U32, U8, got "BF16"',
    ],
    ["a dtype of JavaScript", file({ a: entry(0, 4, { dtype: "toString" }) }, 4), '"toString"'],
    [
      "a shape that is a number",
      file({ a: entry(0, 4, { shape: 1 }) }, 4),
      'the shape of "a" is not an array',
    ],
    ["a negative size", file({ a: entry(0, 4, { shape: [-1] }) }, 4), 'the shape of "a" is not an array'],
    ["a fractional size", file({ a: entry(0, 4, { shape: [0.5] }) }, 4), 'the shape of "a" is not an array'],
    ["a huge size", file({ a: entry(0, 4, { shape: [1e300] }) }, 4), 'the shape of "a" is not an array'],
    ["sizes that overflow", file({ a: entry(0, 4, { shape: [2 ** 50, 2 ** 50, 0, 2 ** 50] }) }, 4), "need 0"],
    [
      "another shape",
      file({ a: entry(0, 4, { shape: [2] }) }, 4),
      '"a" has 4 bytes, but its shape and dtype need 8',
    ],
    ["one offset", file({ a: entry(0, 4, { data_offsets: [0] }) }, 4), "are not two whole numbers"],
    ["offsets in reverse", file({ a: entry(4, 0, { shape: [1] }) }, 4), "ends at 0, before its start 4"],
    ["an offset out of range", file({ a: entry(0, 8) }, 4), "ends at 8, but the file has 4 bytes of data"],
    ["a far offset", file({ a: entry(2 ** 52, 2 ** 52 + 4) }, 4), "but the file has 4 bytes of data"],
    ["data that overlaps", file({ a: entry(0, 8), b: entry(4, 12) }, 12), 'the data of "b" overlaps'],
    ["data used twice", file({ a: entry(0, 4), b: entry(0, 4) }, 4), 'the data of "b" overlaps'],
    [
      "a gap",
      file({ a: entry(0, 4), b: entry(8, 12) }, 12),
      '4 bytes before the data of "b" belong to no tensor',
    ],
    [
      "a name twice",
      file(`${twoLists}"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4),
      'contains the name "a" twice',
    ],
    [
      "a name twice, once with an escape",
      file(`${twoLists}"\\u0061" : 1}`, 4),
      'contains the name "a" twice',
    ],
    ["a field twice", file('{"a":{"dtype":"F32","dtype":"I32"}}'), 'contains the name "dtype" twice'],
    ["a long name", file({ ["x".repeat(1e5)]: 1 }), `${"x".repeat(60)}…" is not an object`],
  ])("%s", (_, bytes, message) => {
    const read = () => decodeSafetensors(bytes, "runs/7/last.safetensors");
    expect(read).toThrow(ModelFileError);
    expect(read).toThrow(/^runs\/7\/last\.safetensors is not a valid safetensors file: [^\n]{1,200}\.$/);
    expect(read).toThrow(message);
  });
});

test("a damaged safetensors file is either refused or decoded consistently", () => {
  let refused = 0;
  for (const damaged of mutations(valid, 2000, 1)) {
    try {
      const read = decodeSafetensors(damaged, "x");
      // Decoded tensors can be encoded and decoded again, with the same result.
      expect(decodeSafetensors(encodeSafetensors(read.tensors, read.metadata), "x")).toEqual(read);
    } catch (error) {
      expect(error).toBeInstanceOf(ModelFileError);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(1000);
  expect(refused).toBeLessThan(2000);
});

test("crc32 is the CRC-32 of zip", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array(0))).toBe(0);
});
