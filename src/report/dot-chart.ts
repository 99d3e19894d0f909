// Dot chart of one number per method: mean, standard deviation and the value of each seed; one row per method.

import { dot, link } from "@observablehq/plot";
import { mean, standardDeviation } from "../math/statistics.ts";
import { type Axis, isPlottable, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import { omittedCountNotes } from "./plottable.ts";
import type { Rectangle } from "./rectangle.ts";
import { FONT_SIZE, fitText, styleOf, textWidth } from "./theme.ts";

/** A method and its value for each seed. */
export interface DotGroup {
  readonly name: string;
  readonly values: readonly number[];
}

export interface DotPanel {
  readonly title?: string;
  readonly groups: readonly DotGroup[];
}

export interface DotChart {
  readonly title: string;
  readonly value: Axis;
  /** The panels are drawn side by side with a common axis. */
  readonly panels: readonly DotPanel[];
  readonly notes?: readonly string[];
  /** All names that occur in a set of figures, in order, so that a name has the same colour in every figure. */
  readonly order?: readonly string[];
}

const ROW = 30;
/** Vertical offset of the dots of single seeds in pixels, so that the dot of the mean does not cover them. */
const SEED_OFFSET = 8;
/** Maximum width of a name, in pixels. */
const MAX_NAME_WIDTH = 190;

/** The chart as SVG. Values that cannot be plotted are omitted; a note counts them. */
export function dotChart({ title, value, panels, notes = [], order = [] }: DotChart): string {
  const allValues = panels.flatMap(({ groups }) => groups.flatMap(({ values }) => values));
  const type = scaleType(value, allValues);
  const isShown = (number: number) => isPlottable(number, type);
  const missing = allValues.filter((number) => !isShown(number)).length;
  const allNotes = [...notes, ...omittedCountNotes(missing, allValues.length, "values", type)];
  if (missing === allValues.length) return emptyFigure(title, allNotes);

  const names = [...new Set(panels.flatMap(({ groups }) => groups.map(({ name }) => name)))];
  const styleOrder = [...new Set([...order, ...names])];
  const rows = panels.map(({ groups }) =>
    groups.flatMap((group) => rowOf(group, names, styleOrder, isShown)),
  );
  const ends = rows.flat().flatMap(({ from, to, seeds }) => [from, to, ...seeds]);
  const scale = scaleOf(value, type, ends.filter(isShown), {
    room: 0.08,
    count: panels.length > 1 ? 3.5 : 8,
  });
  const labels = names.map((name) => fitText(name, FONT_SIZE.note, MAX_NAME_WIDTH));
  return figure({
    ...{ title, notes: allNotes, legend: [], columns: panels.length === 4 ? 2 : 3 },
    panelHeight: PANEL_MARGINS.marginBottom + 6 + ROW * names.length,
    rowMargin: Math.max(...labels.map((name) => textWidth(name, FONT_SIZE.note))) + 4,
    panels: panels.map((panel, i) => ({
      title: panel.title,
      draw: (rectangle, first) => drawPanel(rows[i], scale, labels, rectangle, first),
    })),
  });
}

interface Row {
  /** Index of the row, counted from the bottom as y is. */
  readonly row: number;
  readonly colour: string;
  readonly mean: number;
  readonly from: number;
  readonly to: number;
  readonly seeds: readonly number[];
}

function rowOf(
  { name, values }: DotGroup,
  names: readonly string[],
  styleOrder: readonly string[],
  isShown: (value: number) => boolean,
): Row[] {
  const seeds = values.filter(isShown);
  if (seeds.length === 0) return [];
  const [centre, deviation] = [mean(seeds), standardDeviation(seeds) || 0];
  // On a logarithmic axis, a line cannot start at a value that is not positive.
  const from = isShown(centre - deviation) ? centre - deviation : Math.min(...seeds);
  const row = names.length - 1 - names.indexOf(name);
  return [
    {
      row,
      colour: styleOf(styleOrder.indexOf(name)).colour,
      mean: centre,
      from,
      to: centre + deviation,
      seeds,
    },
  ];
}

function drawPanel(
  rows: readonly Row[],
  scale: Scale,
  names: readonly string[],
  rectangle: Rectangle,
  first: boolean,
): string {
  const y: Scale = {
    ...{ type: "linear", domain: [-0.5, names.length - 0.5], title: "" },
    ticks: names.map((text, i) => ({ value: names.length - 1 - i, text: first ? text : "" })),
  };
  const rowMargin = first ? Math.max(...names.map((name) => textWidth(name, FONT_SIZE.note))) + 4 : 0;
  const seeds = rows.flatMap((row) => row.seeds.map((seed) => ({ ...row, seed })));
  return drawPlot(
    {
      ...{ ...PANEL_MARGINS, marginTop: 6, marginLeft: 10 + rowMargin },
      x: { type: scale.type, domain: scale.domain },
      y: { type: "linear", domain: y.domain },
      marks: [
        ...axisMarks({ x: scale, y }, { width: rectangle.width - rowMargin, yTitle: false, rows: true }),
        link(rows, { x1: "from", x2: "to", y1: "row", y2: "row", stroke: "colour", strokeWidth: 2 }),
        dot(seeds, { x: "seed", y: "row", r: 2, dy: SEED_OFFSET, fill: "colour", fillOpacity: 0.5 }),
        dot(rows, { x: "mean", y: "row", r: 4.5, fill: "colour", stroke: "white" }),
      ],
    },
    rectangle,
  );
}
