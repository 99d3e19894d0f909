// How much memory a program will want, so that one that cannot fit is refused with a sentence and not a crash.

import { bytesOf } from "./dtype.ts";
import { MemoryError } from "./errors.ts";
import type { Graph, OpName, Value } from "./ir.ts";
import type { Specs } from "./trace.ts";

/** Operations whose result is another view of their operand. */
const VIEWS: ReadonlySet<OpName> = new Set(["broadcast", "reshape", "transpose"]);

/** Bytes alive at once when nodes run in order, inputs and outputs included. */
export function peakBytes(graph: Graph): number {
  const viewed = new Map<Value, Value>();
  const stored = (value: Value) => viewed.get(value) ?? value;
  const lastUse = new Map<Value, number>();
  graph.nodes.forEach((node, i) => {
    if (VIEWS.has(node.op)) viewed.set(node.outputs[0], stored(node.inputs[0]));
    for (const value of node.inputs) lastUse.set(stored(value), i);
  });
  for (const { value } of [...graph.inputs, ...graph.outputs])
    lastUse.set(stored(value), Number.POSITIVE_INFINITY);
  // Outputs that are views are written out at the end.
  const views = graph.outputs.filter(({ value }) => viewed.has(value));
  let alive = [...graph.inputs, ...views].reduce((sum, { value }) => sum + bytesOf(value), 0);
  let peak = alive;
  graph.nodes.forEach((node, i) => {
    if (VIEWS.has(node.op)) return;
    for (const value of node.outputs) alive += bytesOf(value);
    peak = Math.max(peak, alive);
    for (const value of new Set([...node.inputs.map(stored), ...node.outputs])) {
      if ((lastUse.get(value) ?? i) === i) alive -= bytesOf(value);
    }
  });
  return peak;
}

/** The process takes more than the arrays: the runtime's arena grows in powers of two. A rough factor, seen on three
 * sizes of one workload: a program just under the limit may still be too large. */
const OVERHEAD = 1.7;

/** Throws if arrays of these specs are more than this machine has left: asked before anything is traced. */
export function checkInputMemory(program: string, specs: Specs): void {
  check(
    program,
    Object.values(specs).reduce((sum, spec) => sum + bytesOf(spec), 0),
  );
}

/** Throws if the graph wants more than this machine has left. */
export function checkMemory(graph: Graph): void {
  check(graph.name, OVERHEAD * peakBytes(graph));
}

/** Platforms that do not tell how much is free are not checked. */
function check(program: string, needed: number): void {
  const available = globalThis.process?.availableMemory?.();
  if (available !== undefined && needed > available) {
    throw new MemoryError(
      `${program}: needs about ${gibibytes(needed)} of memory, and ${gibibytes(available)} are free; ` +
        "use a smaller network or batch.",
    );
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toPrecision(3)} GiB`;
}
