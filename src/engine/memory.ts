// How much memory a program will want, so that one that cannot fit is refused with a sentence and not a crash.

import { bytesOf } from "./dtype.ts";
import { MemoryError } from "./errors.ts";
import type { Graph, OpName, Value } from "./ir.ts";

/** Operations whose result needs no memory of its own. */
const FREE: ReadonlySet<OpName> = new Set(["broadcast", "reshape", "transpose"]);

/** Bytes alive at once when nodes run in order, inputs and outputs included. */
export function peakBytes(graph: Graph): number {
  const lastUse = new Map<Value, number>();
  graph.nodes.forEach((node, i) => {
    for (const value of node.inputs) lastUse.set(value, i);
  });
  for (const { value } of [...graph.inputs, ...graph.outputs]) lastUse.set(value, Number.POSITIVE_INFINITY);
  let alive = graph.inputs.reduce((sum, { value }) => sum + bytesOf(value), 0);
  let peak = alive;
  graph.nodes.forEach((node, i) => {
    if (FREE.has(node.op)) return;
    for (const value of node.outputs) alive += bytesOf(value);
    peak = Math.max(peak, alive);
    for (const value of new Set([...node.inputs, ...node.outputs])) {
      if ((lastUse.get(value) ?? i) === i) alive -= bytesOf(value);
    }
  });
  return peak;
}

/** Throws if the graph wants more than this machine has left. Platforms that do not tell are not checked. */
export function checkMemory(graph: Graph): void {
  const needed = peakBytes(graph);
  const available = globalThis.process?.availableMemory?.();
  if (available !== undefined && needed > available) {
    throw new MemoryError(
      `${graph.name}: needs about ${gibibytes(needed)} of memory, and ${gibibytes(available)} are free; ` +
        "use a smaller network or batch.",
    );
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toPrecision(3)} GiB`;
}
