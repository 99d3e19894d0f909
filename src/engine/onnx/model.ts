// The subset of the ONNX format that this library writes: graphs of standard-domain operators with fixed shapes.

import type { TypedArray } from "../dtype.ts";

/** Element types and their codes in the ONNX format. int64 appears only inside graphs, for indices and shapes. */
export const ELEMENT_TYPES = { float32: 1, int32: 6, int64: 7, bool: 9, uint32: 12 } as const;
export type ElementType = keyof typeof ELEMENT_TYPES;

export type AttributeValue = number | string | readonly number[] | { readonly float: number };

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

export interface OnnxTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

export interface OnnxInitializer extends OnnxTensor {
  readonly data: TypedArray | BigInt64Array;
}

/** A graph input or output with a description. */
export interface OnnxPort extends OnnxTensor {
  readonly description: string;
}

export interface OnnxModel {
  readonly name: string;
  readonly opset: number;
  readonly description: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  readonly metadata: Readonly<Record<string, string>>;
}
