// Parameters as one flat float32 vector with a typed tree of views.
//
// Modules describe their parameters as nested records and lists of specs. `layout` concatenates the leaves, so that
// optimisers, clipping and checkpoints handle one vector, while networks use names and shapes.

import { numpy as np } from "@jax-js/jax";
import { sizeOf } from "../engine/dtype.ts";
import type { RandomStream } from "../engine/random-stream.ts";
import { checkSizes, ShapeError } from "./checks.ts";
import type { Initialiser } from "./init.ts";

/** Shape and initialiser of a parameter array. */
export interface ParamSpec {
  readonly shape: readonly number[];
  readonly init: Initialiser;
}

/** Nested records and lists with specs as leaves. Absent optional parameters are undefined. */
export type ParamTree = ParamSpec | readonly ParamTree[] | { readonly [name: string]: ParamTree | undefined };

/** The tree with another type of leaves. */
export type TreeOf<P, Leaf> = P extends ParamSpec ? Leaf : { readonly [K in keyof P]: TreeOf<P[K], Leaf> };

/** The tree with traced arrays as leaves. */
export type ArraysOf<P> = TreeOf<P, np.Array>;

/** The tree with subarrays of a host vector as leaves. */
export type ViewsOf<P> = TreeOf<P, Float32Array>;

/** Position of a leaf in the flat vector. */
export interface ParamEntry {
  /** Names from the root, separated by dots, such as `layers.0.weight`. */
  readonly path: string;
  readonly offset: number;
  readonly size: number;
  readonly shape: readonly number[];
}

/** The positions of the parameters of a tree in one flat vector. */
export interface Layout<P> {
  /** Length of the flat vector. */
  readonly size: number;
  readonly entries: readonly ParamEntry[];
  /** Initial values. Each leaf uses the stream `stream.split(path)`, so an added layer does not change the others. */
  init(stream: RandomStream): Float32Array;
  /** Splits a traced flat vector into the tree of arrays. */
  split(flat: np.Array): ArraysOf<P>;
  /** The tree of subarrays of a host vector. Writing to a subarray writes to the vector. */
  view(flat: Float32Array): ViewsOf<P>;
  /** A flat vector with one number per leaf, for masks and learning-rate scales. */
  fill(numberOf: (entry: ParamEntry) => number): Float32Array;
}

/**
 * The layout of a tree: its leaves are concatenated in the order of the tree.
 *
 * @example
 * ```ts
 * import { layout, mlp } from "gflownet/nn";
 *
 * const parameters = layout(mlp({ inputs: 2, hidden: [8], outputs: 1 }).params);
 * console.log(parameters.size, parameters.entries.length); // 33 4
 * ```
 */
export function layout<P extends ParamTree>(tree: P): Layout<P> {
  const leaves: { entry: ParamEntry; init: Initialiser }[] = [];
  let size = 0;
  walk(tree, "", (spec, path) => {
    spec.shape.forEach((extent, axis) => {
      checkSizes("layout", { [`axis ${axis} of ${path || "the parameter"}`]: extent });
    });
    const entry = { path, offset: size, size: sizeOf(spec.shape), shape: spec.shape };
    leaves.push({ entry, init: spec.init });
    size += entry.size;
  });
  if (leaves.length === 0)
    throw new RangeError("layout: the tree must hold at least one parameter, got none");
  const entries = leaves.map(({ entry }) => entry);
  const cuts = entries.slice(1).map(({ offset }) => offset);

  return {
    size,
    entries,
    init(stream) {
      const flat = new Float32Array(size);
      for (const { entry, init } of leaves) {
        const values = init(entry.shape, stream.split(entry.path));
        if (values.length !== entry.size) {
          throw new RangeError(
            `layout: the initialiser of ${entry.path} must give ${entry.size} values, got ${values.length}`,
          );
        }
        flat.set(values, entry.offset);
      }
      return flat;
    },
    split(flat) {
      if (flat.shape.length !== 1 || flat.shape[0] !== size) {
        throw new ShapeError("layout.split", `the vector must be [${size}]`, flat.shape);
      }
      const parts = cuts.length === 0 ? [flat] : np.split(flat, cuts); // each [size of the leaf]
      return rebuild(tree, (leaf) => parts[leaf].reshape([...entries[leaf].shape]));
    },
    view(flat) {
      if (flat.length !== size)
        throw new ShapeError("layout.view", `the vector must be [${size}]`, [flat.length]);
      return rebuild(tree, (leaf) => {
        const { offset, size: length } = entries[leaf];
        return flat.subarray(offset, offset + length);
      });
    },
    fill(numberOf) {
      const flat = new Float32Array(size);
      for (const entry of entries) flat.fill(numberOf(entry), entry.offset, entry.offset + entry.size);
      return flat;
    },
  };
}

/**
 * For `layout.fill`: 1 for matrices and tables, 0 for biases, gains and scalars. This is the usual mask for weight
 * decay.
 */
export function matrixMask(entry: ParamEntry): number {
  return entry.shape.length >= 2 ? 1 : 0;
}

function walk(tree: ParamTree, path: string, visit: (spec: ParamSpec, path: string) => void): void {
  if (isSpec(tree)) {
    visit(tree, path);
    return;
  }
  for (const [name, child] of Object.entries(tree)) {
    if (child !== undefined) walk(child, path === "" ? name : `${path}.${name}`, visit);
  }
}

/** A copy of the tree in which leaf i (in the order in which `walk` visits leaves) is `leafOf(i)`. */
function rebuild<P extends ParamTree, Leaf>(tree: P, leafOf: (index: number) => Leaf): TreeOf<P, Leaf> {
  let next = 0;
  const copy = (node: ParamTree): unknown => {
    if (isSpec(node)) return leafOf(next++);
    if (Array.isArray(node)) return node.map(copy);
    return Object.fromEntries(
      Object.entries(node).map(([name, child]) => [name, child === undefined ? undefined : copy(child)]),
    );
  };
  return copy(tree) as TreeOf<P, Leaf>;
}

function isSpec(tree: ParamTree): tree is ParamSpec {
  return "init" in tree && typeof tree.init === "function";
}
