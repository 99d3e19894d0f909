// Methods compared by one number: a row for each, with its mean, its standard deviation and its seeds.

import { dot, link } from "@observablehq/plot";
import { type Axis, isDrawable, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, PANEL } from "./axis-marks.ts";
import { emptyFigure, figure } from "./figure.ts";
import { drawPlot, type Place } from "./plot.ts";
import { mean, standardDeviation } from "./series.ts";
import { FONT_SIZE, fitText, styleOf, textWidth } from "./theme.ts";

/** A method and its number in each of its seeds. */
export interface Group {
  readonly name: string;
  readonly values: readonly number[];
}

export interface DotPanel {
  readonly title?: string;
  readonly groups: readonly Group[];
}

export interface DotChart {
  readonly title: string;
  readonly value: Axis;
  /** Side by side, on the same axis. */
  readonly panels: readonly DotPanel[];
  readonly notes?: readonly string[];
  /** All names of a set of figures: each looks the same in all of them. */
  readonly order?: readonly string[];
}

const ROW = 30;
/** Seeds stand this far below their mean, which would cover them. */
const SEEDS = 8;
/** Names take no more room than this. */
const WIDEST_NAME = 190;

/** A chart as SVG. Values that are not finite are left out, and the figure says so. */
export function dotChart({ title, value, panels, notes = [], order = [] }: DotChart): string {
  const given = panels.flatMap(({ groups }) => groups.flatMap(({ values }) => values));
  const type = scaleType(value, given);
  const fits = (number: number) => isDrawable(number, type);
  const missing = given.filter((number) => !fits(number)).length;
  const why = type === "log" ? "finite and above 0" : "finite";
  const said = [
    ...notes,
    ...(missing > 0 ? [`Left out: ${missing} of ${given.length} values, not ${why}.`] : []),
  ];
  if (missing === given.length) return emptyFigure(title, said);

  const names = [...new Set(panels.flatMap(({ groups }) => groups.map(({ name }) => name)))];
  const looks = [...new Set([...order, ...names])];
  const rows = panels.map(({ groups }) => groups.flatMap((group) => rowOf(group, names, looks, fits)));
  const ends = rows.flat().flatMap(({ from, to, seeds }) => [from, to, ...seeds]);
  const scale = scaleOf(value, type, ends.filter(fits), { room: 0.08, count: panels.length > 1 ? 3.5 : 8 });
  const shown = names.map((name) => fitText(name, FONT_SIZE.note, WIDEST_NAME));
  return figure({
    ...{ title, notes: said, legend: [], columns: panels.length === 4 ? 2 : 3 },
    panelHeight: PANEL.marginBottom + 6 + ROW * names.length,
    rowMargin: Math.max(...shown.map((name) => textWidth(name, FONT_SIZE.note))) + 4,
    panels: panels.map((panel, i) => ({
      title: panel.title,
      draw: (place, first) => drawPanel(rows[i], scale, shown, place, first),
    })),
  });
}

interface Row {
  /** Counted from the bottom, as y is. */
  readonly row: number;
  readonly colour: string;
  readonly mean: number;
  readonly from: number;
  readonly to: number;
  readonly seeds: readonly number[];
}

function rowOf(
  { name, values }: Group,
  names: readonly string[],
  looks: readonly string[],
  fits: (value: number) => boolean,
): Row[] {
  const seeds = values.filter(fits);
  if (seeds.length === 0) return [];
  const [middle, spread] = [mean(seeds), standardDeviation(seeds) || 0];
  // On a logarithmic axis there is no room below zero.
  const from = fits(middle - spread) ? middle - spread : Math.min(...seeds);
  const row = names.length - 1 - names.indexOf(name);
  return [
    { row, colour: styleOf(looks.indexOf(name)).colour, mean: middle, from, to: middle + spread, seeds },
  ];
}

function drawPanel(
  rows: readonly Row[],
  scale: Scale,
  names: readonly string[],
  place: Place,
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
      ...{ ...PANEL, marginTop: 6, marginLeft: 10 + rowMargin },
      x: { type: scale.type, domain: scale.domain },
      y: { type: "linear", domain: y.domain },
      marks: [
        ...axisMarks({ x: scale, y }, { width: place.width - rowMargin, yTitle: false, rows: true }),
        link(rows, { x1: "from", x2: "to", y1: "row", y2: "row", stroke: "colour", strokeWidth: 2 }),
        dot(seeds, { x: "seed", y: "row", r: 2, dy: SEEDS, fill: "colour", fillOpacity: 0.5 }),
        dot(rows, { x: "mean", y: "row", r: 4.5, fill: "colour", stroke: "white" }),
      ],
    },
    place,
  );
}
