// Fuses layer normalisation into LayerNormalization. In a gradient, the standardised rows and their scale are used too;
// the operator has both as outputs, and gain and bias remain separate nodes.

import type { OnnxNode } from "../model.ts";
import { type EmittedGraph, type Fusion, type NodeLookup, operandOrders } from "./pattern.ts";

/** Matches (x − mean) / √(variance + ε) · gain + bias, from the node that adds the bias. */
export function fuseLayerNormalisation(
  graph: NodeLookup,
  { shapeOf }: EmittedGraph,
  node: OnnxNode,
): Fusion | undefined {
  if (node.operator !== "Add") return undefined;
  for (const [scaled, bias] of operandOrders(node)) {
    const scale = graph.producer(scaled, "Mul", 1);
    for (const [standard, gain] of scale ? operandOrders(scale) : []) {
      const divided = graph.producer(standard, "Div", 1);
      const rows = divided && rowsOf(graph, shapeOf, divided.inputs[0], divided.inputs[1]);
      if (!scale || !divided || !rows) continue;
      const width = [rows.width];
      if (String(shapeOf(gain)) !== String(width) || String(shapeOf(bias)) !== String(width)) continue;
      return {
        nodes: [layerNormalization(rows, [gain, bias], node.outputs)],
        insertAt: node,
        replaced: [node, scale, divided, ...rows.parts],
      };
    }
  }
  return undefined;
}

/** Matches (x − mean) · (1 / √(variance + ε)), where the second factor may have other uses. */
export function fuseStandardisation(
  graph: NodeLookup,
  { shapeOf, floats }: EmittedGraph,
  node: OnnxNode,
): Fusion | undefined {
  if (node.operator !== "Mul") return undefined;
  for (const [centred, scale] of operandOrders(node)) {
    const reciprocal = graph.producer(scale, "Reciprocal");
    const rows = reciprocal && rowsOf(graph, shapeOf, centred, reciprocal.inputs[0]);
    if (!rows || shapeOf(scale)?.at(-1) !== 1) continue;
    const outputs = [...node.outputs, "", scale];
    return {
      nodes: [layerNormalization(rows, [floats([rows.width], () => 1)], outputs)],
      insertAt: reciprocal,
      replaced: [node, reciprocal, ...rows.parts],
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

/** The normalised rows and the nodes that compute their mean and variance. */
interface Rows {
  readonly x: string;
  readonly width: number;
  readonly epsilon: number;
  readonly parts: readonly OnnxNode[];
}

/** Matches the operands x − mean and √(variance + ε). */
function rowsOf(
  graph: NodeLookup,
  shapeOf: EmittedGraph["shapeOf"],
  centredName: string,
  rootName: string,
): Rows | undefined {
  const root = graph.producer(rootName, "Sqrt", 1);
  const raised = root && graph.producer(root.inputs[0], "Add", 1);
  // The centred rows have three uses: two as factors of their square, and one in the division.
  const centred = graph.producer(centredName, "Sub", 3);
  if (!root || !raised || !centred) return undefined;
  const [x, mean] = centred.inputs;
  const width = shapeOf(x)?.at(-1);
  for (const [variance, epsilonName] of operandOrders(raised)) {
    const epsilon = graph.scalar(epsilonName);
    const squareMean = meanOfRows(graph, shapeOf, variance, width);
    const square = squareMean && graph.producer(squareMean.of, "Mul", 1);
    const rowMean = meanOfRows(graph, shapeOf, mean, width);
    const isSquare = square?.inputs.every((input) => input === centredName);
    if (epsilon === undefined || !squareMean || !square || !isSquare || rowMean?.of !== x || !width) continue;
    return {
      x,
      width,
      epsilon,
      parts: [root, raised, centred, square, ...squareMean.parts, ...rowMean.parts],
    };
  }
  return undefined;
}

/** Matches a mean along the last dimension: a sum times 1 / width. */
function meanOfRows(
  graph: NodeLookup,
  shapeOf: EmittedGraph["shapeOf"],
  name: string,
  width: number | undefined,
): { of: string; parts: OnnxNode[] } | undefined {
  const product = graph.producer(name, "Mul", 1);
  if (!product || width === undefined) return undefined;
  for (const [sumName, share] of operandOrders(product)) {
    const sum = graph.producer(sumName, "ReduceSum", 1);
    const isMean = Math.abs((graph.scalar(share) ?? 0) * width - 1) < 1e-6;
    const last = (shapeOf(sum?.inputs[0] ?? "")?.length ?? 0) - 1;
    // The sum of a vector is a scalar, for which keepdims does not matter.
    if (!sum || !isMean || (sum.attributes.keepdims !== 1 && last > 0)) continue;
    if (String(graph.values(sum.inputs[1])) === String([last]))
      return { of: sum.inputs[0], parts: [product, sum] };
  }
  return undefined;
}
