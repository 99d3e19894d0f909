// Fewer splits: each copies the whole array that it cuts up.

import { countUses, type Graph, type Node, type NodeOf, type Value } from "./ir.ts";

/** A split of a piece of a split, along one axis, becomes part of the first. jax-js splits eight ways at a time. */
export function joinSplits(graph: Graph): Graph {
  const uses = countUses(graph);
  const inner = new Map<Value, NodeOf<"split">>();
  for (const node of graph.nodes) {
    if (node.op === "split" && uses.get(node.inputs[0]) === 1) inner.set(node.inputs[0], node);
  }
  const joined = new Set<Node>();
  const piecesOf = (node: NodeOf<"split">): readonly Value[] =>
    node.outputs.flatMap((piece) => {
      const next = inner.get(piece);
      if (next?.attributes.axis !== node.attributes.axis) return [piece];
      joined.add(next);
      return piecesOf(next);
    });
  const nodes = graph.nodes.flatMap((node): Node[] => {
    if (joined.has(node)) return [];
    if (node.op !== "split") return [node];
    const { axis } = node.attributes;
    const outputs = piecesOf(node);
    return [{ ...node, outputs, attributes: { axis, sizes: outputs.map(({ shape }) => shape[axis]) } }];
  });
  return { ...graph, nodes };
}

/**
 * Several splits of one array along one axis become one if it has every piece that somebody reads. They differ where
 * one reader, such as a rollout, needs only the first parameters of a network: tracing leaves the rest in one piece.
 */
export function shareSplits(graph: Graph): Graph {
  const uses = countUses(graph);
  const finest = new Map<string, NodeOf<"split">>();
  const keyOf = ({ inputs, attributes }: NodeOf<"split">) => `${inputs[0].id} ${attributes.axis}`;
  for (const node of graph.nodes) {
    if (node.op !== "split") continue;
    const best = finest.get(keyOf(node));
    if (!best || node.outputs.length > best.outputs.length) finest.set(keyOf(node), node);
  }
  const replaced = new Map<Value, Value>();
  const placed = new Set<Node>();
  const nodes = graph.nodes.flatMap((node): Node[] => {
    const inputs = node.inputs.map((value) => replaced.get(value) ?? value);
    if (node.op !== "split") return [{ ...node, inputs }];
    const fine = finest.get(keyOf(node))!;
    const instead = piecesAt(fine);
    const read = [...piecesAt(node)].filter(([, piece]) => uses.has(piece));
    if (!read.every(([place]) => instead.has(place))) return [{ ...node, inputs }];
    for (const [place, piece] of read) replaced.set(piece, instead.get(place)!);
    // The first of them stands for all.
    if (placed.has(fine)) return [];
    placed.add(fine);
    return [{ ...fine, inputs }];
  });
  const outputs = graph.outputs.map(({ name, value }) => ({ name, value: replaced.get(value) ?? value }));
  return { ...graph, nodes, outputs };
}

/** Pieces by where they begin and end. */
function piecesAt({ outputs, attributes: { axis } }: NodeOf<"split">): Map<string, Value> {
  let end = 0;
  return new Map(
    outputs.map((piece) => {
      const start = end;
      end += piece.shape[axis];
      return [`${start}-${end}`, piece];
    }),
  );
}
