// What of a line chart has a place on its axes, and what is said about the rest.

import { extent, isDrawable } from "./axis.ts";
import type { Curve } from "./series.ts";
import { shortNumber } from "./short-number.ts";

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

export interface DrawnPanel {
  readonly curves: readonly Curve[];
  readonly references: readonly Reference[];
}

/** How the axes are divided. */
export interface ScaleTypes {
  readonly x: "linear" | "log";
  readonly y: "linear" | "log";
}

/** On a logarithmic axis, a line this many times away from all curves would leave no room for them. */
const FAR = 1000;

export function drawable(panels: readonly LinePanel[], types: ScaleTypes): DrawnPanel[] {
  const hasX = ({ x }: { readonly x: number }) => isDrawable(x, types.x);
  const hasY = (value: number) => isDrawable(value, types.y);
  const curves = panels.map((panel) =>
    panel.curves.map(({ points, bands = [], ...curve }) => ({
      ...curve,
      points: points.filter((point) => hasX(point) && hasY(point.y)),
      bands: bands.map((band) => ({
        points: band.points.filter((point) => hasX(point) && hasY(point.low) && hasY(point.high)),
      })),
    })),
  );
  const [least, most] = extent(curves.flat().flatMap(valuesOf));
  const near = (y: number) => types.y === "linear" || (y >= least / FAR && y <= most * FAR);
  return panels.map(({ references = [] }, i) => ({
    curves: curves[i],
    references: references.filter(({ y }) => hasY(y) && near(y)),
  }));
}

/** What was left out, in sentences. */
export function leftOut(
  panels: readonly LinePanel[],
  drawn: readonly DrawnPanel[],
  types: ScaleTypes,
): string[] {
  const found: string[] = [];
  const points = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const kept = drawn.flatMap(({ curves }) => curves.flatMap((curve) => curve.points));
  const notFinite = points.filter(({ x, y }) => !isDrawable(x, "linear") || !isDrawable(y, "linear")).length;
  const notAbove = points.length - kept.length - notFinite;
  const before = panels.flatMap(({ curves }) => curves).reduce((sum, curve) => sum + (curve.leftOut ?? 0), 0);
  if (notFinite + before > 0) found.push(`Left out: ${pointCount(notFinite + before)} not finite.`);
  if (bandPoints(drawn) < bandPoints(panels)) {
    const why = types.y === "log" ? "not finite or not above 0" : "not finite";
    found.push(`Bands are left out where an end is ${why}.`);
  }
  if (notAbove > 0) found.push(`Left out: ${pointCount(notAbove)} not above 0, on a logarithmic axis.`);
  panels.forEach(({ title, references = [] }, i) => {
    for (const reference of references.filter((each) => !drawn[i].references.includes(each))) {
      const where = Number.isFinite(reference.y) && types.y === "log" ? ", outside of what is shown" : "";
      const whose = title ? `${title}: the ` : "The ";
      found.push(`${whose}${reference.name} is ${shortNumber(reference.y)}${where}.`);
    }
  });
  return found;
}

/** All numbers that a curve has along y. */
export function valuesOf({ points, bands = [] }: Curve): number[] {
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
