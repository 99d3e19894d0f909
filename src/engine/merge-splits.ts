// Merges splits of the same array, because each split copies the array that it splits.

import { countUses, type Graph, type Node, type NodeOf, type Value } from "./ir.ts";

/**
 * Merges nested splits along the same axis into one split. They occur because jax-js splits into at most eight parts.
 */
export function mergeNestedSplits(graph: Graph): Graph {
  const uses = countUses(graph);
  const splitOfPart = new Map<Value, NodeOf<"split">>();
  for (const node of graph.nodes) {
    if (node.op === "split" && uses.get(node.inputs[0]) === 1) splitOfPart.set(node.inputs[0], node);
  }
  const merged = new Set<Node>();
  const partsOf = (node: NodeOf<"split">): readonly Value[] =>
    node.outputs.flatMap((part) => {
      const inner = splitOfPart.get(part);
      if (inner?.attributes.axis !== node.attributes.axis) return [part];
      merged.add(inner);
      return partsOf(inner);
    });
  const nodes = graph.nodes.flatMap((node): Node[] => {
    if (merged.has(node)) return [];
    if (node.op !== "split") return [node];
    const { axis } = node.attributes;
    const outputs = partsOf(node);
    return [{ ...node, outputs, attributes: { axis, sizes: outputs.map(({ shape }) => shape[axis]) } }];
  });
  return { ...graph, nodes };
}

/**
 * Merges several splits of one array along one axis, if the finest of them has every part that is used. For example, a
 * rollout may need only the first parameters of a network: its split then leaves the rest in one part, while the split
 * of the training pass has a part for each parameter.
 */
export function mergeSiblingSplits(graph: Graph): Graph {
  const uses = countUses(graph);
  const finest = new Map<string, NodeOf<"split">>();
  const keyOf = ({ inputs, attributes }: NodeOf<"split">) => `${inputs[0].id} ${attributes.axis}`;
  for (const node of graph.nodes) {
    if (node.op !== "split") continue;
    const best = finest.get(keyOf(node));
    if (!best || node.outputs.length > best.outputs.length) finest.set(keyOf(node), node);
  }
  const replacement = new Map<Value, Value>();
  const emitted = new Set<Node>();
  const nodes = graph.nodes.flatMap((node): Node[] => {
    const inputs = node.inputs.map((value) => replacement.get(value) ?? value);
    if (node.op !== "split") return [{ ...node, inputs }];
    const fine = finest.get(keyOf(node))!;
    const fineParts = partsByRange(fine);
    const usedParts = [...partsByRange(node)].filter(([, part]) => uses.has(part));
    if (!usedParts.every(([range]) => fineParts.has(range))) return [{ ...node, inputs }];
    for (const [range, part] of usedParts) replacement.set(part, fineParts.get(range)!);
    // The merged split takes the position of the first of the splits that it replaces.
    if (emitted.has(fine)) return [];
    emitted.add(fine);
    return [{ ...fine, inputs }];
  });
  const outputs = graph.outputs.map(({ name, value }) => ({ name, value: replacement.get(value) ?? value }));
  return { ...graph, nodes, outputs };
}

/** Parts of a split by their range along its axis. */
function partsByRange({ outputs, attributes: { axis } }: NodeOf<"split">): Map<string, Value> {
  let end = 0;
  return new Map(
    outputs.map((part) => {
      const start = end;
      end += part.shape[axis];
      return [`${start}-${end}`, part];
    }),
  );
}
