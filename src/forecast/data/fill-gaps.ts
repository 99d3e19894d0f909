// Fills missing values (NaN) of one series. All methods use only earlier values, except `linear`, which interpolates
// between the values on both sides of a gap.

/** Names of the methods to fill gaps. */
export const FILL_METHODS = ["none", "forward", "linear", "seasonal", "zero"] as const;
/** A method to fill gaps. */
export type FillMethod = (typeof FILL_METHODS)[number];

/** Values of a series after its gaps were filled. */
export interface FilledValues {
  /** NaN only before the first observed value; with `none`, wherever a value is missing. */
  readonly values: Float64Array; // [T]
  /** 1 where a value was observed, 0 where it was filled. */
  readonly observed: Uint8Array; // [T]
}

/**
 * Fills gaps. `seasonal` repeats the value one season earlier, so it needs the length of the season.
 *
 * @example
 * ```ts
 * import { data } from "gflownet/forecast";
 *
 * const { values } = data.fillGaps(Float64Array.of(1, Number.NaN, 3), "linear");
 * console.log(values.join(" ")); // 1 2 3
 * ```
 */
export function fillGaps(values: Float64Array, method: FillMethod, season = 1): FilledValues {
  const observed = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  return { values: filledValues(values, method, season), observed };
}

function filledValues(values: Float64Array, method: FillMethod, season: number): Float64Array {
  switch (method) {
    case "none":
      return values.slice();
    case "zero":
      return values.map((value) => (Number.isNaN(value) ? 0 : value));
    case "forward":
      return repeatEarlier(values, 1);
    case "seasonal":
      return repeatEarlier(values, season);
    case "linear":
      return interpolate(values);
    default:
      return method satisfies never;
  }
}

/** Repeats the value one lag earlier, which may be a filled one; if that is missing, the previous value. */
function repeatEarlier(values: Float64Array, lag: number): Float64Array {
  const filled = values.slice();
  for (let i = 1; i < filled.length; i++) {
    if (!Number.isNaN(filled[i])) continue;
    const earlier = i >= lag ? filled[i - lag] : Number.NaN;
    filled[i] = Number.isNaN(earlier) ? filled[i - 1] : earlier;
  }
  return filled;
}

/** A straight line across each gap; after the last observed value, that value is repeated. */
function interpolate(values: Float64Array): Float64Array {
  const filled = repeatEarlier(values, 1);
  let last = -1;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    if (last >= 0) {
      for (let j = last + 1; j < i; j++) {
        const weight = (j - last) / (i - last);
        filled[j] = values[last] * (1 - weight) + values[i] * weight;
      }
    }
    last = i;
  }
  return filled;
}
