// Joins the nodes of a row normalisation into the one ONNX operator that does it: less time between nodes, and less to set
// up. Only where nobody else reads what lies between; what a gradient needs again stays apart.

import type { OnnxInitializer, OnnxNode } from "./model.ts";

export interface Emitted {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  /** Names of tensors that are outputs of the graph. */
  readonly outputs: ReadonlySet<string>;
  shapeOf(name: string): readonly number[] | undefined;
}

/** The nodes with every normalisation of rows, (x − mean) / √(variance + ε) · gain + bias, as one of them. */
export function joined(emitted: Emitted): OnnxNode[] {
  const graph = readable(emitted);
  const instead = new Map<OnnxNode, OnnxNode>();
  const gone = new Set<OnnxNode>();
  for (const node of emitted.nodes) {
    const match = normalisation(graph, emitted, node);
    if (!match) continue;
    instead.set(node, match.node);
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
  /** The node that makes a tensor, if it is this operator and the tensor is read so often. */
  made(name: string, operator: string, readers: number): OnnxNode | undefined;
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
      const fits = node?.operator === operator && readers.get(name) === count && !outputs.has(name);
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

/** Reads backwards from the node that adds the bias. */
function normalisation(
  graph: Readable,
  { shapeOf }: Emitted,
  node: OnnxNode,
): { node: OnnxNode; parts: OnnxNode[] } | undefined {
  if (node.operator !== "Add") return undefined;
  for (const [scaled, bias] of bothWays(node)) {
    const scale = graph.made(scaled, "Mul", 1);
    for (const [standard, gain] of scale ? bothWays(scale) : []) {
      const found = standardised(graph, shapeOf, standard);
      if (!scale || !found) continue;
      const width = [found.width];
      if (String(shapeOf(gain)) !== String(width) || String(shapeOf(bias)) !== String(width)) continue;
      return {
        node: {
          operator: "LayerNormalization",
          inputs: [found.x, gain, bias],
          outputs: node.outputs,
          attributes: { axis: -1, epsilon: { float: found.epsilon } },
        },
        parts: [node, scale, ...found.parts],
      };
    }
  }
  return undefined;
}

/** (x − mean) / √(variance + ε). */
function standardised(graph: Readable, shapeOf: Emitted["shapeOf"], name: string) {
  const divided = graph.made(name, "Div", 1);
  const root = divided && graph.made(divided.inputs[1], "Sqrt", 1);
  const raised = root && graph.made(root.inputs[0], "Add", 1);
  if (!divided || !root || !raised) return undefined;
  const [centredName] = divided.inputs;
  // Read twice by its square, and once here.
  const centred = graph.made(centredName, "Sub", 3);
  if (!centred) return undefined;
  const [x, mean] = centred.inputs;
  const width = shapeOf(x)?.at(-1);
  for (const [variance, epsilonName] of bothWays(raised)) {
    const epsilon = graph.number(epsilonName);
    const spread = meanOfRows(graph, shapeOf, variance, width);
    const square = spread && graph.made(spread.of, "Mul", 1);
    const middle = meanOfRows(graph, shapeOf, mean, width);
    const isSquare = square?.inputs.every((input) => input === centredName);
    if (epsilon === undefined || !spread || !square || !isSquare || middle?.of !== x || !width) continue;
    return {
      x,
      width,
      epsilon,
      parts: [divided, root, raised, centred, square, ...spread.parts, ...middle.parts],
    };
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
    if (!sum || !isMean || sum.attributes.keepdims !== 1) continue;
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
