// Arrays as lazy views: a base tensor and, for every axis of the view, the base axis it runs along, or none if the
// view repeats the same numbers along it. Transposes and broadcasts then cost nothing, and operations are emitted in
// whatever order of axes their operands already have in memory.

import { sizeOf } from "../dtype.ts";
import { broadcastShapes, range, type Shape, sameShape } from "../shape.ts";
import type { Emitter, Tensor } from "./emitter.ts";
import type { ElementType } from "./model.ts";

/** A tensor in memory: axis `order[p]` of the base lies at position p of the tensor's shape. */
export interface Stored {
  readonly tensor: Tensor;
  readonly order: readonly number[];
}

/** What a view looks at. A matrix product may still choose how to lie in memory (see product.ts). */
export interface Base {
  readonly type: ElementType;
  readonly shape: Shape;
  /** Whether the order in memory is settled. */
  readonly settled: boolean;
  /** The tensor; the first caller's preferred order of axes is followed if it can be. */
  store(preferred?: readonly number[]): Stored;
}

/** `axes[i]` is a base axis, or null where the view repeats (always so for extent 1). */
export interface View {
  readonly base: Base;
  readonly shape: Shape;
  readonly axes: readonly (number | null)[];
}

/** The view of a tensor as it is. */
export function viewOf(tensor: Tensor): View {
  return viewOn(tensor, range(tensor.shape.length), tensor.shape);
}

/** View of a tensor: `positions[i]` is the tensor's dimension that view axis i runs along, or null. */
export function viewOn(tensor: Tensor, positions: readonly (number | null)[], shape: Shape): View {
  const stored = { tensor, order: range(tensor.shape.length) };
  const base: Base = { type: tensor.type, shape: tensor.shape, settled: true, store: () => stored };
  return { base, shape, axes: positions.map((position, i) => (shape[i] === 1 ? null : position)) };
}

/** View of a tensor with this layout; axes that are not in it repeat. */
export function viewAlong(tensor: Tensor, layout: Layout, shape: Shape): View {
  const positions = shape.map((_, axis) => (layout.includes(axis) ? layout.indexOf(axis) : null));
  return viewOn(tensor, positions, shape);
}

/** The tensor that a view looks at and the dimension that each view axis runs along. */
export function stored(view: View): { tensor: Tensor; positions: (number | null)[] } {
  const { tensor, order } = view.base.store(realAxes(view).map((axis) => view.axes[axis]!));
  return { tensor, positions: view.axes.map((axis) => (axis === null ? null : order.indexOf(axis))) };
}

/** Axes of the view that are not repeated, in the order they have in memory. */
export function memoryOrder(view: View): number[] {
  const { positions } = stored(view);
  return realAxes(view).sort((a, b) => positions[a]! - positions[b]!);
}

/** Axes of the view that are not repeated, in logical order. */
export function realAxes(view: View): number[] {
  return range(view.shape.length).filter((axis) => view.axes[axis] !== null);
}

/** Dimensions of a tensor to be: view axes in an order, with null for a dimension of extent 1 that is nobody's. */
export type Layout = readonly (number | null)[];

/**
 * The view as a tensor laid out as asked; repeated axes have extent 1. All axes that are not repeated must be there.
 */
export function arrange(emitter: Emitter, view: View, layout: Layout): Tensor {
  return emitter.reshape(inOrder(emitter, view, layout), extentsOf(view, layout));
}

/** Like `arrange`, but leading dimensions of extent 1 may be missing: elementwise operators align from the right. */
function arrangeToBroadcast(emitter: Emitter, view: View, layout: Layout): Tensor {
  const ordered = inOrder(emitter, view, layout);
  const whole = extentsOf(view, layout);
  const ones = whole.findIndex((extent) => extent !== 1);
  const shortest = ones < 0 ? [] : whole.slice(ones);
  const missing = whole.length - ordered.shape.length;
  const fits =
    missing >= 0 &&
    missing <= whole.length - shortest.length &&
    sameShape(ordered.shape, whole.slice(missing));
  return fits ? ordered : emitter.reshape(ordered, shortest);
}

/** The view's tensor with its real axes in the layout's order; dimensions of extent 1 may be anywhere. */
function inOrder(emitter: Emitter, view: View, layout: Layout): Tensor {
  const wanted = layout.filter((axis) => axis !== null && view.axes[axis] !== null) as number[];
  const { tensor, order } = view.base.store(wanted.map((axis) => view.axes[axis]!));
  const positions = wanted.map((axis) => order.indexOf(view.axes[axis]!));
  if (positions.every((position, i) => i === 0 || positions[i - 1] < position)) return tensor;
  const rest = range(tensor.shape.length).filter((position) => !positions.includes(position));
  return emitter.transpose(tensor, [...rest, ...positions]);
}

function extentsOf(view: View, layout: Layout): number[] {
  return layout.map((axis) => (axis === null || view.axes[axis] === null ? 1 : view.shape[axis]));
}

/** The whole view in logical order, nothing repeated any more. */
export function materialise(emitter: Emitter, view: View): Tensor {
  return emitter.expand(arrange(emitter, view, range(view.shape.length)), view.shape);
}

/** The view with the given axes really present in memory. */
export function realise(emitter: Emitter, view: View, axes: readonly number[]): View {
  const missing = axes.filter((axis) => view.axes[axis] === null && view.shape[axis] > 1);
  if (missing.length === 0) return view;
  const layout = withAxes(memoryOrder(view), missing) as number[];
  return viewAlong(expanded(emitter, view, layout), layout, view.shape);
}

/** The view laid out as asked, with nothing repeated along the axes of the layout. */
export function expanded(emitter: Emitter, view: View, layout: Layout): Tensor {
  const shape = layout.map((axis) => (axis === null ? 1 : view.shape[axis]));
  return emitter.expand(arrange(emitter, view, layout), shape);
}

/** A layout that also has these axes, each before the first larger one, in place of an unused dimension if it can. */
export function withAxes(layout: Layout, axes: readonly number[]): (number | null)[] {
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

/** How the view's tensor lies in memory: a layout. */
export function memoryLayout(view: View): (number | null)[] {
  const { tensor, positions } = stored(view);
  return tensor.shape.map((_, position) => {
    const axis = positions.indexOf(position);
    return axis < 0 ? null : axis;
  });
}

/** A view with leading repeated axes so that it has the given rank. */
export function alignView(view: View, rank: number): View {
  const missing = rank - view.shape.length;
  if (missing === 0) return view;
  return {
    base: view.base,
    shape: [...new Array<number>(missing).fill(1), ...view.shape],
    axes: [...new Array<null>(missing).fill(null), ...view.axes],
  };
}

/** Views of one shape, to be combined element by element, and the layout that suits them best. */
function broadcastViews(views: readonly View[]): { aligned: View[]; shape: number[]; layout: Layout } {
  const shape = broadcastShapes(...views.map((view) => view.shape));
  const aligned = views.map((view) => ({ ...alignView(view, shape.length), shape }));
  const size = (view: View) => realAxes(view).reduce((product, axis) => product * shape[axis], 1);
  const leader = aligned.reduce((best, view) => {
    if (view.base.settled !== best.base.settled && size(view) === size(best))
      return view.base.settled ? view : best;
    return size(view) > size(best) ? view : best;
  });
  const real = range(shape.length).filter((axis) => aligned.some((view) => view.axes[axis] !== null));
  return { aligned, shape, layout: withAxes(memoryLayout(leader), real) };
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
    writtenOut(emitter, arrangeToBroadcast(emitter, view, layout), extents),
  );
  const rank = Math.max(...operands.map((operand) => operand.shape.length));
  const trimmed = layout.slice(layout.length - rank);
  const result = operator(
    operands,
    trimmed.map((axis) => (axis === null ? 1 : shape[axis])),
  );
  if (result.type !== type)
    throw new Error(`internal: ${type} expected of an operator that gives ${result.type}`);
  return viewAlong(result, trimmed, shape);
}

/** Runs shorter than this are slow to broadcast, if there are at least so many of them. */
const SHORT_RUN = 16;
const MANY_RUNS = 256;

/**
 * ONNX Runtime broadcasts run by run of elements that lie together, which is slow for many short ones. An operand that
 * asks for it is written out first: a column as a product with a row of ones, anything else by Tile. And a number gets
 * as many dimensions as the rest has, for only then is it taken for one where rows have a single element.
 */
function writtenOut(emitter: Emitter, tensor: Tensor, extents: readonly number[]): Tensor {
  const size = sizeOf(tensor.shape);
  const ones = extents.map(() => 1);
  if (size === 1) return extents.at(-1) === 1 ? emitter.reshape(tensor, ones) : tensor;
  const own = [...ones, ...tensor.shape].slice(-extents.length);
  const repeats = own.map((extent, i) => (extent === extents[i] ? 1 : extents[i]));
  let first = repeats.findLastIndex((count) => count > 1);
  while (first > 0 && own[first - 1] === 1) first--;
  const run = sizeOf(extents.slice(first)); // from the innermost repeated dimensions on
  const rows = sizeOf(extents) / run;
  const isSlow = tensor.type === "float32" && first > 0 && rows >= MANY_RUNS && run <= SHORT_RUN;
  if (!isSlow || sizeOf(own.slice(0, first)) !== rows) return tensor;
  if (sizeOf(own.slice(first)) > 1) {
    const operands = [emitter.reshape(tensor, own), emitter.integers(repeats)];
    return emitter.node("Tile", operands, {}, "float32", extents);
  }
  const row = emitter.constant("float32", [1, run], new Float32Array(run).fill(1));
  const column = emitter.reshape(tensor, [rows, 1]);
  return emitter.reshape(emitter.node("MatMul", [column, row], {}, "float32", [rows, run]), extents);
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

/** Reshape: free where axes only appear, vanish or repeat; a base reshape where neighbours in memory merge or split. */
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
  const real = groups.filter((group) => group.from.some((axis) => view.axes[axis] !== null));
  const mixed = real.some((group) => group.from.some((axis) => view.axes[axis] === null));
  const wanted = real.flatMap((group) => group.from).map((axis) => view.axes[axis]);
  const { tensor, order } = view.base.store(mixed ? undefined : (wanted as number[]));
  const positions = new Map(order.map((baseAxis, position) => [baseAxis, position]));
  const runs = real.map((group) => group.from.map((axis) => positions.get(view.axes[axis] ?? -1) ?? -1));
  const adjacent = runs.every((run) =>
    run.every((position, i) => i === 0 || isNext(tensor.shape, run[i - 1], position)),
  );
  if (mixed || !adjacent) return viewOf(emitter.reshape(materialise(emitter, view), shape));
  // Every group lies together in memory: give the tensor the new extents, group by group, in memory order.
  const sorted = real.map((group, i) => ({ group, start: runs[i][0] })).sort((a, b) => a.start - b.start);
  const newOrder = sorted.flatMap(({ group }) => group.to);
  const inLogicalOrder = newOrder.every((axis, i) => i === 0 || newOrder[i - 1] < axis);
  if (inLogicalOrder && newOrder.length === to.length) return viewOf(emitter.reshape(tensor, shape));
  const reshaped = emitter.reshape(
    tensor,
    newOrder.map((axis) => shape[axis]),
  );
  return viewAlong(reshaped, newOrder, shape);
}

/** Whether position b directly follows position a in memory, extents of 1 aside. */
function isNext(shape: Shape, a: number, b: number): boolean {
  return b > a && shape.slice(a + 1, b).every((extent) => extent === 1);
}

/** Smallest runs of old and new axes that hold the same number of elements. */
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
