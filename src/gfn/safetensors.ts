// The safetensors format, for bytes in memory: a length, a JSON header, and the numbers of all tensors, little-endian.
//
// https://github.com/huggingface/safetensors. Numbers are copied as they lie in memory, which is little-endian wherever
// JavaScript runs today.

import { ModelFileError } from "../engine/index.ts";
import {
  ITEM_SIZES,
  METADATA,
  parseHeader,
  type TensorPlace,
  type TensorType,
} from "./safetensors-header.ts";

export type TensorData = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

export interface StoredTensor {
  readonly dtype: TensorType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface Safetensors {
  readonly tensors: Readonly<Record<string, StoredTensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

const ARRAYS = { F64: Float64Array, F32: Float32Array, I32: Int32Array, U32: Uint32Array, U8: Uint8Array };

/** Bytes before the header, which hold its length. */
const PREFIX = 8;
/** The data begins at a multiple of it, and so does every number at a multiple of its size. */
const ALIGNMENT = 8;
const LARGEST_HEADER = 100_000_000;

/** The same tensors and metadata give the same bytes, in whatever order they are named. */
export function encodeSafetensors(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const named = Object.entries(tensors).sort(largestItemsFirst);
  const notes = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  let at = 0;
  const places = named.map(([name, tensor]): TensorPlace => {
    checkTensor(name, tensor);
    const begin = at;
    at += tensor.data.byteLength;
    return { name, dtype: tensor.dtype, shape: tensor.shape, begin, end: at };
  });
  const entries = places.map(
    ({ name, dtype, shape, begin, end }) => [name, { dtype, shape, data_offsets: [begin, end] }] as const,
  );
  const header = Object.fromEntries<unknown>([
    ...(notes.length > 0 ? [[METADATA, Object.fromEntries(notes)] as const] : []),
    ...entries,
  ]);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerSize = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  if (headerSize > LARGEST_HEADER) {
    throw new RangeError(
      `a safetensors header has at most ${LARGEST_HEADER} bytes, and this has ${headerSize}`,
    );
  }
  const bytes = new Uint8Array(PREFIX + headerSize + at);
  new DataView(bytes.buffer).setUint32(0, headerSize, true);
  bytes.set(text, PREFIX);
  bytes.fill(" ".charCodeAt(0), PREFIX + text.length, PREFIX + headerSize);
  places.forEach(({ begin }, i) => {
    const { data } = named[i][1];
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), PREFIX + headerSize + begin);
  });
  return bytes;
}

/** Reads bytes of a file, which errors call `where`. Throws a ModelFileError of one sentence if they are not whole. */
export function decodeSafetensors(bytes: Uint8Array, where: string): Safetensors {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelFileError(`${where} is not a whole safetensors file: ${error.message}.`, { cause: error });
  }
}

function decode(bytes: Uint8Array): Safetensors {
  if (bytes.length < PREFIX) throw new RangeError(`it has ${bytes.length} bytes and no header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, PREFIX);
  const headerSize = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (headerSize > LARGEST_HEADER) {
    throw new RangeError(`its header would have ${headerSize} bytes; ${LARGEST_HEADER} is the most`);
  }
  const dataSize = bytes.length - PREFIX - headerSize;
  if (dataSize < 0) {
    throw new RangeError(`its header would have ${headerSize} bytes, and ${bytes.length - PREFIX} are there`);
  }
  const start = PREFIX + headerSize;
  const { places, metadata } = parseHeader(bytes.subarray(PREFIX, start), dataSize);
  const tensors = places.map(({ name, dtype, shape, begin, end }) => {
    // A copy of its own: the bytes may lie at any address, and may be one piece of something larger.
    const { buffer } = new Uint8Array(bytes.subarray(start + begin, start + end));
    return [name, { dtype, shape, data: new ARRAYS[dtype](buffer) }] as const;
  });
  return { tensors: Object.fromEntries(tensors), metadata };
}

/** So that every number lies at a multiple of its size; then by name. */
function largestItemsFirst([a, one]: [string, StoredTensor], [b, other]: [string, StoredTensor]): number {
  return ITEM_SIZES[other.dtype] - ITEM_SIZES[one.dtype] || (a < b ? -1 : 1);
}

function checkTensor(name: string, { dtype, shape, data }: StoredTensor): void {
  if (name === METADATA) throw new RangeError(`a tensor may not be called ${METADATA}`);
  const size = shape.reduce((product, extent) => product * extent, 1);
  if (data instanceof ARRAYS[dtype] && data.length === size) return;
  throw new RangeError(
    `tensor ${name} is said to be ${dtype} [${shape.join(", ")}], and is ${data.constructor.name} of ${data.length}`,
  );
}
