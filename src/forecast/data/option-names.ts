// Values of the data options. This file imports nothing, so that the command line can show them in `--help` quickly.

/** How several values of one time become one value. Missing values are skipped. */
export const AGGREGATES = ["mean", "sum", "last", "first"] as const;
/** How several values of one time become one value. */
export type Aggregate = (typeof AGGREGATES)[number];

/** Units of numeric times: seconds or milliseconds since 1970, or step numbers. */
export const NUMERIC_TIME_UNITS = ["s", "ms", "step"] as const;
/** The unit of numeric times. */
export type NumericTimeUnit = (typeof NUMERIC_TIME_UNITS)[number];

/** File formats of tables. */
export const TABLE_FORMATS = ["csv", "json", "parquet"] as const;
/** A file format of tables. */
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Signs between the whole and the fractional part of a number. */
export const DECIMAL_SIGNS = [".", ","] as const;
/** The sign between the whole part and the fraction of a number. */
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];
