// Splits the windows of a panel into training windows and validation windows. Validation windows are the last in time.

import type { RandomStream } from "../../engine/index.ts";
import type { EncodedSeries } from "./features.ts";
import type { WindowPosition } from "./window-arrays.ts";

/** Windows by index; positions are computed on demand. */
export interface WindowSet {
  readonly count: number;
  at(index: number): WindowPosition;
  /** A uniformly random window. */
  sample(stream: RandomStream): WindowPosition;
}

export interface WindowSplit {
  readonly training: WindowSet;
  readonly validation: WindowSet;
}

export interface WindowSplitOptions {
  readonly horizon: number;
  readonly season: number;
  /** Share of the rows of each series, at its end, for validation. */
  readonly validationShare: number;
  /** Rows between neighbouring training windows. Default: 1. */
  readonly windowStep?: number;
}

/** Neither the context nor the future steps of a training window overlap the validation rows. */
export function splitWindows(series: readonly EncodedSeries[], options: WindowSplitOptions): WindowSplit {
  const { horizon: H, season, validationShare, windowStep = 1 } = options;
  const training: OriginRange[] = [];
  const validation: OriginRange[] = [];
  for (const one of series) {
    const n = one.rows;
    const wanted = validationShare > 0 ? Math.max(H, Math.round(validationShare * n)) : 0;
    // A series that is short for its horizon is used for training only.
    const heldOut = n - wanted >= 2 * H + 2 * season ? wanted : 0;
    const end = n - heldOut;
    // Two seasons precede each window, unless most rows of a short series would then be unused.
    const first = Math.min(Math.max(2 * season, 2), Math.max(1, Math.floor((end - H) / 2)));
    if (end < 2) continue;
    // A single row determines no scale. A series that is too short for two rows and a complete horizon has windows with
    // fewer future rows.
    training.push({ series: one, first, last: Math.max(first, end - H >= 2 ? end - H : end - 1) });
    if (heldOut > 0) validation.push({ series: one, first: end, last: n - H });
  }
  return { training: windowSet(training, windowStep), validation: windowSet(validation) };
}

/** Origins from `first` to `last`, both included. */
interface OriginRange {
  readonly series: EncodedSeries;
  readonly first: number;
  readonly last: number;
}

/** Every `step`-th origin of each range, counted back from the last one. */
function windowSet(ranges: readonly OriginRange[], step = 1): WindowSet {
  const starts = [0];
  for (const { first, last } of ranges)
    starts.push(starts[starts.length - 1] + Math.floor((last - first) / step) + 1);
  const count = starts[starts.length - 1];
  const at = (index: number): WindowPosition => {
    let [low, high] = [0, ranges.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return { series: ranges[low].series, origin: ranges[low].last - (starts[low + 1] - 1 - index) * step };
  };
  return { count, at, sample: (stream) => at(stream.integer(count)) };
}
