// Joins nodes where ONNX has one operator that does their work: less time between nodes, and less to set up. Only where
// nobody else reads what lies between.

import { largest } from "./largest.ts";
import { type Emitted, readable } from "./match.ts";
import type { OnnxNode } from "./model.ts";
import { normalisation, standardisation } from "./normalisation.ts";
import { scaledSum } from "./scaled-sum.ts";

/** The nodes, with normalisations of rows, choices of the largest in a row and scaled sums of long rows as fewer of them. */
export function joined(emitted: Emitted): OnnxNode[] {
  const graph = readable(emitted);
  const instead = new Map<OnnxNode, readonly OnnxNode[]>();
  const gone = new Set<OnnxNode>();
  for (const node of emitted.nodes) {
    const match =
      normalisation(graph, emitted, node) ??
      standardisation(graph, emitted, node) ??
      largest(graph, emitted, node) ??
      scaledSum(graph, emitted, node);
    if (!match) continue;
    instead.set(match.at, match.nodes);
    for (const part of match.parts) gone.add(part);
  }
  const nodes = emitted.nodes.flatMap((node) => instead.get(node) ?? (gone.has(node) ? [] : [node]));
  return instead.size > 0 ? withReaders(nodes, emitted.outputs) : nodes;
}

/** Without nodes that nobody reads any more, such as the numbers of what was joined. */
function withReaders(nodes: readonly OnnxNode[], outputs: ReadonlySet<string>): OnnxNode[] {
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  return nodes.filter(({ operator, outputs: made }) =>
    operator === "Identity" ? true : made.some((name) => read.has(name) || outputs.has(name)),
  );
}
