// How much arithmetic a program's matrix products are, counted on its graph.

import { sizeOf } from "../src/engine/dtype.ts";
import type { Graph } from "../src/engine/index.ts";
import { alignRight, broadcastShapes } from "../src/engine/shape.ts";

/**
 * Floating-point operations of all matrix products in one run: a multiplication and an addition for each element of
 * the two operands' common shape. Products without an outer axis (row by row, vector by vector) are left out.
 */
export function matrixFlops(graph: Graph): number {
  return graph.nodes
    .filter(({ op }) => op === "dot")
    .map(({ inputs: [left, right] }) => {
      const shape = broadcastShapes(left.shape, right.shape);
      const [x, y] = [left, right].map((value) => alignRight(value.shape, shape.length));
      const hasOuterAxis = shape.slice(0, -1).some((_, axis) => x[axis] !== y[axis]);
      return hasOuterAxis ? 2 * sizeOf(shape) : 0;
    })
    .reduce((sum, flops) => sum + flops, 0);
}
