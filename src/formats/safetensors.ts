// Encodes and decodes the safetensors format (https://github.com/huggingface/safetensors): the length of the header, the
// header as JSON, and the numbers of all tensors, little-endian.
//
// Numbers are copied in the byte order of the machine, which is little-endian wherever JavaScript runs today.

import { ModelFileError } from "../engine/index.ts";
import {
  DTYPE_SIZES,
  METADATA_KEY,
  parseHeader,
  type TensorDtype,
  type TensorEntry,
} from "./safetensors-header.ts";

export type TensorData = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

/** One tensor of a safetensors file. */
export interface StoredTensor {
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface Safetensors {
  readonly tensors: Readonly<Record<string, StoredTensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

const ARRAYS = { F64: Float64Array, F32: Float32Array, I32: Int32Array, U32: Uint32Array, U8: Uint8Array };

/** Number of bytes before the header, which hold the length of the header. */
const PREFIX = 8;
/** The data starts at a multiple of this number of bytes, so that every element lies at a multiple of its size. */
const ALIGNMENT = 8;
const MAX_HEADER = 100_000_000;

/**
 * Encodes tensors and metadata as the bytes of a safetensors file. Equal tensors and metadata give equal bytes,
 * regardless of the order of their keys.
 *
 * @example
 * ```ts
 * import { decodeSafetensors, encodeSafetensors } from "gflownet/formats";
 *
 * const bytes = encodeSafetensors({ w: { dtype: "F32", shape: [2], data: Float32Array.of(1, 2) } }, { by: "me" });
 * const { tensors, metadata } = decodeSafetensors(bytes, "w.safetensors");
 * console.log(tensors.w.data.join(" "), metadata.by); // 1 2 me
 * ```
 */
export function encodeSafetensors(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const sorted = Object.entries(tensors).sort(byItemSize);
  const sortedMetadata = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  let offset = 0;
  const entries = sorted.map(([name, tensor]): TensorEntry => {
    checkTensor(name, tensor);
    const begin = offset;
    offset += tensor.data.byteLength;
    return { name, dtype: tensor.dtype, shape: tensor.shape, begin, end: offset };
  });
  const header = Object.fromEntries<unknown>([
    ...(sortedMetadata.length > 0 ? [[METADATA_KEY, Object.fromEntries(sortedMetadata)] as const] : []),
    ...entries.map(
      ({ name, dtype, shape, begin, end }) => [name, { dtype, shape, data_offsets: [begin, end] }] as const,
    ),
  ]);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerSize = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  if (headerSize > MAX_HEADER) {
    throw new RangeError(`a safetensors header must have at most ${MAX_HEADER} bytes, got ${headerSize}`);
  }
  const bytes = new Uint8Array(PREFIX + headerSize + offset);
  new DataView(bytes.buffer).setUint32(0, headerSize, true);
  bytes.set(text, PREFIX);
  bytes.fill(" ".charCodeAt(0), PREFIX + text.length, PREFIX + headerSize);
  entries.forEach(({ begin }, i) => {
    const { data } = sorted[i][1];
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), PREFIX + headerSize + begin);
  });
  return bytes;
}

/** Reads the bytes of a file. `where` is the name of the file in errors. Throws a ModelFileError if it is not valid. */
export function decodeSafetensors(bytes: Uint8Array, where: string): Safetensors {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelFileError(`${where} is not a valid safetensors file: ${error.message}.`, { cause: error });
  }
}

function decode(bytes: Uint8Array): Safetensors {
  if (bytes.length < PREFIX) throw new RangeError(`it has ${bytes.length} bytes and no header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, PREFIX);
  const headerSize = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (headerSize > MAX_HEADER) {
    throw new RangeError(`its header must have at most ${MAX_HEADER} bytes, got ${headerSize}`);
  }
  const dataSize = bytes.length - PREFIX - headerSize;
  if (dataSize < 0) {
    throw new RangeError(
      `its header should have ${headerSize} bytes, but only ${bytes.length - PREFIX} are present`,
    );
  }
  const start = PREFIX + headerSize;
  const { entries, metadata } = parseHeader(bytes.subarray(PREFIX, start), dataSize);
  const tensors = entries.map(({ name, dtype, shape, begin, end }) => {
    // The data are copied, because the bytes may be unaligned and part of a larger buffer.
    const { buffer } = new Uint8Array(bytes.subarray(start + begin, start + end));
    return [name, { dtype, shape, data: new ARRAYS[dtype](buffer) }] as const;
  });
  return { tensors: Object.fromEntries(tensors), metadata };
}

/** Sorts by decreasing item size, so that every number lies at a multiple of its size, and then by name. */
function byItemSize([a, one]: [string, StoredTensor], [b, other]: [string, StoredTensor]): number {
  return DTYPE_SIZES[other.dtype] - DTYPE_SIZES[one.dtype] || (a < b ? -1 : 1);
}

function checkTensor(name: string, { dtype, shape, data }: StoredTensor): void {
  if (name === METADATA_KEY) throw new RangeError(`a tensor must not have the name ${METADATA_KEY}`);
  const size = shape.reduce((product, extent) => product * extent, 1);
  if (data instanceof ARRAYS[dtype] && data.length === size) return;
  throw new RangeError(
    `the data of tensor ${name} must be ${dtype} [${shape.join(", ")}], got ${data.constructor.name} of length ${data.length}`,
  );
}
