// Lowers slice, flip, pad, concatenate and split.

import { range } from "../shape.ts";
import type { LoweringContext } from "./lower.ts";
import {
  arrange,
  arrangeExpanded,
  layoutWithAxes,
  memoryLayout,
  storageOf,
  storedAxes,
  type View,
  viewOn,
  viewWithLayout,
} from "./views.ts";

/** End of a backward slice that includes the first element. */
const BEFORE_FIRST = -(2 ** 31);

export function slice({ emitter, node, inputs: [x] }: LoweringContext<"slice">): View[] {
  const { bounds } = node.attributes;
  const shape = bounds.map(([start, end]) => end - start);
  const cut = range(shape.length).filter((axis) => x.axes[axis] !== null && shape[axis] !== x.shape[axis]);
  if (cut.length === 0) return [{ base: x.base, shape, axes: x.axes }];
  const { tensor, positions } = storageOf(x);
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

export function flip({ emitter, node, inputs: [x] }: LoweringContext<"flip">): View[] {
  const { tensor, positions } = storageOf(x);
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

export function pad({ emitter, node, inputs: [x] }: LoweringContext<"pad">): View[] {
  const { widths } = node.attributes;
  const shape = x.shape.map((extent, axis) => extent + widths[axis][0] + widths[axis][1]);
  const padded = range(shape.length).filter((axis) => shape[axis] !== x.shape[axis]);
  if (padded.length === 0) return [x];
  const layout = layoutWithAxes(memoryLayout(x), padded);
  const tensor = arrangeExpanded(emitter, x, layout);
  const amount = (side: 0 | 1) => layout.map((axis) => (axis === null ? 0 : widths[axis][side]));
  const extents = layout.map((axis) => (axis === null ? 1 : shape[axis]));
  const amounts = emitter.integers([...amount(0), ...amount(1)]);
  const result = emitter.node("Pad", [tensor, amounts], {}, tensor.type, extents);
  return [viewWithLayout(result, layout, shape)];
}

export function concatenate({ emitter, node, inputs }: LoweringContext<"concatenate">): View[] {
  const { axis } = node.attributes;
  const { shape } = node.outputs[0];
  const real = range(shape.length).filter((i) => i === axis || inputs.some((view) => view.axes[i] !== null));
  // Use the layout of the operand with the most stored axes; broadcast operands such as constants fit any layout.
  const leader = inputs.reduce((best, view) =>
    storedAxes(view).length > storedAxes(best).length ? view : best,
  );
  const layout = layoutWithAxes(memoryLayout(leader), real);
  const tensors = inputs.map((view) => arrangeExpanded(emitter, view, layout));
  const extents = layout.map((i) => (i === null ? 1 : shape[i]));
  const result = emitter.node("Concat", tensors, { axis: layout.indexOf(axis) }, tensors[0].type, extents);
  return [viewWithLayout(result, layout, shape)];
}

export function split({ emitter, node, inputs: [x] }: LoweringContext<"split">): View[] {
  const { axis, sizes } = node.attributes;
  const shapes = sizes.map((size) => x.shape.map((extent, i) => (i === axis ? size : extent)));
  if (x.axes[axis] === null) return shapes.map((shape) => ({ base: x.base, shape, axes: x.axes }));
  // Parts of a vector are vectors, even if the vector is stored as a [1, N] matrix.
  const { tensor, positions } =
    x.shape.length === 1 ? { tensor: arrange(emitter, x, [0]), positions: [0] } : storageOf(x);
  const at = positions[axis]!;
  const parts = emitter.multiOutputNode(
    "Split",
    [tensor, emitter.integers(sizes)],
    { axis: at },
    sizes.map((size) => ({
      type: tensor.type,
      shape: tensor.shape.map((extent, position) => (position === at ? size : extent)),
    })),
  );
  return parts.map((part, i) => viewOn(part, positions, shapes[i]));
}
