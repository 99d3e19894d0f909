// Lowers a graph to an ONNX model with standard-domain operators and fixed shapes.

import { type ArraySpec, describeSpec } from "../dtype.ts";
import { countUses, type Graph, type NodeOf, type OpName, type Value } from "../ir.ts";
import { sameShape } from "../shape.ts";
import { Emitter } from "./emitter.ts";
import type { OnnxModel, OnnxPort } from "./model.ts";
import { lowerings } from "./operators.ts";
import { arrangeExpanded, materialise, type View, viewOf, viewOn } from "./views.ts";

/** Operator set of exported models. ONNX Runtime 1.14 and later support it. */
export const OPSET = 18;

/** Operator set of models with `bitcast`. ONNX Runtime 1.27 and later support it. */
const BITCAST_OPSET = 26;

export interface LowerOptions {
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Names of inputs and outputs that are vectors [N] in the graph and matrices [1, N] in the model, for matrix products. */
  readonly rowVectors?: ReadonlySet<string>;
  /** Number of threads that will run the model. Omit if unknown. */
  readonly threads?: number;
  /** Whether ONNX Runtime for WebAssembly will run the model. Default: false. */
  readonly inWebAssembly?: boolean;
}

/** The graph as an ONNX model. Inputs and outputs keep their names (see `outputName` for the exception). */
export function lower(
  graph: Graph,
  { description = "", metadata = {}, rowVectors = new Set(), threads, inWebAssembly }: LowerOptions = {},
): OnnxModel {
  const emitter = new Emitter({ threads, inWebAssembly });
  const shapeOf = (name: string, { shape }: Value) => (rowVectors.has(name) ? [1, ...shape] : shape);
  const inputs: OnnxPort[] = graph.inputs.map(({ name, value }) => ({
    name,
    type: value.dtype,
    shape: shapeOf(name, value),
    description: describeSpec(value),
  }));
  const inputViews = inputs.map((port) => (rowVectors.has(port.name) ? rowView(port) : viewOf(port)));
  const views = lowerNodes(emitter, graph, inputViews);
  const outputs = graph.outputs.map(({ name: graphName, value }) => {
    const name = outputName(graph, graphName);
    const view = views.get(value)!;
    emitter.nameOutput(
      rowVectors.has(graphName) ? arrangeExpanded(emitter, view, [null, 0]) : materialise(emitter, view),
      name,
    );
    return { name, type: value.dtype, shape: shapeOf(graphName, value), description: describeSpec(value) };
  });
  const opset = graph.nodes.some(({ op }) => op === "bitcast") ? BITCAST_OPSET : OPSET;
  const nodes = emitter.finishedNodes();
  const used = new Set(nodes.flatMap((node) => node.inputs));
  const initializers = emitter.initializers.filter(({ name }) => used.has(name));
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

/** View of a [1, N] matrix as a vector [N]. */
function rowView(row: OnnxPort): View {
  return viewOn(row, [1], row.shape.slice(1));
}

/** Emits the nodes of a graph whose inputs are these views. Returns the view of each value. */
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
    const lowering = lowerings[node.op] as (lowered: LoweringContext<OpName>) => readonly View[];
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

/** Name of an output in the model. ONNX requires unique names, so an output with the name of an input is `next.NAME`. */
export function outputName(graph: Graph, name: string): string {
  const names = (ports: Graph["inputs"]) => ports.map((port) => port.name);
  if (!names(graph.inputs).includes(name)) return name;
  const taken = new Set([...names(graph.inputs), ...names(graph.outputs)]);
  let next = `next.${name}`;
  while (taken.has(next)) next = `next.${next}`;
  return next;
}

/** A node and the views of its inputs, for the function that lowers it. */
export interface LoweringContext<K extends OpName> {
  readonly emitter: Emitter;
  readonly node: NodeOf<K>;
  readonly inputs: readonly View[];
  /** Whether operand i has no other use. */
  usedOnce(i: number): boolean;
  /** The value of operand i if it is a one-element constant. */
  constant(i: number): number | undefined;
}

function checkShape(graph: Graph, node: { op: string }, value: ArraySpec, view: View): void {
  if (!sameShape(view.shape, value.shape) || view.base.type !== value.dtype) {
    throw new Error(
      `internal: ${graph.name}: ${node.op} was lowered to ${view.base.type}[${view.shape}], not ${describeSpec(value)}`,
    );
  }
}
