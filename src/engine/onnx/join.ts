// Joins the nodes of a row normalisation into the one ONNX operator that does it: less time between nodes, and less to set
// up. Only where nobody else reads what lies between. A gradient reads the rows before gain and bias, and what they were
// divided by: the operator gives both, and gain and bias stay apart.

import type { OnnxInitializer, OnnxNode } from "./model.ts";

export interface Emitted {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  /** Names of tensors that are outputs of the graph. */
  readonly outputs: ReadonlySet<string>;
  shapeOf(name: string): readonly number[] | undefined;
  /** The name of a constant: so many ones. */
  ones(count: number): string;
}

/** The nodes with every normalisation of rows, (x − mean) / √(variance + ε) · gain + bias, as one of them. */
export function joined(emitted: Emitted): OnnxNode[] {
  const graph = readable(emitted);
  const instead = new Map<OnnxNode, OnnxNode>();
  const gone = new Set<OnnxNode>();
  for (const node of emitted.nodes) {
    const match = normalisation(graph, emitted, node) ?? standardisation(graph, emitted, node);
    if (!match) continue;
    instead.set(match.at, match.node);
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

interface Readable {
  /** The node that makes a tensor, if it is this operator and the tensor is read so often (if that is said). */
  made(name: string, operator: string, readers?: number): OnnxNode | undefined;
  /** The number that a constant is. */
  number(name: string): number | undefined;
  /** Whole numbers of a constant. */
  list(name: string): readonly number[] | undefined;
}

function readable({ nodes, initializers, outputs }: Emitted): Readable {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const constants = new Map(initializers.map((constant) => [constant.name, constant.data] as const));
  const readers = new Map<string, number>();
  for (const name of nodes.flatMap(({ inputs }) => inputs)) readers.set(name, (readers.get(name) ?? 0) + 1);
  return {
    made(name, operator, count) {
      const node = makers.get(name);
      const free = count === undefined || (readers.get(name) === count && !outputs.has(name));
      const fits = node?.operator === operator && free;
      return fits ? node : undefined;
    },
    number(name) {
      // Numbers may have been given more dimensions.
      const maker = makers.get(name);
      const data = constants.get(maker?.operator === "Reshape" ? maker.inputs[0] : name);
      return data?.length === 1 ? Number(data[0]) : undefined;
    },
    list: (name) => {
      const data = constants.get(name);
      return data && Array.from(data as ArrayLike<number | bigint>, Number);
    },
  };
}

interface Match {
  readonly node: OnnxNode;
  /** Where it goes: all that it reads is made before, and all that reads it comes after. */
  readonly at: OnnxNode;
  readonly parts: readonly OnnxNode[];
}

/** (x − mean) / √(variance + ε) · gain + bias, read backwards from the node that adds the bias. */
function normalisation(graph: Readable, { shapeOf }: Emitted, node: OnnxNode): Match | undefined {
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
        node: layerNormalization(rows, [gain, bias], node.outputs),
        at: node,
        parts: [node, scale, divided, ...rows.parts],
      };
    }
  }
  return undefined;
}

/** (x − mean) · (1 / √(variance + ε)) where others read the second factor, too. */
function standardisation(graph: Readable, { shapeOf, ones }: Emitted, node: OnnxNode): Match | undefined {
  if (node.operator !== "Mul") return undefined;
  for (const [centred, scale] of bothWays(node)) {
    const reciprocal = graph.made(scale, "Reciprocal");
    const rows = reciprocal && rowsOf(graph, shapeOf, centred, reciprocal.inputs[0]);
    if (!rows || shapeOf(scale)?.at(-1) !== 1) continue;
    const outputs = [...node.outputs, "", scale];
    return {
      node: layerNormalization(rows, [ones(rows.width)], outputs),
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

function bothWays({ inputs: [a, b] }: OnnxNode): [string, string][] {
  return [
    [a, b],
    [b, a],
  ];
}
