// A long row times a number, plus or minus another row: a product of matrices, which reads and writes everything once
// instead of twice. The numbers are the same: ONNX Runtime rounds after the product and after the sum here too.

import { sizeOf } from "../dtype.ts";
import { bothWays, type Emitted, type Match, type Readable } from "./match.ts";
import type { OnnxNode } from "./model.ts";

/** Shorter rows are done before a product has begun. */
const LONG = 2048;

export function scaledSum(graph: Readable, emitted: Emitted, node: OnnxNode): Match | undefined {
  if (node.operator !== "Add" && node.operator !== "Sub") return undefined;
  // ONNX Runtime has no such product of whole numbers.
  if (emitted.typeOf(node.outputs[0]) !== "float32") return undefined;
  const sign = node.operator === "Add" ? 1 : -1;
  const ways = node.operator === "Add" ? bothWays(node) : [[node.inputs[1], node.inputs[0]]];
  for (const [product, rest] of ways) {
    const scaled = graph.made(product, "Mul", 1);
    for (const [row, factor] of scaled ? bothWays(scaled) : []) {
      const [rows, length] = emitted.shapeOf(row) ?? [];
      const fits = rows === 1 && length >= LONG && isRow(emitted.shapeOf(rest), length);
      if (!scaled || !fits || sizeOf(emitted.shapeOf(factor) ?? [0]) !== 1) continue;
      const matrix = emitted.between();
      const attributes = { alpha: { float: sign } };
      return {
        nodes: [
          {
            operator: "Reshape",
            inputs: [factor, emitted.integers([1, 1])],
            outputs: [matrix],
            attributes: {},
          },
          { operator: "Gemm", inputs: [matrix, row, rest], outputs: node.outputs, attributes },
        ],
        at: node,
        parts: [node, scaled],
      };
    }
  }
  return undefined;
}

/** A vector of this length, perhaps in a matrix of one row. */
function isRow(shape: readonly number[] | undefined, length: number): boolean {
  return shape !== undefined && shape.length <= 2 && shape.at(-1) === length && sizeOf(shape) === length;
}
