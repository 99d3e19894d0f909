// Removes the data that the axes of a chart cannot show, and writes notes about the omitted data.

import { extent, isPlottable } from "./axis.ts";
import type { Curve } from "./series.ts";
import { shortNumber } from "./text-format.ts";

/** A labelled horizontal line, e.g. the limit. */
export interface Reference {
  readonly name: string;
  readonly y: number;
}

export interface LinePanel {
  readonly title?: string;
  readonly curves: readonly Curve[];
  readonly references?: readonly Reference[];
}

export interface PlottablePanel {
  readonly curves: readonly Curve[];
  readonly references: readonly Reference[];
}

/** The scale types of both axes. */
export interface ScaleTypes {
  readonly x: "linear" | "log";
  readonly y: "linear" | "log";
}

/**
 * On a logarithmic axis, a reference line is omitted if it differs from all curves by more than this factor, because
 * the curves would become too flat.
 */
const MAX_DISTANCE = 1000;

/** The points, bands and reference lines that the axes can show. */
export function plottablePanels(panels: readonly LinePanel[], types: ScaleTypes): PlottablePanel[] {
  const hasX = ({ x }: { readonly x: number }) => isPlottable(x, types.x);
  const hasY = (value: number) => isPlottable(value, types.y);
  const curves = panels.map((panel) =>
    panel.curves.map(({ points, bands = [], ...curve }) => ({
      ...curve,
      points: points.filter((point) => hasX(point) && hasY(point.y)),
      bands: bands.map((band) => ({
        points: band.points.filter((point) => hasX(point) && hasY(point.low) && hasY(point.high)),
      })),
    })),
  );
  const [least, most] = extent(curves.flat().flatMap(curveValues));
  const near = (y: number) => types.y === "linear" || (y >= least / MAX_DISTANCE && y <= most * MAX_DISTANCE);
  return panels.map(({ references = [] }, i) => ({
    curves: curves[i],
    references: references.filter(({ y }) => hasY(y) && near(y)),
  }));
}

/** Sentences about the points, bands and reference lines that `plottablePanels` omitted. */
export function omissionNotes(
  panels: readonly LinePanel[],
  plottable: readonly PlottablePanel[],
  types: ScaleTypes,
): string[] {
  const notes: string[] = [];
  const points = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const plotted = plottable.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const notFinite = points.filter(
    ({ x, y }) => !isPlottable(x, "linear") || !isPlottable(y, "linear"),
  ).length;
  const notPositive = points.length - plotted.length - notFinite;
  const alreadyOmitted = panels
    .flatMap(({ curves }) => curves)
    .reduce((sum, curve) => sum + (curve.omittedPoints ?? 0), 0);
  if (notFinite + alreadyOmitted > 0)
    notes.push(`Omitted: ${pointCount(notFinite + alreadyOmitted)} not finite.`);
  if (bandPoints(plottable) < bandPoints(panels)) {
    const why = types.y === "log" ? "not finite or not positive" : "not finite";
    notes.push(`Bands are omitted where an end is ${why}.`);
  }
  if (notPositive > 0) notes.push(`Omitted: ${pointCount(notPositive)} not positive, on a logarithmic axis.`);
  panels.forEach(({ title, references = [] }, i) => {
    for (const reference of references.filter((each) => !plottable[i].references.includes(each))) {
      const where = Number.isFinite(reference.y) && types.y === "log" ? ", outside the axis range" : "";
      const prefix = title ? `${title}: the ` : "The ";
      notes.push(`${prefix}${reference.name} is ${shortNumber(reference.y)}${where}.`);
    }
  });
  return notes;
}

/** A list with a note such as "Omitted: 2 of 5 values that are not finite."; an empty list if nothing is omitted. */
export function omittedCountNotes(
  omitted: number,
  total: number,
  nouns: string,
  type: "linear" | "log",
): string[] {
  if (omitted === 0) return [];
  const condition = type === "log" ? "finite and positive" : "finite";
  return [`Omitted: ${omitted} of ${total} ${nouns} that are not ${condition}.`];
}

/** All y values of a curve and its bands. */
export function curveValues({ points, bands = [] }: Curve): number[] {
  return [
    ...points.map(({ y }) => y),
    ...bands.flatMap((band) => band.points.flatMap(({ low, high }) => [low, high])),
  ];
}

function bandPoints(panels: readonly LinePanel[]): number {
  const bands = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.bands ?? []));
  return bands.reduce((sum, band) => sum + band.points.length, 0);
}

function pointCount(count: number): string {
  return count === 1 ? "1 point that is" : `${count} points that are`;
}
