// Windows of a panel: a context and the steps ahead of it, never across two series.

import type { Panel } from "../types.ts";

export interface WindowOptions {
  /** Steps that are looked back on. */
  readonly context: number;
  /** Steps ahead. */
  readonly horizon: number;
  /** Steps from one window to the next: 1 if not given; context + horizon for windows that share nothing. */
  readonly stride?: number;
}

/** Rows start … start + context of a series are the context, the `horizon` after them are ahead. */
export interface SeriesWindow {
  /** Its place in the panel. */
  readonly series: number;
  readonly start: number;
}

/** All windows, series by series and in time; the last one of a series ends with it. */
export function windowsOf(panel: Panel, { context, horizon, stride = 1 }: WindowOptions): SeriesWindow[] {
  for (const [name, value] of Object.entries({ context, horizon, stride })) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new RangeError(`windowsOf: ${name} must be a whole number of steps, at least 1, got ${value}`);
  }
  return panel.series.flatMap(({ times }, series) => {
    const last = times.length - context - horizon;
    if (last < 0) return [];
    const count = Math.floor(last / stride) + 1;
    return Array.from({ length: count }, (_, i) => ({ series, start: last - (count - 1 - i) * stride }));
  });
}
