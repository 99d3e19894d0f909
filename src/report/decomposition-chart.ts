// A series and the parts that it is the sum of, as trend, seasons and what is left, one below the other.

import type { Axis } from "./axis.ts";
import { CAME } from "./fan-chart.ts";
import { styleOf } from "./theme.ts";
import { timeChart } from "./time-chart.ts";

export interface DecompositionChart {
  readonly title: string;
  /** Whether times count steps, and are no dates. */
  readonly counted?: boolean;
  readonly value: Axis;
  /** Milliseconds since 1970 in UTC, rising. */
  readonly times: ArrayLike<number>; // [T]
  /** NaN where missing. */
  readonly observed: ArrayLike<number>; // [T]
  /** In the order in which they are drawn. */
  readonly parts: readonly Part[];
  readonly notes?: readonly string[];
}

/** One of the things that add up to the series. */
export interface Part {
  readonly name: string;
  readonly values: ArrayLike<number>; // [T]
}

/** A chart as SVG. Each part has an axis of its own: parts differ much in size. */
export function decompositionChart({
  title,
  counted,
  value,
  times,
  observed,
  parts,
  notes = [],
}: DecompositionChart): string {
  return timeChart({
    title,
    counted,
    panels: [
      { title: "observed", y: value, lines: [{ times, values: observed, style: CAME }] },
      ...parts.map(({ name, values }, i) => ({
        ...{ title: name, y: value, lines: [{ times, values, style: styleOf(i) }] },
      })),
    ],
    ...{ legend: [], columns: 1, panelHeight: 140, sharedY: false },
    notes: [
      ...notes,
      ...(parts.length > 0 ? ["The parts add up to what was observed. Each panel has its own scale."] : []),
    ],
  });
}
