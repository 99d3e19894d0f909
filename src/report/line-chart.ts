// Lines over x in one or more panels, with bands around them and horizontal lines to compare with.
//
// Series of seeds become curves in `series.ts`; a forecast's fan is a curve with several bands.

import { areaY, dot, line, ruleY, text } from "@observablehq/plot";
import { type Axis, fraction, isDrawable, type Scale, scaleOf, scaleType } from "./axis.ts";
import { axisMarks, marginLeft, PANEL } from "./axis-marks.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot, type Place } from "./plot.ts";
import { placeLabels } from "./reference-labels.ts";
import type { Band, Curve } from "./series.ts";
import { shortNumber } from "./short-number.ts";
import { INK, type Style, styleOf } from "./theme.ts";

/** A horizontal line with its name beside it, as the limit. */
export interface Reference {
  readonly name: string;
  readonly y: number;
}

export interface LinePanel {
  readonly title?: string;
  readonly curves: readonly Curve[];
  readonly references?: readonly Reference[];
}

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Side by side, on the same axes. */
  readonly panels: readonly LinePanel[];
  /** Sentences that stand below. */
  readonly notes?: readonly string[];
}

/** Curves with no more points than this show each of them. */
const DOTTED = 12;
/** How much of a band is seen through. */
const BAND_OPACITY = 0.18;

/** A chart as SVG. What cannot be drawn is left out, and the figure says so. */
export function lineChart({ title, x, y, panels, notes = [] }: LineChart): string {
  const given = panels.flatMap(({ curves }) => curves);
  const types = {
    x: scaleType(
      x,
      given.flatMap(({ points }) => points.map((point) => point.x)),
    ),
    y: scaleType(y, [
      ...given.flatMap(valuesOf),
      ...panels.flatMap(({ references = [] }) => references.map((r) => r.y)),
    ]),
  };
  const drawn = panels.map((panel) => drawable(panel, types));
  const said = [...notes, ...problems(panels, drawn, types)];
  const curves = drawn.flatMap((panel) => panel.curves);
  if (curves.every(({ points }) => points.length === 0)) return emptyFigure(title, said);

  const names = [...new Set(given.map(({ name }) => name))];
  const styles = new Map(names.map((name, i) => [name, styleOf(i)]));
  const columns = panels.length === 4 ? 2 : 3;
  const perRow = Math.min(columns, panels.length);
  const xs = curves.flatMap(({ points, bands = [] }) =>
    [...points, ...bands.flatMap((band) => band.points)].map((point) => point.x),
  );
  const ys = [...curves.flatMap(valuesOf), ...drawn.flatMap(({ references }) => references.map((r) => r.y))];
  // Below and above a line there must be room for its name.
  const compared = drawn.some(({ references }) => references.length > 0);
  const scales = {
    x: scaleOf(x, types.x, xs, { room: 0, count: perRow > 1 ? 3.5 : 8 }),
    y: scaleOf(y, types.y, ys, { room: compared ? 0.12 : 0.06, count: 5 }),
  };
  return figure({
    ...{ title, columns, notes: said, panelHeight: perRow > 1 ? 220 : 260 },
    legend:
      names.length > 1
        ? names.map((name): LegendEntry => ({ name, mark: "line", ...styles.get(name)! }))
        : [],
    panels: drawn.map((panel, i) => ({
      title: panels[i].title,
      draw: (place, first) => drawPanel(panel, styles, scales, place, first),
    })),
  });
}

interface Drawn {
  readonly curves: readonly Curve[];
  readonly references: readonly Reference[];
}

interface Types {
  readonly x: "linear" | "log";
  readonly y: "linear" | "log";
}

/** What of a panel has a place on the axes. */
function drawable({ curves, references = [] }: LinePanel, types: Types): Drawn {
  const hasX = ({ x }: { readonly x: number }) => isDrawable(x, types.x);
  const hasY = (value: number) => isDrawable(value, types.y);
  return {
    curves: curves.map(({ points, bands = [], ...curve }) => ({
      ...curve,
      points: points.filter((point) => hasX(point) && hasY(point.y)),
      bands: bands.map((band) => ({
        points: band.points.filter((point) => hasX(point) && hasY(point.low) && hasY(point.high)),
      })),
    })),
    references: references.filter((reference) => hasY(reference.y)),
  };
}

/** What was left out, in sentences. */
function problems(panels: readonly LinePanel[], drawn: readonly Drawn[], types: Types): string[] {
  const found: string[] = [];
  const points = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const missing =
    points.length - drawn.flatMap(({ curves }) => curves.flatMap((curve) => curve.points)).length;
  const notFinite = points.filter(({ x, y }) => !isDrawable(x, "linear") || !isDrawable(y, "linear")).length;
  const before = panels.flatMap(({ curves }) => curves).reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
  if (notFinite + before > 0) found.push(`Left out: ${pointCount(notFinite + before)} not finite.`);
  if (missing > notFinite)
    found.push(`Left out: ${pointCount(missing - notFinite)} not above 0, on a logarithmic axis.`);
  panels.forEach(({ title, references = [] }, i) => {
    for (const { name, y } of references) {
      if (drawn[i].references.some((reference) => reference.name === name)) continue;
      const why = Number.isFinite(y) && types.y === "log" ? ", below a logarithmic axis" : "";
      found.push(`${title ? `${title}: ` : ""}${name} is ${shortNumber(y)}${why}.`);
    }
  });
  return found;
}

function pointCount(count: number): string {
  return count === 1 ? "1 point that is" : `${count} points that are`;
}

function valuesOf({ points, bands = [] }: Curve): number[] {
  return [
    ...points.map(({ y }) => y),
    ...bands.flatMap((band) => band.points.flatMap(({ low, high }) => [low, high])),
  ];
}

function drawPanel(
  { curves, references }: Drawn,
  styles: ReadonlyMap<string, Style>,
  scales: { readonly x: Scale; readonly y: Scale },
  place: Place,
  first: boolean,
): string {
  const margins = { ...PANEL, marginLeft: marginLeft(scales.y) };
  const inner = {
    width: place.width - margins.marginLeft - margins.marginRight,
    height: place.height - margins.marginTop - margins.marginBottom,
  };
  const marks = curves.flatMap(({ name, points, bands = [] }) => {
    const { colour, dash } = styles.get(name)!;
    const stroke = { x: "x", y: "y", stroke: colour, strokeWidth: 2, strokeDasharray: dash || undefined };
    return [
      ...bands.map((band: Band) =>
        areaY(band.points, { x: "x", y1: "low", y2: "high", fill: colour, fillOpacity: BAND_OPACITY }),
      ),
      ...(points.length > 1 ? [line(points, stroke)] : []),
      ...(points.length <= DOTTED ? [dot(points, { x: "x", y: "y", r: 2.5, fill: colour })] : []),
    ];
  });
  const across = (value: number) => inner.width * fraction(scales.x, value);
  const down = (value: number) => inner.height * (1 - fraction(scales.y, value));
  const labels = placeLabels(
    references.map(({ name, y }) => ({ text: `${name} ${shortNumber(y)}`, y: down(y) })),
    curves.map(({ points }) => points.map(({ x, y }) => ({ x: across(x), y: down(y) }))),
    inner,
  );
  return drawPlot(
    {
      ...margins,
      x: { type: scales.x.type, domain: scales.x.domain },
      y: { type: scales.y.type, domain: scales.y.domain },
      marks: [
        ...axisMarks(scales, { yTitle: first }),
        ...references.map(({ y }) =>
          ruleY([y], { stroke: INK.reference, strokeWidth: 1.2, strokeDasharray: "5 3" }),
        ),
        ...marks,
        ...labels.map((label) =>
          text([label.text], {
            ...{ frameAnchor: "top-left", lineAnchor: "middle", dx: label.x, dy: label.y },
            ...{ fill: INK.reference, stroke: INK.ground, strokeWidth: 3 },
          }),
        ),
      ],
    },
    place,
  );
}
