// The part of a series that smoothing methods are fitted to: from its first observed value to its last.

import { fillGaps } from "../data/fill-gaps.ts";

/** A series without missing values at its ends. */
export interface ObservedPart {
  /** From the first observed value to the last; NaN in gaps. */
  readonly values: Float64Array; // [T]
  /** Number of missing values after the last observed one. A forecast of these steps is dropped. */
  readonly gap: number;
  readonly isConstant: boolean;
}

export function observedPart(past: Float64Array): ObservedPart {
  const last = past.findLastIndex(Number.isFinite);
  const values = past.subarray(past.findIndex(Number.isFinite), last + 1);
  const isConstant = values.every((value) => Number.isNaN(value) || value === values[0]);
  return { values, gap: past.length - 1 - last, isConstant };
}

/** A straight line across each gap, for methods that need all values. */
export function withoutGaps(values: Float64Array): Float64Array {
  return values.some(Number.isNaN) ? fillGaps(values, "linear").values : values;
}
