// Lowers matrix products. `dot` is sum(x * y) over the last axis of two broadcast views. Its axes are batch axes (stored
// in both operands), row axes (left only), column axes (right only) and the contracted axis; they become one MatMul or
// Gemm. A product is emitted at its first use: that use decides between [rows, columns] and the transpose, so no
// Transpose node is needed, and an added term can become the bias of the Gemm.

import { sizeOf } from "../dtype.ts";
import { broadcastShapes, range } from "../shape.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import {
  alignView,
  arrange,
  elementwise,
  memoryOrder,
  storedAxes,
  type TensorStorage,
  type View,
  type ViewBase,
} from "./views.ts";

/** sum(x * y) over the last axis, as a view. */
export function dot(
  emitter: Emitter,
  left: View,
  right: View,
  reduceSum: (view: View, axis: number) => View,
): View {
  const shape = broadcastShapes(left.shape, right.shape);
  const contracted = shape.length - 1;
  const [x, y] = [left, right].map((view) => ({ ...alignView(view, shape.length), shape }));
  const real = (view: View, axis: number) => view.axes[axis] !== null;
  const outer = range(contracted);
  const batch = outer.filter((axis) => real(x, axis) && real(y, axis));
  const rows = outer.filter((axis) => real(x, axis) && !real(y, axis));
  const columns = outer.filter((axis) => !real(x, axis) && real(y, axis));
  const isFloat = x.base.type === "float32";
  const sharesContracted = real(x, contracted) && real(y, contracted);
  if (!isFloat || !sharesContracted || (rows.length === 0 && columns.length === 0)) {
    const type = x.base.type;
    const product = elementwise(emitter, [x, y], type, (operands, extents) =>
      emitter.node(type === "bool" ? "And" : "Mul", operands, {}, type, extents),
    );
    return reduceSum({ ...product, shape }, contracted);
  }
  return viewOfProduct(
    new MatrixProduct(emitter, { x, y, shape, batch, rows, columns, contracted }),
    shape.slice(0, -1),
  );
}

interface Operands {
  readonly x: View;
  readonly y: View;
  /** Common shape of both operands, with the contracted axis last. */
  readonly shape: readonly number[];
  readonly batch: readonly number[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly contracted: number;
  /** A view that is added to the product and has its shape. */
  readonly bias?: View;
}

/** A product that is emitted at its first use. Its axes are batch, rows, columns, in this order. */
class MatrixProduct implements ViewBase {
  readonly type = "float32";
  readonly shape: readonly number[];
  readonly axes: readonly number[];
  readonly operands: Operands;
  readonly #emitter: Emitter;
  #stored: TensorStorage | undefined;

  constructor(emitter: Emitter, operands: Operands) {
    this.#emitter = emitter;
    this.operands = operands;
    this.axes = [...operands.batch, ...operands.rows, ...operands.columns];
    this.shape = this.axes.map((axis) => operands.shape[axis]);
  }

  get isStored(): boolean {
    return this.#stored !== undefined;
  }

  store(preferred: readonly number[] = []): TensorStorage {
    this.#stored ??= this.#emit(this.#prefersColumnsFirst(preferred));
    return this.#stored;
  }

  #prefersColumnsFirst(preferred: readonly number[]): boolean {
    const { batch, rows } = this.operands;
    const matrix = preferred.filter((axis) => axis >= batch.length);
    return matrix.length > 0 && rows.length > 0 && matrix[0] >= batch.length + rows.length;
  }

  #emit(columnsFirst: boolean): TensorStorage {
    const { x, y, batch, rows, columns } = this.operands;
    const [first, second] = columnsFirst
      ? [
          { view: y, outer: columns },
          { view: x, outer: rows },
        ]
      : [
          { view: x, outer: rows },
          { view: y, outer: columns },
        ];
    const result = batch.length > 0 ? this.#matMul(first, second) : this.#gemm(first, second);
    const order = [...batch, ...first.outer, ...second.outer];
    const shape = order.map((axis) => this.operands.shape[axis]);
    return {
      tensor: this.#emitter.reshape(result, shape),
      order: order.map((axis) => this.axes.indexOf(axis)),
    };
  }

  #gemm(first: Side, second: Side): Tensor {
    const { contracted, shape, bias } = this.operands;
    const a = this.#matrix(first, [contracted], false);
    const b = this.#matrix(second, [contracted], true);
    const extents = [extentOf(shape, first.outer), extentOf(shape, second.outer)];
    const inputs = [a.tensor, b.tensor];
    if (bias) inputs.push(this.#biasTensor(bias, first, second, extents));
    const attributes = { ...(a.transposed && { transA: 1 }), ...(b.transposed && { transB: 1 }) };
    return this.#emitter.node("Gemm", inputs, attributes, "float32", extents);
  }

  /** Bias as [rows, columns], [columns] or [rows, 1]. */
  #biasTensor(bias: View, first: Side, second: Side, extents: readonly number[]): Tensor {
    const covers = (axes: readonly number[]) => axes.some((axis) => bias.axes[axis] !== null);
    const tensor = arrange(this.#emitter, bias, [
      ...(covers(first.outer) ? first.outer : []),
      ...(covers(second.outer) ? second.outer : []),
    ]);
    const rowsExtent = covers(first.outer) ? extents[0] : 1;
    const columnsExtent = covers(second.outer) ? extents[1] : 1;
    return this.#emitter.reshape(tensor, rowsExtent === 1 ? [columnsExtent] : [rowsExtent, columnsExtent]);
  }

  /** One operand as a two-dimensional tensor, in the orientation in which it is stored. */
  #matrix(
    side: Side,
    contracted: readonly number[],
    contractedFirst: boolean,
  ): { tensor: Tensor; transposed: boolean } {
    const { shape } = this.operands;
    const untransposed = contractedFirst ? [...contracted, ...side.outer] : [...side.outer, ...contracted];
    const swapped = contractedFirst ? [...side.outer, ...contracted] : [...contracted, ...side.outer];
    const extents = [extentOf(shape, side.outer), extentOf(shape, contracted)];
    const memory = memoryOrder(side.view);
    const transposed = swapped.every((axis, i) => axis === memory[i]) && side.outer.length > 0;
    const order = transposed ? swapped : untransposed;
    const shape2d = contractedFirst !== transposed ? extents.toReversed() : extents;
    return { tensor: this.#emitter.reshape(arrange(this.#emitter, side.view, order), shape2d), transposed };
  }

  #matMul(first: Side, second: Side): Tensor {
    const { batch, contracted, shape } = this.operands;
    const batchExtents = batch.map((axis) => shape[axis]);
    const [m, k, n] = [extentOf(shape, first.outer), shape[contracted], extentOf(shape, second.outer)];
    const a = arrange(this.#emitter, first.view, [...batch, ...first.outer, contracted]);
    const b = arrange(this.#emitter, second.view, [...batch, contracted, ...second.outer]);
    return this.#emitter.node(
      "MatMul",
      [this.#emitter.reshape(a, [...batchExtents, m, k]), this.#emitter.reshape(b, [...batchExtents, k, n])],
      {},
      "float32",
      [...batchExtents, m, n],
    );
  }
}

interface Side {
  readonly view: View;
  readonly outer: readonly number[];
}

function extentOf(shape: readonly number[], axes: readonly number[]): number {
  return sizeOf(axes.map((axis) => shape[axis]));
}

function viewOfProduct(product: MatrixProduct, shape: readonly number[]): View {
  const axes = shape.map((_, axis) => {
    const position = product.axes.indexOf(axis);
    return position < 0 ? null : position;
  });
  return { base: product, shape, axes };
}

/** The sum of a product that is not emitted yet and another view, as a product with bias. Undefined if Gemm cannot add it. */
export function addBias(emitter: Emitter, view: View, other: View): View | undefined {
  const product = view.base;
  if (!(product instanceof MatrixProduct) || product.isStored) return undefined;
  const { batch, rows, columns, bias } = product.operands;
  if (batch.length > 0 || bias || other.shape.length > view.shape.length) return undefined;
  const addend = alignView(other, view.shape.length);
  if (addend.base === product) return undefined;
  // Axis of this view for each axis of the product.
  const viewAxes = product.axes.map((_, position) => view.axes.indexOf(position));
  if (viewAxes.some((axis) => axis < 0) || storedAxes(view).length !== product.axes.length) return undefined;
  if (addend.shape.some((extent, axis) => extent > 1 && extent !== view.shape[axis])) return undefined;
  if (storedAxes(addend).some((axis) => view.axes[axis] === null)) return undefined;
  const axes = new Array<number | null>(product.operands.shape.length).fill(null);
  product.axes.forEach((axis, position) => {
    axes[axis] = addend.axes[viewAxes[position]];
  });
  const coversAllOrNone = (group: readonly number[]) => {
    const present = group.filter((axis) => axes[axis] !== null).length;
    return present === 0 || present === group.length;
  };
  if (!coversAllOrNone(rows) || !coversAllOrNone(columns)) return undefined;
  if (axes.every((axis) => axis === null)) return undefined;
  const biasView: View = { base: addend.base, shape: product.operands.shape, axes };
  const sum = new MatrixProduct(emitter, { ...product.operands, bias: biasView });
  return { base: sum, shape: view.shape, axes: view.axes };
}
