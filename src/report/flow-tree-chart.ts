// The flow from a state as a tree: edges are as wide as the learned flow, and coloured by its ratio to the flow of the target.

import { type ColourScale, colourOf } from "./colour-bar.ts";
import { emptyFigure, figure } from "./figure.ts";
import {
  edgePath,
  type FlowLayoutOptions,
  type FlowNodeData,
  flowLayout,
  NODE_WIDTH,
  type PlacedNode,
} from "./flow-layout.ts";
import { round, textAt } from "./svg-text.ts";
import { shortNumber } from "./text-format.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";
import { type ViewNotes, viewNotes } from "./view-notes.ts";

export interface FlowTreeData extends ViewNotes, FlowNodeData {
  /** Labels of the outcomes from the start to the state. */
  readonly labels: readonly string[];
}

const RATIO: ColourScale = { palette: "difference", label: "log₂ (learned / target)", most: 2 };
/** Colour of an edge whose target is not known. */
const UNKNOWN = "#9fb0bd";

export function flowTreeChart(data: FlowTreeData, options: FlowLayoutOptions = {}): string {
  const title = data.labels.length === 0 ? "Flow from the start" : `Flow from ${data.labels.join(" ")}`;
  const notes = viewNotes(data);
  if (!data.children || data.children.length === 0) return emptyFigure(title, notes);
  const { nodes, edges, height, width } = flowLayout(data, options);
  const hasTarget = nodes.some(({ target }) => target !== null);
  return figure({
    ...{ title, legend: [], columns: 1, panelHeight: height + 8 },
    ...(hasTarget && { bars: [RATIO] }),
    notes: [
      ...notes,
      "An edge is as wide as the probability that a trajectory of the learned policy takes it.",
      ...(hasTarget ? ["In brackets: the probability under the target."] : []),
    ],
    panels: [
      {
        draw: ({ x, y }) =>
          [
            `<g transform="translate(${round(x)},${round(y + 4)})">`,
            `<g stroke="${INK.past}" stroke-width="0.5" fill-opacity="0.85">`,
            ...edges.map((edge) => `<path d="${edgePath(edge)}" fill="${fillOf(nodes[edge.to])}"/>`),
            "</g>",
            ...nodes.map(drawNode),
            `<g paint-order="stroke" stroke="${INK.ground}" stroke-width="3" stroke-linejoin="round">`,
            ...nodes.map((node) => drawLabel(node, width)),
            "</g></g>",
          ].join(""),
      },
    ],
  });
}

/** More than the target is blue, less is orange. */
function fillOf({ learned, target }: PlacedNode): string {
  if (target === null) return UNKNOWN;
  if (target === 0) return colourOf(RATIO, learned > 0 ? RATIO.most : 0);
  return colourOf(RATIO, Math.max(-RATIO.most, Math.log2(Math.max(learned, 0) / target)));
}

function drawNode({ x, y, thickness, isObject }: PlacedNode): string {
  const fill = isObject ? INK.text : INK.faint;
  return `<rect x="${round(x)}" y="${round(y - thickness / 2)}" width="${NODE_WIDTH}" height="${round(thickness)}" fill="${fill}"/>`;
}

function drawLabel({ x, y, depth, state, label, learned, target }: PlacedNode, width: number): string {
  if (depth === 0) return "";
  const numbers = `${shortNumber(learned)}${target === null ? "" : ` (${shortNumber(target)})`}`;
  const room = width - x - NODE_WIDTH - 8 - textWidth(numbers, FONT_SIZE.note) - 12;
  const name = fitText(state || label, FONT_SIZE.note, Math.max(30, Math.min(120, room)));
  return textAt(x + NODE_WIDTH + 4, y + 4, `${name}  ${numbers}`);
}
