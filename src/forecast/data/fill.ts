// Values where there are none. Which were there is always kept beside them, and nothing is taken from after the gap but
// by `linear`, which draws a line across it.

export const FILLS = ["none", "forward", "linear", "seasonal", "zero"] as const;
export type Fill = (typeof FILLS)[number];

export interface Filled {
  /** NaN only before the first value that is there, or everywhere with `none`. */
  readonly values: Float64Array; // [T]
  /** 1 where a value was there. */
  readonly observed: Uint8Array; // [T]
}

/** Fills gaps; `seasonal` repeats the last season and needs to know its length. */
export function fill(values: Float64Array, how: Fill, season = 1): Filled {
  const observed = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  return { values: filled(values, how, season), observed };
}

function filled(values: Float64Array, how: Fill, season: number): Float64Array {
  switch (how) {
    case "none":
      return values.slice();
    case "zero":
      return values.map((value) => (Number.isNaN(value) ? 0 : value));
    case "forward":
      return repeated(values, 1);
    case "seasonal":
      return repeated(values, season);
    case "linear":
      return interpolated(values);
    default:
      return how satisfies never;
  }
}

/** The value one season before, itself filled; the last one before where there is none. */
function repeated(values: Float64Array, season: number): Float64Array {
  const all = values.slice();
  for (let i = 1; i < all.length; i++) {
    if (!Number.isNaN(all[i])) continue;
    const before = i >= season ? all[i - season] : Number.NaN;
    all[i] = Number.isNaN(before) ? all[i - 1] : before;
  }
  return all;
}

/** A straight line across each gap; the last value goes on after the end. */
function interpolated(values: Float64Array): Float64Array {
  const all = repeated(values, 1);
  let last = -1;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    if (last >= 0) {
      for (let j = last + 1; j < i; j++) {
        const share = (j - last) / (i - last);
        all[j] = values[last] * (1 - share) + values[i] * share;
      }
    }
    last = i;
  }
  return all;
}
