// SQL expressions that parse the texts of a file as times and categories.
//
// Accepted times are dates, date-times with or without a UTC offset, months, quarters and numbers. One `TimeFormat`
// applies to the whole file, so a column never mixes seconds and milliseconds.

/** Format of all times of a file. */
export type TimeFormat =
  | { readonly kind: "text" | "year" | "compact" | "step" }
  /** Numbers since 1970 in units of this many milliseconds. */
  | { readonly kind: "epoch"; readonly milliseconds: number };

const DATE = String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}`;
const CLOCK = String.raw`[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?`;
const ZONE = String.raw`\s*(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)$`;
const NUMBER = String.raw`[+-]?\d+(\.\d+)?`;

/** The text of a time. Without a time column, the row number. */
export function timeTextSql(column: string | undefined): string {
  return column === undefined ? "CAST(row_number() OVER () AS VARCHAR)" : `trim(${column})`;
}

/** Whether a text is a decimal number. */
export function isNumberSql(text: string): string {
  return `regexp_full_match(${text}, '${NUMBER}')`;
}

/** Whether a text is a whole number. */
export function isIntegerSql(text: string): string {
  return `regexp_full_match(${text}, '[+-]?\\d+(\\.0+)?')`;
}

/** Whether a text is a date such as 20240131. */
export function isCompactDateSql(text: string): string {
  return `(regexp_full_match(${text}, '(1[5-9]|2[0-4])\\d{6}') AND try_strptime(${text}, '%Y%m%d') IS NOT NULL)`;
}

/** Whether a text is a year from 1500 to 2499. */
export function isYearSql(text: string): string {
  return `regexp_full_match(${text}, '(1[5-9]|2[0-4])\\d{2}')`;
}

/** The UTC offset at the end of a time, such as Z or +02:00; empty if there is none. */
export function utcOffsetSql(text: string): string {
  // The length is checked first because regular expressions are slow and dates have no offset.
  return `CASE WHEN length(${text}) > 13 THEN regexp_extract(${text}, '${CLOCK}${ZONE}', 1) ELSE '' END`;
}

/** Milliseconds since 1970 in UTC, from a text and its UTC offset; null if the text is not a time. */
export function timestampSql(text: string, offset: string, format: TimeFormat): string {
  switch (format.kind) {
    case "epoch":
      // Rounded to microseconds, because division by 1,000 is inexact in floating point.
      return `round(TRY_CAST(${text} AS DOUBLE) * ${format.milliseconds}, 3)`;
    case "step":
      return `TRY_CAST(${text} AS DOUBLE)`;
    case "year":
      return `epoch_ms(TRY_CAST(${text} || '-01-01' AS TIMESTAMP))::DOUBLE`;
    case "compact":
      return `epoch_ms(try_strptime(${text}, '%Y%m%d'))::DOUBLE`;
    case "text": {
      const local = `rtrim(left(${text}, length(${text}) - length(${offset})))`;
      const date = `CASE WHEN regexp_full_match(${local}, '${DATE}(?:${CLOCK})?') THEN ${local}
        WHEN regexp_full_match(${text}, '\\d{4}-\\d{1,2}') THEN ${text} || '-01'
        WHEN regexp_full_match(${text}, '\\d{4}-?[Qq][1-4]')
          THEN left(${text}, 4) || '-' || (3 * right(${text}, 1)::INTEGER - 2) || '-01' END`;
      return `(epoch_us(TRY_CAST(${date} AS TIMESTAMP)) / 1000.0 - ${offsetMillisecondsSql(offset)})`;
    }
    default:
      return format satisfies never;
  }
}

/** A category; null if it is missing. */
export function categorySql(text: string): string {
  return `nullif(trim(${text}), '')`;
}

/** A UTC offset in milliseconds. */
function offsetMillisecondsSql(offset: string): string {
  const minutes = `substr(${offset}, 2, 2)::INTEGER * 60 + CASE WHEN length(${offset}) > 3 THEN right(${offset}, 2)::INTEGER ELSE 0 END`;
  return `CASE WHEN left(${offset}, 1) IN ('+', '-')
    THEN (CASE left(${offset}, 1) WHEN '-' THEN -60000 ELSE 60000 END) * (${minutes}) ELSE 0 END`;
}
