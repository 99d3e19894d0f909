// Normalisations of rows as one operator. A gradient reads the rows before gain and bias, and what they were divided by: the
// operator gives both, and gain and bias stay apart.

import { bothWays, type Emitted, type Match, type Readable } from "./match.ts";
import type { OnnxNode } from "./model.ts";

/** (x − mean) / √(variance + ε) · gain + bias, read backwards from the node that adds the bias. */
export function normalisation(graph: Readable, { shapeOf }: Emitted, node: OnnxNode): Match | undefined {
  if (node.operator !== "Add") return undefined;
  for (const [scaled, bias] of bothWays(node)) {
    const scale = graph.made(scaled, "Mul", 1);
    for (const [standard, gain] of scale ? bothWays(scale) : []) {
      const divided = graph.made(standard, "Div", 1);
      const rows = divided && rowsOf(graph, shapeOf, divided.inputs[0], divided.inputs[1]);
      if (!scale || !divided || !rows) continue;
      const width = [rows.width];
      if (String(shapeOf(gain)) !== String(width) || String(shapeOf(bias)) !== String(width)) continue;
      return {
        nodes: [layerNormalization(rows, [gain, bias], node.outputs)],
        at: node,
        parts: [node, scale, divided, ...rows.parts],
      };
    }
  }
  return undefined;
}

/** (x − mean) · (1 / √(variance + ε)) where others read the second factor, too. */
export function standardisation(
  graph: Readable,
  { shapeOf, ones }: Emitted,
  node: OnnxNode,
): Match | undefined {
  if (node.operator !== "Mul") return undefined;
  for (const [centred, scale] of bothWays(node)) {
    const reciprocal = graph.made(scale, "Reciprocal");
    const rows = reciprocal && rowsOf(graph, shapeOf, centred, reciprocal.inputs[0]);
    if (!rows || shapeOf(scale)?.at(-1) !== 1) continue;
    const outputs = [...node.outputs, "", scale];
    return {
      nodes: [layerNormalization(rows, [ones(rows.width)], outputs)],
      at: reciprocal,
      parts: [node, reciprocal, ...rows.parts],
    };
  }
  return undefined;
}

function layerNormalization(
  { x, epsilon }: Rows,
  factors: readonly string[],
  outputs: readonly string[],
): OnnxNode {
  const attributes = { axis: -1, epsilon: { float: epsilon } };
  return { operator: "LayerNormalization", inputs: [x, ...factors], outputs, attributes };
}

/** What is normalised, and the nodes that find its mean and variance. */
interface Rows {
  readonly x: string;
  readonly width: number;
  readonly epsilon: number;
  readonly parts: readonly OnnxNode[];
}

/** From the names of x − mean and √(variance + ε). */
function rowsOf(
  graph: Readable,
  shapeOf: Emitted["shapeOf"],
  centredName: string,
  rootName: string,
): Rows | undefined {
  const root = graph.made(rootName, "Sqrt", 1);
  const raised = root && graph.made(root.inputs[0], "Add", 1);
  // Read twice by its square, and once to be divided.
  const centred = graph.made(centredName, "Sub", 3);
  if (!root || !raised || !centred) return undefined;
  const [x, mean] = centred.inputs;
  const width = shapeOf(x)?.at(-1);
  for (const [variance, epsilonName] of bothWays(raised)) {
    const epsilon = graph.number(epsilonName);
    const spread = meanOfRows(graph, shapeOf, variance, width);
    const square = spread && graph.made(spread.of, "Mul", 1);
    const middle = meanOfRows(graph, shapeOf, mean, width);
    const isSquare = square?.inputs.every((input) => input === centredName);
    if (epsilon === undefined || !spread || !square || !isSquare || middle?.of !== x || !width) continue;
    return { x, width, epsilon, parts: [root, raised, centred, square, ...spread.parts, ...middle.parts] };
  }
  return undefined;
}

/** Sum along the last dimension, times 1 / width. */
function meanOfRows(
  graph: Readable,
  shapeOf: Emitted["shapeOf"],
  name: string,
  width: number | undefined,
): { of: string; parts: OnnxNode[] } | undefined {
  const product = graph.made(name, "Mul", 1);
  if (!product || width === undefined) return undefined;
  for (const [sumName, share] of bothWays(product)) {
    const sum = graph.made(sumName, "ReduceSum", 1);
    const isMean = Math.abs((graph.number(share) ?? 0) * width - 1) < 1e-6;
    const last = (shapeOf(sum?.inputs[0] ?? "")?.length ?? 0) - 1;
    // Of a single row nothing is left to keep.
    if (!sum || !isMean || (sum.attributes.keepdims !== 1 && last > 0)) continue;
    if (String(graph.list(sum.inputs[1])) === String([last]))
      return { of: sum.inputs[0], parts: [product, sum] };
  }
  return undefined;
}
