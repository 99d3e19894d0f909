// Operator fusion: replaces groups of ONNX nodes by one operator that computes the same result, which saves time
// because each node costs time. A group is only replaced if nothing else uses its intermediate results.

import { fuseLayerNormalisation, fuseStandardisation } from "./fusion/layer-normalisation.ts";
import { fuseOneHotArgmax } from "./fusion/one-hot-argmax.ts";
import { type EmittedGraph, nodeLookup } from "./fusion/pattern.ts";
import { fuseScaledSum } from "./fusion/scaled-sum.ts";
import type { OnnxNode } from "./model.ts";

/** The nodes after fusion of layer normalisations, one-hot argmaxes and scaled sums of long vectors. */
export function fuseOperators(emitted: EmittedGraph): OnnxNode[] {
  const graph = nodeLookup(emitted);
  const insertedAt = new Map<OnnxNode, readonly OnnxNode[]>();
  const removed = new Set<OnnxNode>();
  for (const node of emitted.nodes) {
    const fusion =
      fuseLayerNormalisation(graph, emitted, node) ??
      fuseStandardisation(graph, emitted, node) ??
      fuseOneHotArgmax(graph, emitted, node) ??
      fuseScaledSum(graph, emitted, node);
    if (!fusion) continue;
    insertedAt.set(fusion.insertAt, fusion.nodes);
    for (const part of fusion.replaced) removed.add(part);
  }
  const nodes = emitted.nodes.flatMap((node) => insertedAt.get(node) ?? (removed.has(node) ? [] : [node]));
  return insertedAt.size > 0 ? dropUnused(nodes, emitted.outputs) : nodes;
}

/** Removes nodes whose outputs are no longer used, such as reshaped constants of replaced nodes. */
function dropUnused(nodes: readonly OnnxNode[], outputs: ReadonlySet<string>): OnnxNode[] {
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return nodes.filter(({ operator, outputs: produced }) =>
    operator === "Identity" ? true : produced.some((name) => used.has(name) || outputs.has(name)),
  );
}
