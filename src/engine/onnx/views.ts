// Lazy views of tensors. A view has a base and, for each of its axes, the base axis that it runs along, or null for a
// broadcast axis, along which the numbers repeat. Transposes and broadcasts therefore emit no nodes, and operations use
// the order of axes that their operands have in memory.

import { sizeOf } from "../dtype.ts";
import { broadcastShapes, range, type Shape, sameShape } from "../shape.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { ElementType } from "./model.ts";

/** The tensor of a base: dimension p of the tensor is axis `order[p]` of the base. */
export interface TensorStorage {
  readonly tensor: Tensor;
  readonly order: readonly number[];
}

/** The array behind a view. The memory order of a matrix product's axes is undecided until its first use
 * (matrix-product.ts). */
export interface ViewBase {
  readonly type: ElementType;
  readonly shape: Shape;
  /** Whether the tensor has been emitted, so that the order of its axes is fixed. */
  readonly isStored: boolean;
  /** Emits the tensor if necessary and returns it. The first call may choose the order of axes. */
  store(preferred?: readonly number[]): TensorStorage;
}

/** `axes[i]` is a base axis, or null for a broadcast axis. Axes of extent 1 are always null. */
export interface View {
  readonly base: ViewBase;
  readonly shape: Shape;
  readonly axes: readonly (number | null)[];
}

/** The identity view of a tensor. */
export function viewOf(tensor: Tensor): View {
  return viewOn(tensor, range(tensor.shape.length), tensor.shape);
}

/** View of a tensor: `positions[i]` is the tensor dimension of view axis i, or null for a broadcast axis. */
export function viewOn(tensor: Tensor, positions: readonly (number | null)[], shape: Shape): View {
  const stored = { tensor, order: range(tensor.shape.length) };
  const base: ViewBase = { type: tensor.type, shape: tensor.shape, isStored: true, store: () => stored };
  return { base, shape, axes: positions.map((position, i) => (shape[i] === 1 ? null : position)) };
}

/** View of a tensor with this layout. Axes that are not in the layout are broadcast. */
export function viewWithLayout(tensor: Tensor, layout: TensorLayout, shape: Shape): View {
  const positions = shape.map((_, axis) => (layout.includes(axis) ? layout.indexOf(axis) : null));
  return viewOn(tensor, positions, shape);
}

/** The tensor of a view and the tensor dimension of each view axis. */
export function storageOf(view: View): { tensor: Tensor; positions: (number | null)[] } {
  const { tensor, order } = view.base.store(storedAxes(view).map((axis) => view.axes[axis]!));
  return { tensor, positions: view.axes.map((axis) => (axis === null ? null : order.indexOf(axis))) };
}

/** Axes of the view that are not broadcast, in memory order. */
export function memoryOrder(view: View): number[] {
  const { positions } = storageOf(view);
  return storedAxes(view).sort((a, b) => positions[a]! - positions[b]!);
}

/** Axes of the view that are not broadcast, in logical order. */
export function storedAxes(view: View): number[] {
  return range(view.shape.length).filter((axis) => view.axes[axis] !== null);
}

/** Dimensions of a tensor as view axes. Null is a dimension of extent 1 that belongs to no axis. */
export type TensorLayout = readonly (number | null)[];

/** The view as a tensor with this layout, which must contain all axes that are not broadcast. Broadcast axes get extent 1. */
export function arrange(emitter: Emitter, view: View, layout: TensorLayout): Tensor {
  return emitter.reshape(inOrder(emitter, view, layout), extentsOf(view, layout));
}

/** Like `arrange`, but may omit leading dimensions of extent 1, because elementwise operators align from the right. */
function arrangeToBroadcast(emitter: Emitter, view: View, layout: TensorLayout): Tensor {
  const ordered = inOrder(emitter, view, layout);
  const extents = extentsOf(view, layout);
  const leadingOnes = extents.findIndex((extent) => extent !== 1);
  const shortest = leadingOnes < 0 ? [] : extents.slice(leadingOnes);
  const missing = extents.length - ordered.shape.length;
  const fits =
    missing >= 0 &&
    missing <= extents.length - shortest.length &&
    sameShape(ordered.shape, extents.slice(missing));
  return fits ? ordered : emitter.reshape(ordered, shortest);
}

/** The tensor of a view with its stored axes in the order of the layout. Dimensions of extent 1 may be anywhere. */
function inOrder(emitter: Emitter, view: View, layout: TensorLayout): Tensor {
  const wanted = layout.filter((axis) => axis !== null && view.axes[axis] !== null) as number[];
  const { tensor, order } = view.base.store(wanted.map((axis) => view.axes[axis]!));
  const positions = wanted.map((axis) => order.indexOf(view.axes[axis]!));
  if (positions.every((position, i) => i === 0 || positions[i - 1] < position)) return tensor;
  const rest = range(tensor.shape.length).filter((position) => !positions.includes(position));
  return emitter.transpose(tensor, [...rest, ...positions]);
}

function extentsOf(view: View, layout: TensorLayout): number[] {
  return layout.map((axis) => (axis === null || view.axes[axis] === null ? 1 : view.shape[axis]));
}

/** The view as a tensor in logical order, with broadcast axes expanded. */
export function materialise(emitter: Emitter, view: View): Tensor {
  return emitter.expand(arrange(emitter, view, range(view.shape.length)), view.shape);
}

/** The view with all of these axes stored in memory: those that are broadcast are expanded. */
export function storeAxes(emitter: Emitter, view: View, axes: readonly number[]): View {
  const missing = axes.filter((axis) => view.axes[axis] === null && view.shape[axis] > 1);
  if (missing.length === 0) return view;
  const layout = layoutWithAxes(memoryOrder(view), missing) as number[];
  return viewWithLayout(arrangeExpanded(emitter, view, layout), layout, view.shape);
}

/** The view as a tensor with this layout, with the broadcast axes of the layout expanded. */
export function arrangeExpanded(emitter: Emitter, view: View, layout: TensorLayout): Tensor {
  const shape = layout.map((axis) => (axis === null ? 1 : view.shape[axis]));
  return emitter.expand(arrange(emitter, view, layout), shape);
}

/**
 * The layout with further axes. Each axis is inserted before the first axis with a larger index, or replaces a null
 * dimension that is directly before that axis.
 */
export function layoutWithAxes(layout: TensorLayout, axes: readonly number[]): (number | null)[] {
  const result = [...layout];
  for (const axis of axes.toSorted((a, b) => a - b)) {
    if (result.includes(axis)) continue;
    const next = result.findIndex((other) => other !== null && other > axis);
    const slot = next < 0 ? result.length : next;
    if (slot > 0 && result[slot - 1] === null) result[slot - 1] = axis;
    else result.splice(slot, 0, axis);
  }
  return result;
}

/** Layout of the tensor of a view. */
export function memoryLayout(view: View): (number | null)[] {
  const { tensor, positions } = storageOf(view);
  return tensor.shape.map((_, position) => {
    const axis = positions.indexOf(position);
    return axis < 0 ? null : axis;
  });
}

/** The view with leading axes of extent 1, so that it has this rank. */
export function alignView(view: View, rank: number): View {
  const missing = rank - view.shape.length;
  if (missing === 0) return view;
  return {
    base: view.base,
    shape: [...new Array<number>(missing).fill(1), ...view.shape],
    axes: [...new Array<null>(missing).fill(null), ...view.axes],
  };
}

/**
 * The views, broadcast to their common shape, and the layout in which to combine them, which is that of the largest
 * view.
 */
function broadcastViews(views: readonly View[]): { aligned: View[]; shape: number[]; layout: TensorLayout } {
  const shape = broadcastShapes(...views.map((view) => view.shape));
  const aligned = views.map((view) => ({ ...alignView(view, shape.length), shape }));
  const size = (view: View) => storedAxes(view).reduce((product, axis) => product * shape[axis], 1);
  const leader = aligned.reduce((best, view) => {
    if (view.base.isStored !== best.base.isStored && size(view) === size(best))
      return view.base.isStored ? view : best;
    return size(view) > size(best) ? view : best;
  });
  const stored = range(shape.length).filter((axis) => aligned.some((view) => view.axes[axis] !== null));
  return { aligned, shape, layout: layoutWithAxes(memoryLayout(leader), stored) };
}

/** Applies an elementwise operator that broadcasts its operands. */
export function elementwise(
  emitter: Emitter,
  views: readonly View[],
  type: ElementType,
  operator: (operands: readonly Tensor[], shape: readonly number[]) => Tensor,
): View {
  const { aligned, shape, layout } = broadcastViews(views);
  const extents = layout.map((axis) => (axis === null ? 1 : shape[axis]));
  const operands = aligned.map((view) =>
    expandSlowBroadcast(emitter, arrangeToBroadcast(emitter, view, layout), extents),
  );
  const rank = Math.max(...operands.map((operand) => operand.shape.length));
  const trimmed = layout.slice(layout.length - rank);
  const result = operator(
    operands,
    trimmed.map((axis) => (axis === null ? 1 : shape[axis])),
  );
  if (result.type !== type)
    throw new Error(`internal: ${type} expected of an operator that gives ${result.type}`);
  return viewWithLayout(result, trimmed, shape);
}

/** Broadcasting is slow if there are at least MIN_SLOW_RUNS contiguous runs with at most MAX_SLOW_RUN elements each. */
const MAX_SLOW_RUN = 16;
const MIN_SLOW_RUNS = 256;

/** Longest constant that a repeated row becomes. */
const MAX_REPEATED = 16_384;

/**
 * Expands an operand that ONNX Runtime would broadcast slowly: its kernels handle one contiguous run at a time, so many
 * short runs are slow. A column is expanded by a product with a row of ones, other tensors by Tile. A scalar is reshaped
 * to the rank of the result if rows have one element, because ONNX Runtime recognises it as a scalar only then.
 */
function expandSlowBroadcast(emitter: Emitter, tensor: Tensor, extents: readonly number[]): Tensor {
  const size = sizeOf(tensor.shape);
  const ones = extents.map(() => 1);
  if (size === 1) return extents.at(-1) === 1 ? emitter.reshape(tensor, ones) : tensor;
  const repeated = repeatedRow(emitter, tensor, extents);
  if (repeated) return repeated;
  const shape = [...ones, ...tensor.shape].slice(-extents.length);
  const repeats = shape.map((extent, i) => (extent === extents[i] ? 1 : extents[i]));
  let first = repeats.findLastIndex((count) => count > 1);
  while (first > 0 && shape[first - 1] === 1) first--;
  const run = sizeOf(extents.slice(first)); // size of the innermost broadcast dimensions and all dimensions after them
  const rows = sizeOf(extents) / run;
  const isSlow = tensor.type === "float32" && first > 0 && rows >= MIN_SLOW_RUNS && run <= MAX_SLOW_RUN;
  if (!isSlow || sizeOf(shape.slice(0, first)) !== rows) return tensor;
  if (sizeOf(shape.slice(first)) > 1) {
    const operands = [emitter.reshape(tensor, shape), emitter.integers(repeats)];
    return emitter.node("Tile", operands, {}, "float32", extents);
  }
  const row = emitter.constant("float32", [1, run], new Float32Array(run).fill(1));
  const column = emitter.reshape(tensor, [rows, 1]);
  return emitter.reshape(emitter.node("MatMul", [column, row], {}, "float32", [rows, run]), extents);
}

/** A short row of constants, repeated for each row of the result. Undefined for other tensors. */
function repeatedRow(emitter: Emitter, tensor: Tensor, extents: readonly number[]): Tensor | undefined {
  const row = emitter.floatsOf(tensor);
  const rows = sizeOf(extents) / sizeOf(tensor.shape);
  if (!row || row.length > MAX_SLOW_RUN || rows < MIN_SLOW_RUNS || sizeOf(extents) > MAX_REPEATED)
    return undefined;
  if (!sameShape(tensor.shape, extents.slice(-tensor.shape.length))) return undefined;
  return emitter.constant(
    "float32",
    extents,
    Float32Array.from({ length: sizeOf(extents) }, (_, i) => row[i % row.length]),
  );
}

export function transposeView(view: View, permutation: readonly number[]): View {
  return {
    base: view.base,
    shape: permutation.map((axis) => view.shape[axis]),
    axes: permutation.map((axis) => view.axes[axis]),
  };
}

export function broadcastView(view: View, shape: Shape, newAxes: readonly number[]): View {
  let next = 0;
  return {
    base: view.base,
    shape,
    axes: shape.map((_, i) => (newAxes.includes(i) ? null : view.axes[next++])),
  };
}

/**
 * Reshapes a view. No node is needed if only axes of extent 1 appear or disappear; if axes that are adjacent in memory
 * merge or split, the tensor is reshaped; otherwise the view is materialised first.
 */
export function reshapeView(emitter: Emitter, view: View, shape: Shape): View {
  const from = range(view.shape.length).filter((axis) => view.shape[axis] > 1);
  const to = range(shape.length).filter((axis) => shape[axis] > 1);
  const axes = new Array<number | null>(shape.length).fill(null);
  if (
    sameShape(
      from.map((axis) => view.shape[axis]),
      to.map((axis) => shape[axis]),
    )
  ) {
    to.forEach((axis, i) => {
      axes[axis] = view.axes[from[i]];
    });
    return { base: view.base, shape, axes };
  }
  const groups = matchGroups(view.shape, from, shape, to);
  const storedGroups = groups.filter((group) => group.from.some((axis) => view.axes[axis] !== null));
  const mixed = storedGroups.some((group) => group.from.some((axis) => view.axes[axis] === null));
  const preferred = storedGroups.flatMap((group) => group.from).map((axis) => view.axes[axis]);
  const { tensor, order } = view.base.store(mixed ? undefined : (preferred as number[]));
  const positions = new Map(order.map((baseAxis, position) => [baseAxis, position]));
  const runs = storedGroups.map((group) =>
    group.from.map((axis) => positions.get(view.axes[axis] ?? -1) ?? -1),
  );
  const adjacent = runs.every((run) =>
    run.every((position, i) => i === 0 || isNext(tensor.shape, run[i - 1], position)),
  );
  if (mixed || !adjacent) return viewOf(emitter.reshape(materialise(emitter, view), shape));
  // Every group is contiguous in memory: reshape the tensor to the new extents, group by group, in memory order.
  const sorted = storedGroups
    .map((group, i) => ({ group, start: runs[i][0] }))
    .sort((a, b) => a.start - b.start);
  const newOrder = sorted.flatMap(({ group }) => group.to);
  const inLogicalOrder = newOrder.every((axis, i) => i === 0 || newOrder[i - 1] < axis);
  if (inLogicalOrder && newOrder.length === to.length) return viewOf(emitter.reshape(tensor, shape));
  const reshaped = emitter.reshape(
    tensor,
    newOrder.map((axis) => shape[axis]),
  );
  return viewWithLayout(reshaped, newOrder, shape);
}

/** Whether dimension b directly follows dimension a, ignoring dimensions of extent 1. */
function isNext(shape: Shape, a: number, b: number): boolean {
  return b > a && shape.slice(a + 1, b).every((extent) => extent === 1);
}

/** Smallest groups of consecutive old and new axes with equal numbers of elements. */
function matchGroups(oldShape: Shape, from: readonly number[], newShape: Shape, to: readonly number[]) {
  const groups: { from: number[]; to: number[] }[] = [];
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    const group = { from: [from[i]], to: [to[j]] };
    let [a, b] = [oldShape[from[i++]], newShape[to[j++]]];
    while (a !== b) {
      if (a < b) {
        group.from.push(from[i]);
        a *= oldShape[from[i++]];
      } else {
        group.to.push(to[j]);
        b *= newShape[to[j++]];
      }
    }
    groups.push(group);
  }
  return groups;
}
