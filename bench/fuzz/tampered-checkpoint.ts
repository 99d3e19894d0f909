// Modified checkpoints with a valid checksum, as another program could write them. Random damage never produces such
// checkpoints, because their checksum would be wrong.

import { crc32 } from "../../src/formats/crc32.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type StoredTensor,
  type TensorData,
} from "../../src/formats/safetensors.ts";
import { damagedText } from "./damage.ts";
import { EXTREME_NUMBERS, type Random } from "./random.ts";

type Tensors = Record<string, StoredTensor>;
type Metadata = Record<string, string>;

/** Applies one to three changes and updates the checksum. */
export function tamperedCheckpoint(bytes: Uint8Array, random: Random): Uint8Array {
  const file = decodeSafetensors(bytes, "original");
  const tensors: Tensors = { ...file.tensors };
  const { checksum: _, ...metadata } = file.metadata;
  for (let n = random.between(1, 3); n > 0; n--) random.pick(CHANGES)(tensors, metadata, random);
  const checksum = crc32(encodeSafetensors(tensors, metadata)).toString(16).padStart(8, "0");
  return encodeSafetensors(tensors, { ...metadata, checksum });
}

const CHANGES: readonly ((tensors: Tensors, metadata: Metadata, random: Random) => void)[] = [
  (_, metadata, random) => {
    const name = random.pick(Object.keys(metadata));
    metadata[name] = Buffer.from(damagedText(metadata[name], random)).toString();
  },
  (_, metadata, random) => {
    const name = random.pick(["run", "streams", "buffers", "about"].filter((key) => key in metadata));
    if (name) metadata[name] = replaceNumber(metadata[name], random);
  },
  (_, metadata, random) => {
    delete metadata[random.pick(Object.keys(metadata))];
  },
  (tensors, _, random) => {
    delete tensors[random.pick(Object.keys(tensors))];
  },
  (tensors, _, random) => {
    const name = random.pick(Object.keys(tensors));
    tensors[random.pick([`${name}x`, "__proto__", "constructor", "", "policy", "oracle.objects"])] =
      tensors[name];
  },
  (tensors, _, random) => {
    // Replace one number.
    const name = random.pick(Object.keys(tensors));
    const { data, ...about } = tensors[name];
    const copy = data.slice();
    if (copy.length > 0)
      copy[random.below(copy.length)] = random.pick([...EXTREME_NUMBERS, random.below(9), -2, -1e9]);
    tensors[name] = { ...about, data: copy };
  },
  (tensors, _, random) => {
    // Change the length.
    const name = random.pick(Object.keys(tensors));
    const { data, dtype } = tensors[name];
    const length = random.pick([0, 1, Math.max(0, data.length - 1), data.length + 1, 2 * data.length]);
    const copy = new (data.constructor as new (length: number) => TensorData)(length);
    copy.set(data.subarray(0, length) as never);
    tensors[name] = { dtype, shape: [length], data: copy };
  },
  (tensors, _, random) => {
    // Change the dtype.
    const name = random.pick(Object.keys(tensors));
    const { data, shape } = tensors[name];
    tensors[name] = random.pick<() => StoredTensor>([
      () => ({ dtype: "F32", shape, data: Float32Array.from(data) }),
      () => ({ dtype: "I32", shape, data: Int32Array.from(data) }),
      () => ({ dtype: "F64", shape, data: Float64Array.from(data) }),
      () => ({ dtype: "U8", shape, data: Uint8Array.from(data) }),
    ])();
  },
  (tensors, _, random) => {
    const [a, b] = [random.pick(Object.keys(tensors)), random.pick(Object.keys(tensors))];
    [tensors[a], tensors[b]] = [tensors[b], tensors[a]];
  },
];

function replaceNumber(text: string, random: Random): string {
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return text;
  const { index, 0: number } = random.pick(numbers);
  const replacement = random.pick([
    "0",
    "-1",
    "1.5",
    "1e9",
    "4294967296",
    "9007199254740991",
    "null",
    '"1"',
    "[]",
  ]);
  return text.slice(0, index) + replacement + text.slice(index + number.length);
}
