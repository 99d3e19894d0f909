// Heat map of how often each letter occurs at each position: one row per letter, darker cells for higher fractions.

import { rect } from "@observablehq/plot";
import type { Scale } from "./axis.ts";
import { axisMarks, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { type Letters, letterFrequencies, positionTicks } from "./letter-frequencies.ts";
import { drawPlot } from "./plot.ts";
import { FONT_SIZE, fitText, INK, textWidth } from "./theme.ts";

export interface CompositionChart {
  readonly title: string;
  /** The tokens of the alphabet, by index. */
  readonly tokens: readonly string[];
  readonly strings: readonly Letters[];
  readonly notes?: readonly string[];
}

interface Cell {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
  readonly colour: string;
}

/** Colour of a cell with all strings; a cell with none has the colour of the ground. */
const FULL = [0, 82, 145] as const;
/** Name of the row for strings that are shorter. */
const ENDED = "(ended)";
/** Maximum width of a token, in pixels. */
const MAX_TOKEN_WIDTH = 90;

/** The chart as SVG. */
export function compositionChart({ title, tokens, strings, notes = [] }: CompositionChart): string {
  const positions = letterFrequencies(strings, tokens.length);
  if (positions.length === 0) return emptyFigure(title, notes);
  const hasEnded = positions.some(({ reached }) => reached < 1);
  const names = [...tokens, ...(hasEnded ? [ENDED] : [])].map((name) =>
    fitText(name, FONT_SIZE.note, MAX_TOKEN_WIDTH),
  );
  const cells = positions.flatMap(({ reached, fractions }, position) =>
    names.flatMap((_, row): Cell[] => {
      const fraction = row < tokens.length ? fractions[row] * reached : 1 - reached;
      if (fraction === 0) return [];
      const y = names.length - 1 - row;
      return [
        {
          ...{ left: position + 0.5, right: position + 1.5, bottom: y - 0.5, top: y + 0.5 },
          colour: colourOf(fraction),
        },
      ];
    }),
  );
  const x: Scale = {
    ...{ type: "linear", domain: [0.5, positions.length + 0.5], title: "position" },
    ticks: positionTicks(1, positions.length),
  };
  const y: Scale = {
    ...{ type: "linear", domain: [-0.5, names.length - 0.5], title: "" },
    ticks: names.map((text, row) => ({ value: names.length - 1 - row, text })),
  };
  const marginLeft = 14 + Math.max(...names.map((name) => textWidth(name, FONT_SIZE.note)));
  const rowHeight = names.length > 12 ? 14 : 22;
  return figure({
    ...{ title, notes, columns: 1 },
    panelHeight: PANEL_MARGINS.marginBottom + 6 + rowHeight * names.length,
    legend: [0.1, 0.25, 0.5, 1].map(
      (fraction): LegendEntry => ({
        ...{ name: `${100 * fraction} %`, mark: "area", colour: colourOf(fraction), dash: "" },
      }),
    ),
    panels: [
      {
        draw: (rectangle) =>
          drawPlot(
            {
              ...{ ...PANEL_MARGINS, marginTop: 6, marginLeft },
              x: { domain: x.domain },
              y: { domain: y.domain },
              marks: [
                ...axisMarks({ x, y }, { width: rectangle.width - marginLeft, yTitle: false, rows: true }),
                rect(cells, {
                  ...{ x1: "left", x2: "right", y1: "bottom", y2: "top" },
                  fill: (cell: Cell) => cell.colour,
                }),
              ],
            },
            rectangle,
          ),
      },
    ],
  });
}

/** Between the ground and the full colour; the square root makes small fractions visible. */
function colourOf(fraction: number): string {
  const share = Math.sqrt(Math.min(1, fraction));
  const ground = [1, 3, 5].map((at) => Number.parseInt(INK.ground.slice(at, at + 2), 16));
  const mixed = FULL.map((full, i) => Math.round(ground[i] + share * (full - ground[i])));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
