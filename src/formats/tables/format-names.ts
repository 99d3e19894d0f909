// Formats of table files and of the numbers in them. This file imports nothing, so that the command line can show them in
// `--help` quickly.

/** File formats of tables. */
export const TABLE_FORMATS = ["csv", "json", "parquet"] as const;
/** A file format of tables. */
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Signs between the whole and the fractional part of a number. */
export const DECIMAL_SIGNS = [".", ","] as const;
/** The sign between the whole part and the fraction of a number. */
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];
