// Operations that cut, join and pad arrays along axes.

import { range } from "../shape.ts";
import type { Lowered } from "./lower.ts";
import {
  arrange,
  expanded,
  memoryLayout,
  realAxes,
  stored,
  type View,
  viewAlong,
  viewOn,
  withAxes,
} from "./views.ts";

/** A bound past every array, for slices that run backwards to the first element. */
const BEFORE_FIRST = -(2 ** 31);

export function slice({ emitter, node, inputs: [x] }: Lowered<"slice">): View[] {
  const { bounds } = node.attributes;
  const shape = bounds.map(([start, end]) => end - start);
  const cut = range(shape.length).filter((axis) => x.axes[axis] !== null && shape[axis] !== x.shape[axis]);
  if (cut.length === 0) return [{ base: x.base, shape, axes: x.axes }];
  const { tensor, positions } = stored(x);
  const at = cut.map((axis) => positions[axis]!);
  const extents = tensor.shape.map((extent, position) =>
    at.includes(position) ? shape[cut[at.indexOf(position)]] : extent,
  );
  const operands = [
    tensor,
    emitter.integers(cut.map((axis) => bounds[axis][0])),
    emitter.integers(cut.map((axis) => bounds[axis][1])),
    emitter.integers(at),
  ];
  return [viewOn(emitter.node("Slice", operands, {}, tensor.type, extents), positions, shape)];
}

export function flip({ emitter, node, inputs: [x] }: Lowered<"flip">): View[] {
  const { tensor, positions } = stored(x);
  const at = node.attributes.axes.flatMap((axis) => positions[axis] ?? []);
  if (at.length === 0) return [x];
  const operands = [
    tensor,
    emitter.integers(at.map((position) => tensor.shape[position] - 1)),
    emitter.integers(at.map(() => BEFORE_FIRST)),
    emitter.integers(at),
    emitter.integers(at.map(() => -1)),
  ];
  return [viewOn(emitter.node("Slice", operands, {}, tensor.type, tensor.shape), positions, x.shape)];
}

export function pad({ emitter, node, inputs: [x] }: Lowered<"pad">): View[] {
  const { widths } = node.attributes;
  const shape = x.shape.map((extent, axis) => extent + widths[axis][0] + widths[axis][1]);
  const padded = range(shape.length).filter((axis) => shape[axis] !== x.shape[axis]);
  if (padded.length === 0) return [x];
  const layout = withAxes(memoryLayout(x), padded);
  const tensor = expanded(emitter, x, layout);
  const amount = (side: 0 | 1) => layout.map((axis) => (axis === null ? 0 : widths[axis][side]));
  const extents = layout.map((axis) => (axis === null ? 1 : shape[axis]));
  const amounts = emitter.integers([...amount(0), ...amount(1)]);
  const result = emitter.node("Pad", [tensor, amounts], {}, tensor.type, extents);
  return [viewAlong(result, layout, shape)];
}

export function concatenate({ emitter, node, inputs }: Lowered<"concatenate">): View[] {
  const { axis } = node.attributes;
  const { shape } = node.outputs[0];
  const real = range(shape.length).filter((i) => i === axis || inputs.some((view) => view.axes[i] !== null));
  // Follow the operand that has most of its axes in memory: constants fit in with anything.
  const leader = inputs.reduce((best, view) => (realAxes(view).length > realAxes(best).length ? view : best));
  const layout = withAxes(memoryLayout(leader), real);
  const tensors = inputs.map((view) => expanded(emitter, view, layout));
  const extents = layout.map((i) => (i === null ? 1 : shape[i]));
  const result = emitter.node("Concat", tensors, { axis: layout.indexOf(axis) }, tensors[0].type, extents);
  return [viewAlong(result, layout, shape)];
}

export function split({ emitter, node, inputs: [x] }: Lowered<"split">): View[] {
  const { axis, sizes } = node.attributes;
  const shapes = sizes.map((size) => x.shape.map((extent, i) => (i === axis ? size : extent)));
  if (x.axes[axis] === null) return shapes.map((shape) => ({ base: x.base, shape, axes: x.axes }));
  // Pieces of a vector are vectors, even if it lies in memory as a row.
  const { tensor, positions } =
    x.shape.length === 1 ? { tensor: arrange(emitter, x, [0]), positions: [0] } : stored(x);
  const at = positions[axis]!;
  const pieces = emitter.nodeWith(
    "Split",
    [tensor, emitter.integers(sizes)],
    { axis: at },
    sizes.map((size) => ({
      type: tensor.type,
      shape: tensor.shape.map((extent, position) => (position === at ? size : extent)),
    })),
  );
  return pieces.map((piece, i) => viewOn(piece, positions, shapes[i]));
}
