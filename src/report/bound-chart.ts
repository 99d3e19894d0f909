// What was reached against what is allowed, a bar for each check: learned distances beside their exact bounds.

import { rectX, ruleX, text } from "@observablehq/plot";
import { type Axis, isDrawable, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, PANEL } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot, type Place } from "./plot.ts";
import { shortNumber } from "./short-number.ts";
import { FONT_SIZE, fitText, INK, styleOf, textWidth } from "./theme.ts";

/** A number that should be small. */
export interface BoundedValue {
  readonly name: string;
  /** What was reached, as the total variation of a learned policy. */
  readonly reached: number;
  /** The best that can be reached. */
  readonly limit?: number;
  /** The most that is allowed. */
  readonly bound?: number;
}

export interface BoundChart {
  readonly title: string;
  readonly value: Axis;
  readonly items: readonly BoundedValue[];
  readonly notes?: readonly string[];
}

const ROW = 26;
/** Half of a bar's height, as a share of its row. */
const HALF = 0.3;
/** Names take no more room than this. */
const WIDEST_NAME = 230;

const WITHIN: LegendEntry = { name: "within its bound", mark: "area", ...styleOf(0), opacity: 0.75 };
const BEYOND: LegendEntry = { name: "beyond its bound", mark: "area", ...styleOf(5), opacity: 0.75 };
const FREE: LegendEntry = { name: "without a bound", mark: "area", ...styleOf(6), opacity: 0.75 };
const LIMIT: LegendEntry = { name: "limit: the best possible", mark: "line", colour: INK.text, dash: "" };
const BOUND: LegendEntry = {
  name: "bound: the most allowed",
  mark: "line",
  colour: INK.reference,
  dash: "3 2",
};

/** A chart as SVG. Numbers that have no place on the axis are left out, and the figure says so. */
export function boundChart({ title, value, items, notes = [] }: BoundChart): string {
  const given = items.flatMap(({ reached, limit, bound }) => [reached, limit ?? [], bound ?? []].flat());
  const type = scaleType(value, given);
  const fits = (number: number | undefined): number is number =>
    number !== undefined && isDrawable(number, type);
  const missing = given.filter((number) => !fits(number)).length;
  const why = type === "log" ? "finite and above 0" : "finite";
  const said = [
    ...notes,
    ...(missing > 0 ? [`Left out: ${missing} of ${given.length} numbers, not ${why}.`] : []),
  ];
  if (missing === given.length) return emptyFigure(title, said);

  const axis = type === "linear" ? { ...value, include: [0, ...(value.include ?? [])] } : value;
  const scale = scaleOf(axis, type, given.filter(fits), { room: 0.08, count: 5 });
  const rows = items.map((item, i): Row => {
    const row = items.length - 1 - i;
    return { ...item, row, from: row - HALF, to: row + HALF, look: lookOf(item) };
  });
  const looks = [WITHIN, BEYOND, FREE].filter((look) => rows.some((row) => row.look === look));
  return figure({
    ...{ title, notes: said, columns: 1, panelHeight: PANEL.marginBottom + 6 + ROW * items.length },
    legend: [
      ...looks,
      ...(rows.some(({ limit }) => fits(limit)) ? [LIMIT] : []),
      ...(rows.some(({ bound }) => fits(bound)) ? [BOUND] : []),
    ],
    panels: [{ draw: (place) => drawPanel(rows, scale, fits, place) }],
  });
}

interface Row extends BoundedValue {
  /** Counted from the bottom, as y is. */
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly look: LegendEntry;
}

/** What is not a number is not within anything. */
function lookOf({ reached, bound }: BoundedValue): LegendEntry {
  if (bound === undefined) return FREE;
  return reached <= bound ? WITHIN : BEYOND;
}

function drawPanel(
  rows: readonly Row[],
  scale: Scale,
  fits: (value: number | undefined) => value is number,
  place: Place,
): string {
  const names = rows.map(({ name }) => fitText(name, FONT_SIZE.note, WIDEST_NAME));
  const sums = rows.map(summary);
  const y: Scale = {
    ...{ type: "linear", domain: [-0.5, rows.length - 0.5], title: "" },
    ticks: rows.map(({ row }, i) => ({ value: row, text: names[i] })),
  };
  const widest = (texts: readonly string[]) =>
    Math.max(...texts.map((each) => textWidth(each, FONT_SIZE.note)));
  const [marginLeft, marginRight] = [14 + widest(names), 14 + widest(sums)];
  const start = scale.type === "log" ? scale.domain[0] : 0;
  return drawPlot(
    {
      ...{ ...PANEL, marginTop: 6, marginLeft, marginRight },
      x: { type: scale.type, domain: scale.domain },
      y: { type: "linear", domain: y.domain },
      marks: [
        ...axisMarks(
          { x: scale, y },
          { width: place.width - marginLeft - marginRight, yTitle: false, rows: true },
        ),
        rectX(
          rows.filter(({ reached }) => fits(reached)),
          {
            ...{ x1: start, x2: "reached", y1: "from", y2: "to" },
            ...{ fill: (row: Row) => row.look.colour, fillOpacity: WITHIN.opacity },
          },
        ),
        upright(rows, "limit", LIMIT),
        upright(rows, "bound", BOUND),
        text(rows, {
          ...{ y: "row", text: summary, frameAnchor: "right", textAnchor: "start", dx: 8 },
          ...{ fill: INK.text },
        }),
      ],
    },
    place,
  );

  function upright(all: readonly Row[], field: "limit" | "bound", { colour, dash }: LegendEntry) {
    const known = all.filter((row) => fits(row[field]));
    const ends = { y1: (row: Row) => row.row - 0.45, y2: (row: Row) => row.row + 0.45 };
    return ruleX(known, {
      x: field,
      ...ends,
      ...{ stroke: colour, strokeWidth: 2, strokeDasharray: dash || undefined },
    });
  }
}

/** 0.0123 ≤ 0.05 */
function summary({ reached, bound }: BoundedValue): string {
  const number = shortNumber(reached);
  if (bound === undefined || Number.isNaN(reached)) return number;
  return `${number} ${reached <= bound ? "≤" : ">"} ${shortNumber(bound)}`;
}
