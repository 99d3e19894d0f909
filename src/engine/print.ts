// Prints a graph as text: one line per operation, with values numbered in order of definition. Equal graphs print
// equally, so tests can compare the text.

import { describeSpec, type TypedArray } from "./dtype.ts";
import type { Graph, Node, Value } from "./ir.ts";

/** Text of a graph. */
export function printGraph(graph: Graph): string {
  const names = new Map<Value, string>();
  const nameOf = (value: Value) => {
    const existing = names.get(value);
    if (existing) return existing;
    const name = `%${names.size - graph.inputs.length}`;
    names.set(value, name);
    return name;
  };
  for (const { name, value } of graph.inputs) names.set(value, name);
  const inputs = graph.inputs.map(({ name, value }) => `${name}: ${describeSpec(value)}`).join(", ");
  const lines = graph.nodes.map((node) => {
    const operands = node.inputs.map(nameOf).join(", ");
    const results = node.outputs.map((value) => `${nameOf(value)}: ${describeSpec(value)}`).join(", ");
    return `  ${results} = ${node.op}${attributes(node)}(${operands})`;
  });
  const outputs = graph.outputs.map(({ name, value }) => `${name}: ${nameOf(value)}`).join(", ");
  return [`${graph.name}(${inputs}) {`, ...lines, `  return { ${outputs} }`, "}"].join("\n");
}

function attributes(node: Node): string {
  const entries = Object.entries(node.attributes).map(([key, value]) =>
    key === "data" ? dataText(value as TypedArray) : `${key}=${text(value)}`,
  );
  return entries.length > 0 ? `<${entries.join(", ")}>` : "";
}

function text(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(text).join(", ")}]` : String(value);
}

function dataText(data: TypedArray): string {
  const shown = Array.from(data.subarray(0, 6), (x) => Number(x.toPrecision(7)));
  return data.length > 6 ? `${shown.join(" ")} … ${data.length} numbers` : shown.join(" ");
}
