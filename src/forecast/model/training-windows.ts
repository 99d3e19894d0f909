// Which windows of a panel are learned from and which only validate: those that end last in time.

import type { RandomStream } from "../../engine/index.ts";
import type { ReadSeries } from "./features.ts";
import type { WindowPlace } from "./windows.ts";

/** Windows one after the other, without a list of them. */
export interface WindowSet {
  readonly count: number;
  at(index: number): WindowPlace;
  /** One of them, all alike. */
  draw(stream: RandomStream): WindowPlace;
}

export interface Split {
  readonly training: WindowSet;
  readonly validation: WindowSet;
}

/** Nothing that a training window looks at or is told lies in the rows that validate. */
export function splitWindows(
  series: readonly ReadSeries[],
  options: {
    readonly horizon: number;
    readonly season: number;
    readonly validation: number;
    /** Rows from one training window to the next; 1 unless told. */
    readonly windowStep?: number;
  },
): Split {
  const { horizon: H, season, validation, windowStep = 1 } = options;
  const training: Range[] = [];
  const validating: Range[] = [];
  for (const one of series) {
    const n = one.rows;
    const kept = validation > 0 ? Math.max(H, Math.round(validation * n)) : 0;
    // A series that is short for its horizon is all learned from.
    const held = n - kept >= 2 * H + 2 * season ? kept : 0;
    const end = n - held;
    // Two seasons are seen before a window, unless most of a short series would then teach nothing.
    const first = Math.min(Math.max(2 * season, 2), Math.max(1, Math.floor((end - H) / 2)));
    if (end < 2) continue;
    // Of one row alone nothing says how much values differ, so the shortest series give windows that end before the horizon.
    training.push({ series: one, first, last: Math.max(first, end - H >= 2 ? end - H : end - 1) });
    if (held > 0) validating.push({ series: one, first: end, last: n - H });
  }
  return { training: windowSet(training, windowStep), validation: windowSet(validating) };
}

/** Origins from first to last. */
interface Range {
  readonly series: ReadSeries;
  readonly first: number;
  readonly last: number;
}

/** Every `step`-th origin, the last one of each series among them. */
function windowSet(ranges: readonly Range[], step = 1): WindowSet {
  const starts = [0];
  for (const { first, last } of ranges)
    starts.push(starts[starts.length - 1] + Math.floor((last - first) / step) + 1);
  const count = starts[starts.length - 1];
  const at = (index: number): WindowPlace => {
    let [low, high] = [0, ranges.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return { series: ranges[low].series, origin: ranges[low].last - (starts[low + 1] - 1 - index) * step };
  };
  return { count, at, draw: (stream) => at(stream.integer(count)) };
}
