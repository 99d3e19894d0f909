// Collects ONNX nodes and constants. Emitting the same operation on the same tensors twice gives one node.

import type { TypedArray } from "../dtype.ts";
import { sizeOf } from "../dtype.ts";
import { isIdentity, sameShape } from "../shape.ts";
import { fuseOperators } from "./fusion.ts";
import {
  type AttributeValue,
  ELEMENT_TYPES,
  type ElementType,
  type OnnxInitializer,
  type OnnxNode,
  type OnnxTensor,
} from "./model.ts";

/** Output of a node, input of the graph, or constant. */
export type Tensor = OnnxTensor;

export type TensorType = Omit<OnnxTensor, "name">;

type Attributes = Readonly<Record<string, AttributeValue>>;

export class Emitter {
  /** Number of threads that will run the model. Undefined if unknown, as for an exported file. */
  readonly threads: number | undefined;
  /** Whether ONNX Runtime for WebAssembly will run the model. */
  readonly inWebAssembly: boolean;
  readonly #nodes: OnnxNode[] = [];
  readonly initializers: OnnxInitializer[] = [];
  readonly #constants = new Map<string, TypedArray | BigInt64Array>();
  readonly #tensorsByKey = new Map<string, readonly Tensor[]>();
  readonly #types = new Map<string, TensorType>();
  /** For each reshaped tensor, the tensor before the reshape. */
  readonly #beforeReshape = new Map<string, Tensor>();
  /** Names of node outputs that have not been renamed to a graph output yet. */
  readonly #unnamed = new Set<string>();
  readonly #renamed = new Map<string, string>();
  #next = 0;

  constructor({ threads, inWebAssembly = false }: { threads?: number; inWebAssembly?: boolean } = {}) {
    this.threads = threads;
    this.inWebAssembly = inWebAssembly;
  }

  /** A node with one output. */
  node(
    operator: string,
    inputs: readonly Tensor[],
    attributes: Attributes,
    type: ElementType,
    shape: readonly number[],
  ): Tensor {
    return this.multiOutputNode(operator, inputs, attributes, [{ type, shape }])[0];
  }

  /** A node with several outputs. */
  multiOutputNode(
    operator: string,
    inputs: readonly Tensor[],
    attributes: Attributes,
    outputs: readonly TensorType[],
  ): readonly Tensor[] {
    const names = inputs.map(({ name }) => name);
    const key = JSON.stringify([operator, names, attributes, outputs.length]);
    const existing = this.#tensorsByKey.get(key);
    if (existing) return existing;
    const tensors = outputs.map((output) => ({ ...output, name: `/${this.#next++}` }));
    this.#nodes.push({ operator, inputs: names, outputs: tensors.map(({ name }) => name), attributes });
    for (const tensor of [...tensors, ...inputs]) this.#types.set(tensor.name, tensor);
    for (const { name } of tensors) this.#unnamed.add(name);
    this.#tensorsByKey.set(key, tensors);
    return tensors;
  }

  /** Gives a tensor the name of a graph output. */
  nameOutput(tensor: Tensor, name: string): void {
    if (this.#unnamed.delete(tensor.name)) {
      // Renames the output of the node and all inputs that refer to it, so nothing is copied.
      this.#renamed.set(tensor.name, name);
    } else {
      this.#nodes.push({ operator: "Identity", inputs: [tensor.name], outputs: [name], attributes: {} });
    }
  }

  /** All nodes after operator fusion, with their final names. */
  finishedNodes(): OnnxNode[] {
    const rename = (name: string) => this.#renamed.get(name) ?? name;
    const nodes = fuseOperators({
      nodes: this.#nodes,
      initializers: this.initializers,
      outputs: new Set(this.#renamed.keys()),
      shapeOf: (name) => this.#types.get(name)?.shape,
      typeOf: (name) => this.#types.get(name)?.type,
      floats: (shape, at) =>
        this.constant(
          "float32",
          shape,
          Float32Array.from({ length: sizeOf(shape) }, (_, i) => at(i)),
        ).name,
      integers: (values) => this.integers(values).name,
      newName: () => `/${this.#next++}`,
    });
    return nodes.map((node) => ({
      ...node,
      inputs: node.inputs.map(rename),
      outputs: node.outputs.map(rename),
    }));
  }

  constant(type: ElementType, shape: readonly number[], data: TypedArray | BigInt64Array): Tensor {
    const key = constantKey(type, shape, data);
    const existing = key === undefined ? undefined : this.#tensorsByKey.get(key);
    if (existing) return existing[0];
    const tensor = { name: `/c${this.#next++}`, type, shape };
    this.initializers.push({ ...tensor, data });
    this.#constants.set(tensor.name, data);
    if (key !== undefined) this.#tensorsByKey.set(key, [tensor]);
    return tensor;
  }

  /** The numbers of a float32 constant. Undefined for other tensors. */
  floatsOf({ name }: Tensor): Float32Array | undefined {
    const data = this.#constants.get(name);
    return data instanceof Float32Array ? data : undefined;
  }

  /** A constant int64 vector, the form in which ONNX operators take axes, shapes and bounds. */
  integers(values: readonly number[]): Tensor {
    return this.constant("int64", [values.length], BigInt64Array.from(values, BigInt));
  }

  scalar(type: "float32" | "int32" | "int64" | "uint32", value: number): Tensor {
    const data = {
      float32: () => Float32Array.of(value),
      int32: () => Int32Array.of(value),
      uint32: () => Uint32Array.of(value),
      int64: () => BigInt64Array.of(BigInt(value)),
    };
    return this.constant(type, [], data[type]());
  }

  cast(x: Tensor, type: ElementType): Tensor {
    return x.type === type ? x : this.node("Cast", [x], { to: ELEMENT_TYPES[type] }, type, x.shape);
  }

  reshape(x: Tensor, shape: readonly number[]): Tensor {
    if (sizeOf(x.shape) !== sizeOf(shape)) {
      throw new Error(`internal: reshape of [${x.shape}] to [${shape}]`);
    }
    // Consecutive reshapes become one reshape.
    const from = this.#beforeReshape.get(x.name) ?? x;
    if (sameShape(from.shape, shape)) return from;
    const reshaped = this.node("Reshape", [from, this.integers(shape)], {}, x.type, shape);
    this.#beforeReshape.set(reshaped.name, from);
    return reshaped;
  }

  transpose(x: Tensor, permutation: readonly number[]): Tensor {
    if (isIdentity(permutation)) return x;
    const shape = permutation.map((axis) => x.shape[axis]);
    return this.node("Transpose", [x], { perm: permutation }, x.type, shape);
  }

  expand(x: Tensor, shape: readonly number[]): Tensor {
    if (sameShape(x.shape, shape)) return x;
    return this.node("Expand", [x, this.integers(shape)], {}, x.type, shape);
  }
}

/**
 * Key under which equal constants are shared. Undefined for constants that are not shared, because they have more than
 * 16 elements that are not all equal.
 */
function constantKey(
  type: ElementType,
  shape: readonly number[],
  data: TypedArray | BigInt64Array,
): string | undefined {
  const text = (x: number | bigint) => (Object.is(x, -0) ? "-0" : String(x));
  const same = data.length > 0 && (data as Float32Array).every((x) => Object.is(x, data[0]));
  if (!same && data.length > 16) return undefined;
  return `constant ${type} [${shape}] ${same ? text(data[0]) : Array.from(data, text)}`;
}
