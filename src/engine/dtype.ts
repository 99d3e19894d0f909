// Element types of the engine and the host arrays that hold them.

export type DType = "float32" | "int32" | "uint32" | "bool";

export type TypedArray = Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Host arrays by dtype; booleans are bytes holding 0 or 1. */
const constructors = {
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  bool: Uint8Array,
} as const;

/** Shape and element type of an array: what a program is compiled for. */
export interface ArraySpec {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** `spec([8, 4])` is a float32 array of that shape. */
export function spec(shape: readonly number[], dtype: DType = "float32"): ArraySpec {
  return { shape, dtype };
}

export function isDType(name: string): name is DType {
  return name in constructors;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

export function bytesOf({ shape, dtype }: ArraySpec): number {
  return sizeOf(shape) * constructors[dtype].BYTES_PER_ELEMENT;
}

/** A zeroed host array for a spec. */
export function allocate({ shape, dtype }: ArraySpec): TypedArray {
  return new constructors[dtype](sizeOf(shape));
}

/** Host array of a dtype holding the given numbers. */
export function hostArray(dtype: DType, values: ArrayLike<number>): TypedArray {
  return constructors[dtype].from(values);
}

/** Whether a host array is the one that carries this dtype. */
export function holds(dtype: DType, array: unknown): array is TypedArray {
  return array instanceof constructors[dtype];
}

/** `float32[8, 4]`, as errors and printed programs write it. */
export function describe({ shape, dtype }: ArraySpec): string {
  return `${dtype}[${shape.join(", ")}]`;
}
