// Named arrays and plain data as bytes: a safetensors file whose metadata has the data as JSON, and a checksum.

import { ModelFileError } from "../engine/index.ts";
import { checksumText } from "./crc32.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor, type TensorData } from "./safetensors.ts";
import type { TensorDtype } from "./safetensors-header.ts";

export interface SavedState {
  readonly arrays: Readonly<Record<string, TensorData>>;
  /** Anything that JSON can hold. */
  readonly data: unknown;
}

const DTYPES: Readonly<Record<string, TensorDtype>> = {
  Float64Array: "F64",
  Float32Array: "F32",
  Int32Array: "I32",
  Uint32Array: "U32",
  Uint8Array: "U8",
};

/** `kind` says what the state belongs to, and must be the same when it is decoded. */
export function encodeState(kind: string, { arrays, data }: SavedState): Uint8Array<ArrayBuffer> {
  const tensors = Object.entries(arrays).map(([name, array]): [string, StoredTensor] => [
    name,
    { dtype: DTYPES[array.constructor.name], shape: [array.length], data: array },
  ]);
  const stored = Object.fromEntries(tensors);
  const metadata = { library: "gflownet", kind, data: JSON.stringify(data) };
  return encodeSafetensors(stored, { ...metadata, checksum: checksumOf(stored, metadata) });
}

/** `where` is the name of the state in errors. Throws a ModelFileError if it is damaged or of another kind. */
export function decodeState(kind: string, bytes: Uint8Array, where: string): SavedState {
  const { tensors, metadata } = decodeSafetensors(bytes, where);
  const { checksum, ...rest } = metadata;
  if (rest.library !== "gflownet" || rest.kind !== kind) {
    throw new ModelFileError(`${where} must be the state of ${kind}, got ${rest.kind ?? "something else"}.`);
  }
  if (checksum !== checksumOf(tensors, rest))
    throw new ModelFileError(`${where} is damaged: its checksum is wrong.`);
  const arrays = Object.entries(tensors).map(([name, { data }]) => [name, data] as const);
  return { arrays: Object.fromEntries(arrays), data: JSON.parse(rest.data) };
}

/** An array of a state. Throws a ModelFileError if it is missing or of another type. */
export function arrayOf<T extends TensorData>(
  { arrays }: SavedState,
  name: string,
  type: new (length: number) => T,
  where: string,
): T {
  const array = Object.hasOwn(arrays, name) ? arrays[name] : undefined;
  if (array instanceof type) return array;
  throw new ModelFileError(`${where} is damaged: it lacks the array ${name}.`);
}

function checksumOf(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>>,
): string {
  return checksumText(encodeSafetensors(tensors, metadata));
}
