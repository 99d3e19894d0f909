// Chart of an additive decomposition: the series, and below it one panel per component (trend, seasons, remainder).

import type { Axis } from "./axis.ts";
import { ACTUAL_STYLE } from "./fan-chart.ts";
import { styleOf } from "./theme.ts";
import { timeChart } from "./time-chart.ts";

export interface DecompositionChart {
  readonly title: string;
  /** Whether times are step numbers rather than dates. Default: false. */
  readonly timesAreSteps?: boolean;
  readonly value: Axis;
  /** Milliseconds since 1970 in UTC (or step numbers), increasing. */
  readonly times: ArrayLike<number>; // [T]
  /** NaN if missing. */
  readonly observed: ArrayLike<number>; // [T]
  /** In drawing order. */
  readonly components: readonly Component[];
  readonly notes?: readonly string[];
}

/** One additive component of the series, such as the trend. */
export interface Component {
  readonly name: string;
  readonly values: ArrayLike<number>; // [T]
}

/** The chart as SVG. Each panel has its own scale, because components differ in size. */
export function decompositionChart({
  title,
  timesAreSteps: counted,
  value,
  times,
  observed,
  components: parts,
  notes = [],
}: DecompositionChart): string {
  return timeChart({
    title,
    timesAreSteps: counted,
    panels: [
      { title: "observed", y: value, lines: [{ times, values: observed, style: ACTUAL_STYLE }] },
      ...parts.map(({ name, values }, i) => ({
        ...{ title: name, y: value, lines: [{ times, values, style: styleOf(i) }] },
      })),
    ],
    ...{ legend: [], columns: 1, panelHeight: 140, sharedY: false },
    notes: [
      ...notes,
      ...(parts.length > 0
        ? ["The components add up to the observed series. Each panel has its own scale."]
        : []),
    ],
  });
}
