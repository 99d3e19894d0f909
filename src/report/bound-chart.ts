// Bar chart of measured values against their bounds, one bar per check: learned distances beside their exact limits and the allowed maximum.

import { rectX, ruleX, text } from "@observablehq/plot";
import { type Axis, isPlottable, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, PANEL_MARGINS } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import { omittedCountNotes } from "./plottable.ts";
import type { Rectangle } from "./rectangle.ts";
import { shortNumber } from "./text-format.ts";
import { FONT_SIZE, fitText, INK, styleOf, textWidth } from "./theme.ts";

/** A measured value that should be small, with its bounds. */
export interface BoundedValue {
  readonly name: string;
  /** The measured value, e.g. the total variation of a learned policy. */
  readonly reached: number;
  /** The smallest reachable value. Optional. */
  readonly limit?: number;
  /** The largest allowed value. Optional. */
  readonly bound?: number;
}

export interface BoundChart {
  readonly title: string;
  readonly value: Axis;
  readonly items: readonly BoundedValue[];
  readonly notes?: readonly string[];
}

const ROW = 26;
/** Half of the height of a bar, as a fraction of its row. */
const HALF_BAR = 0.3;
/** Maximum width of a name, in pixels. */
const MAX_NAME_WIDTH = 230;

const WITHIN: LegendEntry = { name: "within its bound", mark: "area", ...styleOf(0), opacity: 0.75 };
const EXCEEDED: LegendEntry = { name: "exceeds its bound", mark: "area", ...styleOf(5), opacity: 0.75 };
const UNBOUNDED: LegendEntry = { name: "no bound", mark: "area", ...styleOf(6), opacity: 0.75 };
const LIMIT: LegendEntry = { name: "limit: best possible", mark: "line", colour: INK.text, dash: "" };
const BOUND: LegendEntry = {
  name: "bound: largest allowed",
  mark: "line",
  colour: INK.reference,
  dash: "3 2",
};

/** The chart as SVG. Numbers that cannot be plotted are omitted; a note counts them. */
export function boundChart({ title, value, items, notes = [] }: BoundChart): string {
  const values = items.flatMap(({ reached, limit, bound }) => [reached, limit ?? [], bound ?? []].flat());
  const type = scaleType(value, values);
  const isShown = (number: number | undefined): number is number =>
    number !== undefined && isPlottable(number, type);
  const missing = values.filter((number) => !isShown(number)).length;
  const allNotes = [...notes, ...omittedCountNotes(missing, values.length, "numbers", type)];
  if (missing === values.length) return emptyFigure(title, allNotes);

  const axis = type === "linear" ? { ...value, include: [0, ...(value.include ?? [])] } : value;
  const scale = scaleOf(axis, type, values.filter(isShown), { room: 0.08, count: 5 });
  const rows = items.map((item, i): Row => {
    const row = items.length - 1 - i;
    return { ...item, row, from: row - HALF_BAR, to: row + HALF_BAR, legendEntry: legendEntryOf(item) };
  });
  const legendEntries = [WITHIN, EXCEEDED, UNBOUNDED].filter((legendEntry) =>
    rows.some((row) => row.legendEntry === legendEntry),
  );
  return figure({
    ...{
      title,
      notes: allNotes,
      columns: 1,
      panelHeight: PANEL_MARGINS.marginBottom + 6 + ROW * items.length,
    },
    legend: [
      ...legendEntries,
      ...(rows.some(({ limit }) => isShown(limit)) ? [LIMIT] : []),
      ...(rows.some(({ bound }) => isShown(bound)) ? [BOUND] : []),
    ],
    panels: [{ draw: (rectangle) => drawPanel(rows, scale, isShown, rectangle) }],
  });
}

interface Row extends BoundedValue {
  /** Index of the row, counted from the bottom as y is. */
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly legendEntry: LegendEntry;
}

/** The legend entry of a bar. A value of NaN counts as exceeding the bound. */
function legendEntryOf({ reached, bound }: BoundedValue): LegendEntry {
  if (bound === undefined) return UNBOUNDED;
  return reached <= bound ? WITHIN : EXCEEDED;
}

function drawPanel(
  rows: readonly Row[],
  scale: Scale,
  isShown: (value: number | undefined) => value is number,
  rectangle: Rectangle,
): string {
  const names = rows.map(({ name }) => fitText(name, FONT_SIZE.note, MAX_NAME_WIDTH));
  const labels = rows.map(valueLabel);
  const y: Scale = {
    ...{ type: "linear", domain: [-0.5, rows.length - 0.5], title: "" },
    ticks: rows.map(({ row }, i) => ({ value: row, text: names[i] })),
  };
  const widest = (texts: readonly string[]) =>
    Math.max(...texts.map((each) => textWidth(each, FONT_SIZE.note)));
  const [marginLeft, marginRight] = [14 + widest(names), 14 + widest(labels)];
  const start = scale.type === "log" ? scale.domain[0] : 0;
  return drawPlot(
    {
      ...{ ...PANEL_MARGINS, marginTop: 6, marginLeft, marginRight },
      x: { type: scale.type, domain: scale.domain },
      y: { type: "linear", domain: y.domain },
      marks: [
        ...axisMarks(
          { x: scale, y },
          { width: rectangle.width - marginLeft - marginRight, yTitle: false, rows: true },
        ),
        rectX(
          rows.filter(({ reached }) => isShown(reached)),
          {
            ...{ x1: start, x2: "reached", y1: "from", y2: "to" },
            ...{ fill: (row: Row) => row.legendEntry.colour, fillOpacity: WITHIN.opacity },
          },
        ),
        verticalMarks(rows, "limit", LIMIT),
        verticalMarks(rows, "bound", BOUND),
        text(rows, {
          ...{ y: "row", text: valueLabel, frameAnchor: "right", textAnchor: "start", dx: 8 },
          ...{ fill: INK.text },
        }),
      ],
    },
    rectangle,
  );

  function verticalMarks(all: readonly Row[], field: "limit" | "bound", { colour, dash }: LegendEntry) {
    const plotted = all.filter((row) => isShown(row[field]));
    const ends = { y1: (row: Row) => row.row - 0.45, y2: (row: Row) => row.row + 0.45 };
    return ruleX(plotted, {
      x: field,
      ...ends,
      ...{ stroke: colour, strokeWidth: 2, strokeDasharray: dash || undefined },
    });
  }
}

/** "0.0123 ≤ 0.05" */
function valueLabel({ reached, bound }: BoundedValue): string {
  const number = shortNumber(reached);
  if (bound === undefined || Number.isNaN(reached)) return number;
  return `${number} ${reached <= bound ? "≤" : ">"} ${shortNumber(bound)}`;
}
