// Counts the floating-point operations of the matrix products in a graph.

import { sizeOf } from "../src/engine/dtype.ts";
import type { Graph } from "../src/engine/index.ts";
import { alignRight, broadcastShapes } from "../src/engine/shape.ts";

/**
 * Floating-point operations of all matrix products in one execution: one multiplication and one addition for each element
 * of the broadcast shape of both operands. Products without an outer axis (dot products of vectors) are not counted.
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
