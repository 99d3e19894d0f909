// Fuses a one-hot argmax, written as in engine/one-hot-argmax.ts, into ArgMax and, for
// short rows, a look-up of the row of an identity matrix. The pattern compares each row with its
// maximum, ranks the equal elements so that the first ranks highest, and compares the ranks with their maximum.
//
// For a row with a NaN, ArgMax marks one position, while the comparisons mark all.

import { ELEMENT_TYPES, type OnnxNode } from "../model.ts";
import type { EmittedGraph, Fusion, NodeLookup } from "./pattern.ts";

/** Widest rows that are looked up in an identity matrix. */
const WIDEST_IDENTITY = 64;

/** Matches the pattern backwards from its last node, which casts the second comparison to float32. */
export function fuseOneHotArgmax(
  graph: NodeLookup,
  emitted: EmittedGraph,
  node: OnnxNode,
): Fusion | undefined {
  const last = comparisonWithMaximum(graph, emitted, node);
  const ranked = last && graph.producer(last.rows, "Mul", 2);
  if (!last || !ranked) return undefined;
  const [isLargest, ranksName] = ranked.inputs;
  const first = comparisonWithMaximum(graph, emitted, graph.producer(isLargest, "Cast", 1));
  const ranks = graph.values(ranksName);
  const isDecreasing = ranks?.every((rank, i, all) => rank > (all[i + 1] ?? 0));
  const width = emitted.shapeOf(last.rows)?.at(-1);
  const isAlongRows = ranks?.length === width && emitted.shapeOf(ranksName)?.at(-1) === width;
  if (!first || !ranks || !width || !isDecreasing || !isAlongRows) return undefined;
  const replaced = [node, ranked, ...last.nodes, ...first.nodes];
  const [position, isChosen] = [emitted.newName(), emitted.newName()];
  if (width <= WIDEST_IDENTITY) {
    const identity = emitted.floats([width, width], (i) => (i % (width + 1) === 0 ? 1 : 0));
    return {
      nodes: [
        {
          operator: "ArgMax",
          inputs: [first.rows],
          outputs: [position],
          attributes: { axis: -1, keepdims: 0 },
        },
        { operator: "Gather", inputs: [identity, position], outputs: node.outputs, attributes: { axis: 0 } },
      ],
      insertAt: node,
      replaced,
    };
  }
  const positions = emitted.integers(ranks.map((_, i) => i));
  return {
    nodes: [
      { operator: "ArgMax", inputs: [first.rows], outputs: [position], attributes: { axis: -1 } },
      { operator: "Equal", inputs: [positions, position], outputs: [isChosen], attributes: {} },
      { ...node, inputs: [isChosen] },
    ],
    insertAt: node,
    replaced,
  };
}

/** Matches the cast to float32 of rows == max(rows) along the last dimension. */
function comparisonWithMaximum(
  graph: NodeLookup,
  { shapeOf }: EmittedGraph,
  cast: OnnxNode | undefined,
): { rows: string; nodes: OnnxNode[] } | undefined {
  if (cast?.operator !== "Cast" || cast.attributes.to !== ELEMENT_TYPES.float32) return undefined;
  const equal = graph.producer(cast.inputs[0], "Equal", 1);
  const maximum = equal && graph.producer(equal.inputs[1], "ReduceMax", 1);
  const [rows] = equal?.inputs ?? [];
  if (!equal || !maximum || maximum.inputs[0] !== rows || maximum.attributes.keepdims !== 1) return undefined;
  const lastAxis = (shapeOf(rows)?.length ?? 0) - 1;
  return String(graph.values(maximum.inputs[1])) === String([lastAxis])
    ? { rows, nodes: [cast, equal, maximum] }
    : undefined;
}
