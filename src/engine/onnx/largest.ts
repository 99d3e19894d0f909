// One-hot rows at the first of the largest numbers of each row, as gfn/draw.ts spells them: where a row is level with its
// largest, ranked so that the first ranks highest, and level with the highest rank. ONNX has an operator that finds it.
// Of a row that is not a number it gives one place, where the comparisons give all.

import type { Emitted, Match, Readable } from "./match.ts";
import { ELEMENT_TYPES, type OnnxNode } from "./model.ts";

/** Read backwards from the node that makes numbers of the last comparison. */
export function largest(graph: Readable, emitted: Emitted, node: OnnxNode): Match | undefined {
  const highest = levelWithLargest(graph, emitted, node);
  const ranked = highest && graph.made(highest.rows, "Mul", 2);
  if (!highest || !ranked) return undefined;
  const [level, ranks] = ranked.inputs;
  const first = levelWithLargest(graph, emitted, graph.made(level, "Cast", 1));
  const numbers = graph.list(ranks);
  const falls = numbers?.every((rank, i, all) => rank > (all[i + 1] ?? 0));
  const width = emitted.shapeOf(highest.rows)?.at(-1);
  const alongRows = numbers?.length === width && emitted.shapeOf(ranks)?.at(-1) === width;
  if (!first || !numbers || !falls || !alongRows) return undefined;
  const [place, chosen] = [emitted.between(), emitted.between()];
  const places = emitted.integers(numbers.map((_, i) => i));
  return {
    nodes: [
      { operator: "ArgMax", inputs: [first.rows], outputs: [place], attributes: { axis: -1 } },
      { operator: "Equal", inputs: [places, place], outputs: [chosen], attributes: {} },
      { ...node, inputs: [chosen] },
    ],
    at: node,
    parts: [node, ranked, ...highest.parts, ...first.parts],
  };
}

/** The name of rows of which this node says, in numbers, where they are level with their largest. */
function levelWithLargest(
  graph: Readable,
  { shapeOf }: Emitted,
  cast: OnnxNode | undefined,
): { rows: string; parts: OnnxNode[] } | undefined {
  if (cast?.operator !== "Cast" || cast.attributes.to !== ELEMENT_TYPES.float32) return undefined;
  const equal = graph.made(cast.inputs[0], "Equal", 1);
  const most = equal && graph.made(equal.inputs[1], "ReduceMax", 1);
  const [rows] = equal?.inputs ?? [];
  if (!equal || !most || most.inputs[0] !== rows || most.attributes.keepdims !== 1) return undefined;
  const last = (shapeOf(rows)?.length ?? 0) - 1;
  return String(graph.list(most.inputs[1])) === String([last])
    ? { rows, parts: [cast, equal, most] }
    : undefined;
}
