// Checkpoints that are wrong and whose checksum is right: what damage does not make, and someone else's program may.

import { crc32 } from "../../src/gfn/checksum.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type StoredTensor,
  type TensorData,
} from "../../src/gfn/safetensors.ts";
import { damagedText } from "./damage.ts";
import { type Chance, EXTREME } from "./random.ts";

type Tensors = Record<string, StoredTensor>;
type Metadata = Record<string, string>;

/** One to three changes, and the checksum of the result. */
export function resealed(bytes: Uint8Array, chance: Chance): Uint8Array {
  const file = decodeSafetensors(bytes, "original");
  const tensors: Tensors = { ...file.tensors };
  const { checksum: _, ...metadata } = file.metadata;
  for (let n = chance.between(1, 3); n > 0; n--) chance.pick(CHANGES)(tensors, metadata, chance);
  const checksum = crc32(encodeSafetensors(tensors, metadata)).toString(16).padStart(8, "0");
  return encodeSafetensors(tensors, { ...metadata, checksum });
}

const CHANGES: readonly ((tensors: Tensors, metadata: Metadata, chance: Chance) => void)[] = [
  (_, metadata, chance) => {
    const name = chance.pick(Object.keys(metadata));
    metadata[name] = Buffer.from(damagedText(metadata[name], chance)).toString();
  },
  (_, metadata, chance) => {
    const name = chance.pick(["run", "streams", "buffers", "about"].filter((key) => key in metadata));
    if (name) metadata[name] = withOtherNumber(metadata[name], chance);
  },
  (_, metadata, chance) => {
    delete metadata[chance.pick(Object.keys(metadata))];
  },
  (tensors, _, chance) => {
    delete tensors[chance.pick(Object.keys(tensors))];
  },
  (tensors, _, chance) => {
    const name = chance.pick(Object.keys(tensors));
    tensors[chance.pick([`${name}x`, "__proto__", "constructor", "", "policy", "oracle.objects"])] =
      tensors[name];
  },
  (tensors, _, chance) => {
    // A number becomes another.
    const name = chance.pick(Object.keys(tensors));
    const { data, ...about } = tensors[name];
    const copy = data.slice();
    if (copy.length > 0)
      copy[chance.below(copy.length)] = chance.pick([...EXTREME, chance.below(9), -2, -1e9]);
    tensors[name] = { ...about, data: copy };
  },
  (tensors, _, chance) => {
    // Longer, shorter, or none.
    const name = chance.pick(Object.keys(tensors));
    const { data, dtype } = tensors[name];
    const length = chance.pick([0, 1, Math.max(0, data.length - 1), data.length + 1, 2 * data.length]);
    const copy = new (data.constructor as new (length: number) => TensorData)(length);
    copy.set(data.subarray(0, length) as never);
    tensors[name] = { dtype, shape: [length], data: copy };
  },
  (tensors, _, chance) => {
    // Of another type.
    const name = chance.pick(Object.keys(tensors));
    const { data, shape } = tensors[name];
    tensors[name] = chance.pick<() => StoredTensor>([
      () => ({ dtype: "F32", shape, data: Float32Array.from(data) }),
      () => ({ dtype: "I32", shape, data: Int32Array.from(data) }),
      () => ({ dtype: "F64", shape, data: Float64Array.from(data) }),
      () => ({ dtype: "U8", shape, data: Uint8Array.from(data) }),
    ])();
  },
  (tensors, _, chance) => {
    const [a, b] = [chance.pick(Object.keys(tensors)), chance.pick(Object.keys(tensors))];
    [tensors[a], tensors[b]] = [tensors[b], tensors[a]];
  },
];

function withOtherNumber(text: string, chance: Chance): string {
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return text;
  const { index, 0: number } = chance.pick(numbers);
  const other = chance.pick(["0", "-1", "1.5", "1e9", "4294967296", "9007199254740991", "null", '"1"', "[]"]);
  return text.slice(0, index) + other + text.slice(index + number.length);
}
