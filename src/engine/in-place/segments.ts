// Splits flat vectors at the border of a graph. A network splits its parameter vector into arrays, and their gradients are
// concatenated to a vector. If the runtime reads and writes the parts of a vector where they lie, nothing is copied. Each input
// and output of a call costs some microseconds, though, more than it costs to copy a short part; so short neighbours share a
// segment, which the graph splits or concatenates.

import { countUses, type Graph, GraphBuilder, type Node, type NodeOf, type Value } from "../ir.ts";

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

/** Longest segment that several parts share, in numbers. */
const LONGEST_SHARED = 16_384;

/** Replaces an input vector by the parts that the graph uses. If the graph does more than splitting it, it is one part. */
export function segmentInput(graph: Graph, name: string): Segmented {
  const { value: vector } = graph.inputs.find((port) => port.name === name)!;
  const users = usersOf(graph);
  const uses = countUses(graph);
  const [user] = users.get(vector) ?? [];
  const split = user?.op === "split" && uses.get(vector) === 1 ? user : undefined;
  const removed = new Set<Node>(split && [split]);
  const splits = GraphBuilder.after(graph);
  const parts = partsFrom(split?.outputs ?? [vector]).filter(({ value }) => uses.has(value));
  const ports = neighbours(parts).map((group) => {
    const [{ value: part, offset }] = group;
    if (group.length > 1) {
      const sizes = group.map(({ value }) => value.shape[0]);
      const shared = splits.value({ shape: [sizes.reduce((a, b) => a + b)], dtype: part.dtype });
      const outputs = group.map(({ value }) => value);
      splits.nodes.push({ op: "split", inputs: [shared], attributes: { axis: 0, sizes }, outputs });
      return portAt(name, offset, shared);
    }
    const reshape = onlyReshape(part, users, uses);
    if (reshape) removed.add(reshape);
    return portAt(name, offset, reshape?.outputs[0] ?? part);
  });
  return {
    graph: {
      ...graph,
      inputs: graph.inputs.flatMap((port) => (port.name === name ? ports : [port])),
      nodes: [...splits.nodes, ...graph.nodes.filter((node) => !removed.has(node))],
    },
    segments: ports.map(segmentOf),
  };
}

/** Replaces an output vector by the parts that it is concatenated from. Parts that are always 0 are left out. */
export function segmentOutput(graph: Graph, name: string): Segmented {
  const { value: vector } = graph.outputs.find((port) => port.name === name)!;
  const producers = new Map<Value, Node>();
  for (const node of graph.nodes) for (const value of node.outputs) producers.set(value, node);
  const uses = countUses(graph);
  const removed = new Set<Node>();
  const operandsOf = (value: Value): readonly Value[] => {
    const node = producers.get(value);
    if (node?.op !== "concatenate" || uses.get(value) !== 1) return [value];
    removed.add(node);
    return node.inputs.flatMap(operandsOf);
  };
  const concatenations = GraphBuilder.after(graph);
  const parts = partsFrom(operandsOf(vector)).filter(({ value }) => !isZero(value, producers));
  const ports = neighbours(parts).map((group) => {
    const [{ value: part, offset }] = group;
    if (group.length > 1) {
      const values = group.map(({ value }) => value);
      const shape = [values.reduce((sum, value) => sum + value.shape[0], 0)];
      const [shared] = concatenations.add("concatenate", values, { axis: 0 }, [{ shape, dtype: part.dtype }]);
      return portAt(name, offset, shared);
    }
    const node = producers.get(part);
    const isReshape = node?.op === "reshape" && uses.get(part) === 1;
    if (isReshape) removed.add(node);
    return portAt(name, offset, isReshape ? node.inputs[0] : part);
  });
  return {
    graph: {
      ...graph,
      outputs: graph.outputs.flatMap((port) => (port.name === name ? ports : [port])),
      nodes: [...graph.nodes.filter((node) => !removed.has(node)), ...concatenations.nodes],
    },
    segments: ports.map(segmentOf),
  };
}

/** A part of a vector in a graph. */
interface Part {
  readonly value: Value;
  readonly offset: number;
}

function partsFrom(values: readonly Value[]): Part[] {
  let next = 0;
  return values.map((value) => {
    const offset = next;
    next += value.shape[0];
    return { value, offset };
  });
}

/** Groups of parts that follow each other without a gap, at most `LONGEST_SHARED` numbers each. Longer parts stay alone. */
function neighbours(parts: readonly Part[]): Part[][] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isNext = last !== undefined && last.offset + last.value.shape[0] === part.offset;
    const length = part.offset + part.value.shape[0] - (group?.[0].offset ?? 0);
    if (group && isNext && length <= LONGEST_SHARED) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

interface SegmentPort {
  readonly name: string;
  readonly offset: number;
  readonly value: Value;
}

function portAt(vector: string, offset: number, value: Value): SegmentPort {
  return { name: `${vector}[${offset}]`, offset, value };
}

const segmentOf = ({ name, offset, value }: SegmentPort): Segment => ({ name, offset, shape: value.shape });

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
