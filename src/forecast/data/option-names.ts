// Values of the data options. This file and its import are small, so that the command line can
// show them in `--help` quickly.

/** How several values of one time become one value. Missing values are skipped. */
export const AGGREGATES = ["mean", "sum", "last", "first"] as const;
/** How several values of one time become one value. */
export type Aggregate = (typeof AGGREGATES)[number];

/**
 * The smallest value of forecasts: `auto` is 0 for series that never were below 0, and no floor for others; `none` is no
 * floor.
 */
export const FLOORS = ["auto", "none"] as const;
/** The smallest value of forecasts. */
export type Floor = (typeof FLOORS)[number];

/** Units of numeric times: seconds or milliseconds since 1970, or step numbers. */
export const NUMERIC_TIME_UNITS = ["s", "ms", "step"] as const;
/** The unit of numeric times. */
export type NumericTimeUnit = (typeof NUMERIC_TIME_UNITS)[number];

export * from "../../formats/tables/format-names.ts";
