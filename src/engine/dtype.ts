// Element types of the engine, and the typed arrays that hold them on the host.

/** The type of the elements of an array. */
export type DType = "float32" | "int32" | "uint32" | "bool";

/** An array on the host, as programs take and return it. Booleans are a Uint8Array of 0 and 1. */
export type TypedArray = Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Typed array of each dtype. Booleans are bytes that hold 0 or 1. */
const constructors = {
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
} as const;

/** Shape and element type of an array. Programs are compiled for inputs of fixed specs. */
export interface ArraySpec {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** Spec of an array: `spec([8, 4])` stands for a float32 array of shape [8, 4]. */
export function spec(shape: readonly number[], dtype: DType = "float32"): ArraySpec {
  return { shape, dtype };
}

export function isDType(name: string): name is DType {
  return name in constructors;
}

/** Number of elements of an array of this shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

export function bytesOf({ shape, dtype }: ArraySpec): number {
  return sizeOf(shape) * constructors[dtype].BYTES_PER_ELEMENT;
}

/** Typed array of zeros with the size and dtype of a spec. */
export function allocate({ shape, dtype }: ArraySpec): TypedArray {
  return new constructors[dtype](sizeOf(shape));
}

/** Typed array of a dtype with these numbers. */
export function hostArray(dtype: DType, values: ArrayLike<number>): TypedArray {
  return constructors[dtype].from(values);
}

/** Whether the value is a typed array of this dtype. */
export function isHostArray(dtype: DType, array: unknown): array is TypedArray {
  return array instanceof constructors[dtype];
}

/** Text of a spec in errors and printed graphs, such as `float32[8, 4]`. */
export function describeSpec({ shape, dtype }: ArraySpec): string {
  return `${dtype}[${shape.join(", ")}]`;
}
