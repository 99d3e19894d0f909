// Numbers of the events of a run, which may come from another version: what is missing is NaN.

import type { TrainEvent } from "../gfn/training/events.ts";
import type { Point } from "./series.ts";

/** The numbers at a path of the events, over their iterations. */
export function curve(events: readonly TrainEvent[], ...path: readonly string[]): Point[] {
  return events.map((event) => ({ x: field(event, "iteration"), y: field(event, ...path) }));
}

/** The points that have a value. */
export function known(points: readonly Point[]): Point[] {
  return points.filter(({ y }) => !Number.isNaN(y));
}

/** The number at a path; NaN if there is none. */
export function field(value: unknown, ...path: readonly string[]): number {
  let inner = value;
  for (const name of path) inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof inner === "number" ? inner : Number.NaN;
}
