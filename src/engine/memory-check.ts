// Estimates the memory that a program needs. A program that does not fit throws a MemoryError before it allocates.

import { formatBytes, memoryBudget } from "../math/memory-budget.ts";
import { bytesOf } from "./dtype.ts";
import { MemoryError } from "./errors.ts";
import type { Graph, OpName, Value } from "./ir.ts";
import type { Specs } from "./trace.ts";

/** Operations whose result is a view of their operand and takes no memory. */
const VIEWS: ReadonlySet<OpName> = new Set(["broadcast", "reshape", "transpose"]);

/** Largest number of bytes in use at one time when the nodes run in order, including inputs and outputs. */
export function peakBytes(graph: Graph): number {
  const viewedValue = new Map<Value, Value>();
  const storageOf = (value: Value) => viewedValue.get(value) ?? value;
  const lastUse = new Map<Value, number>();
  graph.nodes.forEach((node, i) => {
    if (VIEWS.has(node.op)) viewedValue.set(node.outputs[0], storageOf(node.inputs[0]));
    for (const value of node.inputs) lastUse.set(storageOf(value), i);
  });
  for (const { value } of [...graph.inputs, ...graph.outputs])
    lastUse.set(storageOf(value), Number.POSITIVE_INFINITY);
  // Outputs that are views are copied at the end.
  const views = graph.outputs.filter(({ value }) => viewedValue.has(value));
  let alive = [...graph.inputs, ...views].reduce((sum, { value }) => sum + bytesOf(value), 0);
  let peak = alive;
  graph.nodes.forEach((node, i) => {
    if (VIEWS.has(node.op)) return;
    for (const value of node.outputs) alive += bytesOf(value);
    peak = Math.max(peak, alive);
    for (const value of new Set([...node.inputs.map(storageOf), ...node.outputs])) {
      if ((lastUse.get(value) ?? i) === i) alive -= bytesOf(value);
    }
  });
  return peak;
}

/**
 * Ratio of process memory to array memory: the arena of ONNX Runtime grows in powers of two. The ratio was measured on
 * three sizes of one workload, so a program just below the limit may still be too large.
 */
const OVERHEAD = 1.7;

/** Throws if the inputs alone exceed the available memory. Called before tracing. */
export function checkInputMemory(program: string, specs: Specs): void {
  check(
    program,
    Object.values(specs).reduce((sum, spec) => sum + bytesOf(spec), 0),
  );
}

/** Throws if the graph needs more than the available memory. */
export function checkMemory(graph: Graph): void {
  check(graph.name, OVERHEAD * peakBytes(graph));
}

/** Checks nothing on platforms that do not report their free memory. */
function check(program: string, needed: number): void {
  const { memory: available } = memoryBudget();
  if (needed > available) {
    throw new MemoryError(
      `${program}: would take about ${formatBytes(needed)} of memory, but about ${formatBytes(available)} are available; ` +
        "use a smaller network or batch.",
    );
  }
}
