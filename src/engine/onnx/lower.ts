// Lowers a graph to one ONNX model: standard-domain operators only, every shape fixed.

import { type ArraySpec, describe } from "../dtype.ts";
import { countUses, type Graph, type NodeOf, type OpName, type Value } from "../ir.ts";
import { sameShape } from "../shape.ts";
import { Emitter } from "./emitter.ts";
import type { OnnxModel, OnnxPort } from "./model.ts";
import { lowerings } from "./operators.ts";
import { expanded, materialise, type View, viewOf, viewOn } from "./views.ts";

/** Operator set of the models we write: read by ONNX Runtime 1.14 and later. */
export const OPSET = 18;

/** `bitcast` needs an operator of this set: read by ONNX Runtime 1.27 and later. */
const BITCAST_OPSET = 26;

export interface LowerOptions {
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Vectors that go in or come out as matrices of one row, [1, N]: as such they can take part in products. */
  readonly rows?: ReadonlySet<string>;
  /** How many threads will run the model; unknown if anybody may. */
  readonly threads?: number;
}

/** The whole graph as one model whose inputs and outputs carry the graph's names. */
export function lower(
  graph: Graph,
  { description = "", metadata = {}, rows = new Set(), threads }: LowerOptions = {},
): OnnxModel {
  const emitter = new Emitter(threads);
  const shapeOf = (name: string, { shape }: Value) => (rows.has(name) ? [1, ...shape] : shape);
  const inputs: OnnxPort[] = graph.inputs.map(({ name, value }) => ({
    name,
    type: value.dtype,
    shape: shapeOf(name, value),
    description: describe(value),
  }));
  const given = inputs.map((port) => (rows.has(port.name) ? rowView(port) : viewOf(port)));
  const views = lowerNodes(emitter, graph, given);
  const outputs = graph.outputs.map(({ name: own, value }) => {
    const name = outputName(graph, own);
    const view = views.get(value)!;
    emitter.output(rows.has(own) ? expanded(emitter, view, [null, 0]) : materialise(emitter, view), name);
    return { name, type: value.dtype, shape: shapeOf(own, value), description: describe(value) };
  });
  const opset = graph.nodes.some(({ op }) => op === "bitcast") ? BITCAST_OPSET : OPSET;
  const nodes = emitter.finished();
  const read = new Set(nodes.flatMap((node) => node.inputs));
  const initializers = emitter.initializers.filter(({ name }) => read.has(name));
  return {
    name: graph.name,
    opset,
    description,
    nodes,
    initializers,
    inputs,
    outputs,
    metadata,
  };
}

/** A vector that lies in memory as a matrix of one row. */
function rowView(row: OnnxPort): View {
  return viewOn(row, [1], row.shape.slice(1));
}

/** Emits the nodes of a graph whose inputs are these views; what its values have become. */
export function lowerNodes(
  emitter: Emitter,
  graph: Graph,
  inputs: readonly View[],
): ReadonlyMap<Value, View> {
  const uses = countUses(graph);
  const views = new Map<Value, View>(graph.inputs.map(({ value }, i) => [value, inputs[i]]));
  const constants = new Map<Value, number>();
  for (const node of graph.nodes) {
    if (node.op === "constant" && node.attributes.data.length === 1) {
      constants.set(node.outputs[0], node.attributes.data[0]);
    }
    const lowering = lowerings[node.op] as (lowered: Lowered<OpName>) => readonly View[];
    const results = lowering({
      emitter,
      node,
      inputs: node.inputs.map((value) => views.get(value)!),
      usedOnce: (i) => uses.get(node.inputs[i]) === 1,
      constant: (i) => constants.get(node.inputs[i]),
    });
    node.outputs.forEach((value, i) => {
      checkShape(graph, node, value, results[i]);
      views.set(value, results[i]);
    });
  }
  return views;
}

/** Name of an output in the model. ONNX wants all names different, so state that comes out again is `next.NAME`. */
export function outputName(graph: Graph, name: string): string {
  const names = (ports: Graph["inputs"]) => ports.map((port) => port.name);
  if (!names(graph.inputs).includes(name)) return name;
  const taken = new Set([...names(graph.inputs), ...names(graph.outputs)]);
  let next = `next.${name}`;
  while (taken.has(next)) next = `next.${next}`;
  return next;
}

/** What a lowering gets to see of its node. */
export interface Lowered<K extends OpName> {
  readonly emitter: Emitter;
  readonly node: NodeOf<K>;
  readonly inputs: readonly View[];
  /** Whether operand i has no other reader. */
  usedOnce(i: number): boolean;
  /** The number that operand i is, if it is one. */
  constant(i: number): number | undefined;
}

function checkShape(graph: Graph, node: { op: string }, value: ArraySpec, view: View): void {
  if (!sameShape(view.shape, value.shape) || view.base.type !== value.dtype) {
    throw new Error(
      `internal: ${graph.name}: ${node.op} was lowered to ${view.base.type}[${view.shape}], not ${describe(value)}`,
    );
  }
}
