// Splits flat vectors at the border of a graph. A network splits its parameter vector into arrays, and their gradients are
// concatenated to a vector. If the runtime reads and writes the parts of a vector where they lie, nothing is copied.

import { countUses, type Graph, type Node, type NodeOf, type Value } from "../ir.ts";

/** A part of a vector, which is an input or an output of its own in the segmented graph. */
export interface Segment {
  readonly name: string;
  /** Where it begins in the vector. */
  readonly offset: number;
  readonly shape: readonly number[];
}

/** A graph with segments instead of a vector. */
export interface Segmented {
  readonly graph: Graph;
  readonly segments: readonly Segment[];
}

const segmentName = (name: string, offset: number) => `${name}[${offset}]`;

/** Replaces an input vector by the parts that the graph uses. If the graph does more than splitting it, it is one part. */
export function segmentInput(graph: Graph, name: string): Segmented {
  const { value: vector } = graph.inputs.find((port) => port.name === name)!;
  const users = usersOf(graph);
  const uses = countUses(graph);
  const [user] = users.get(vector) ?? [];
  const split = user?.op === "split" && uses.get(vector) === 1 ? user : undefined;
  const parts = split?.outputs ?? [vector];
  const removed = new Set<Node>(split && [split]);
  const replaced = new Map<Value, Value>();
  const inputs: { name: string; value: Value }[] = [];
  const segments: Segment[] = [];
  let offset = 0;
  for (const part of parts) {
    const own = segmentName(name, offset);
    const start = offset;
    offset += part.shape[0];
    if (!uses.has(part)) continue;
    const reshape = onlyReshape(part, users, uses);
    const value = reshape?.outputs[0] ?? part;
    if (reshape) removed.add(reshape);
    inputs.push({ name: own, value });
    segments.push({ name: own, offset: start, shape: value.shape });
    replaced.set(part, value);
  }
  return {
    graph: {
      ...graph,
      inputs: graph.inputs.flatMap((port) => (port.name === name ? inputs : [port])),
      nodes: graph.nodes.filter((node) => !removed.has(node)),
    },
    segments,
  };
}

/** Replaces an output vector by the parts that it is concatenated from. Parts that are always 0 are left out. */
export function segmentOutput(graph: Graph, name: string): Segmented {
  const { value: vector } = graph.outputs.find((port) => port.name === name)!;
  const producers = new Map<Value, Node>();
  for (const node of graph.nodes) for (const value of node.outputs) producers.set(value, node);
  const uses = countUses(graph);
  const removed = new Set<Node>();
  const partsOf = (value: Value): readonly Value[] => {
    const node = producers.get(value);
    if (node?.op !== "concatenate" || uses.get(value) !== 1) return [value];
    removed.add(node);
    return node.inputs.flatMap(partsOf);
  };
  const outputs: { name: string; value: Value }[] = [];
  const segments: Segment[] = [];
  let offset = 0;
  for (const part of partsOf(vector)) {
    const own = segmentName(name, offset);
    const start = offset;
    offset += part.shape[0];
    if (isZero(part, producers)) continue;
    const node = producers.get(part);
    const isReshape = node?.op === "reshape" && uses.get(part) === 1;
    const value = isReshape ? node.inputs[0] : part;
    if (isReshape) removed.add(node);
    outputs.push({ name: own, value });
    segments.push({ name: own, offset: start, shape: value.shape });
  }
  return {
    graph: {
      ...graph,
      outputs: graph.outputs.flatMap((port) => (port.name === name ? outputs : [port])),
      nodes: graph.nodes.filter((node) => !removed.has(node)),
    },
    segments,
  };
}

/** Leaves out inputs that no node uses and no output is. */
export function dropUnusedInputs(graph: Graph, names: ReadonlySet<string>): Graph {
  const uses = countUses(graph);
  return { ...graph, inputs: graph.inputs.filter(({ name, value }) => !names.has(name) || uses.has(value)) };
}

function usersOf(graph: Graph): ReadonlyMap<Value, readonly Node[]> {
  const users = new Map<Value, Node[]>();
  for (const node of graph.nodes) {
    for (const value of new Set(node.inputs)) users.set(value, [...(users.get(value) ?? []), node]);
  }
  return users;
}

/** The reshape of a value, if nothing else uses the value. */
function onlyReshape(
  value: Value,
  users: ReadonlyMap<Value, readonly Node[]>,
  uses: ReadonlyMap<Value, number>,
): NodeOf<"reshape"> | undefined {
  const [user] = users.get(value) ?? [];
  return uses.get(value) === 1 && user?.op === "reshape" ? user : undefined;
}

/** Whether a value is a constant of zeros, or one that is broadcast or reshaped. */
function isZero(value: Value, producers: ReadonlyMap<Value, Node>): boolean {
  const node = producers.get(value);
  if (node?.op === "broadcast" || node?.op === "reshape") return isZero(node.inputs[0], producers);
  return node?.op === "constant" && node.attributes.data.every((number) => number === 0);
}
