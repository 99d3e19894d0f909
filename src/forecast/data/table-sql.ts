// Texts of a file as times and numbers, in SQL.
//
// Times are read as they are written: dates, date-times with or without an offset, months, quarters, or numbers. What
// numbers mean is decided once for the whole file, so that one column never mixes seconds and milliseconds.

/** How the times of a file are written. */
export type TimeStyle =
  | { readonly kind: "text" | "year" | "compact" | "step" }
  /** Numbers since 1970, one of them this many milliseconds. */
  | { readonly kind: "epoch"; readonly milliseconds: number };

const DATE = String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}`;
const CLOCK = String.raw`[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?`;
const ZONE = String.raw`\s*(Z|z|UTC|[+-]\d{2}(?::?\d{2})?)$`;
const NUMBER = String.raw`[+-]?\d+(\.\d+)?`;
const MISSING = "('', 'na', 'n/a', 'nan', 'null', 'none')";

/** The text of a time; of a file that has no column of times, the number of the row. */
export function timeText(column: string | undefined): string {
  return column === undefined ? "CAST(row_number() OVER () AS VARCHAR)" : `trim(${column})`;
}

/** Whether a text is a number, as times may be. */
export function isNumberText(text: string): string {
  return `regexp_full_match(${text}, '${NUMBER}')`;
}

/** Whether a text is a whole number, as times that count are. */
export function isWholeText(text: string): string {
  return `regexp_full_match(${text}, '[+-]?\\d+(\\.0+)?')`;
}

/** Whether a text is a day written as 20240131. */
export function isCompactDay(text: string): string {
  return `(regexp_full_match(${text}, '(1[5-9]|2[0-4])\\d{6}') AND try_strptime(${text}, '%Y%m%d') IS NOT NULL)`;
}

/** Whether a text is a year; other numbers of four digits count steps. */
export function isYear(text: string): string {
  return `regexp_full_match(${text}, '(1[5-9]|2[0-4])\\d{2}')`;
}

/** The offset that a time is written with, as Z or +02:00; empty if none. */
export function zoneOf(text: string): string {
  // Dates alone are too short to have one, and patterns take time.
  return `CASE WHEN length(${text}) > 13 THEN regexp_extract(${text}, '${CLOCK}${ZONE}', 1) ELSE '' END`;
}

/** Milliseconds since 1970 in UTC of a text and its offset; null where the text is no time. */
export function millisecondsOf(text: string, zone: string, style: TimeStyle): string {
  switch (style.kind) {
    case "epoch":
      // Rounded to microseconds: a thousandth of a whole number may be a little off.
      return `round(TRY_CAST(${text} AS DOUBLE) * ${style.milliseconds}, 3)`;
    case "step":
      return `TRY_CAST(${text} AS DOUBLE)`;
    case "year":
      return `epoch_ms(TRY_CAST(${text} || '-01-01' AS TIMESTAMP))::DOUBLE`;
    case "compact":
      return `epoch_ms(try_strptime(${text}, '%Y%m%d'))::DOUBLE`;
    case "text": {
      const local = `rtrim(left(${text}, length(${text}) - length(${zone})))`;
      const date = `CASE WHEN regexp_full_match(${local}, '${DATE}(?:${CLOCK})?') THEN ${local}
        WHEN regexp_full_match(${text}, '\\d{4}-\\d{1,2}') THEN ${text} || '-01'
        WHEN regexp_full_match(${text}, '\\d{4}-?[Qq][1-4]')
          THEN left(${text}, 4) || '-' || (3 * right(${text}, 1)::INTEGER - 2) || '-01' END`;
      return `(epoch_us(TRY_CAST(${date} AS TIMESTAMP)) / 1000.0 - ${offsetOf(zone)})`;
    }
    default:
      return style satisfies never;
  }
}

/** A number as a double: NaN where it is not there, null where the text is none. */
export function doubleOf(text: string): string {
  // Most texts are numbers: only the others are looked at again.
  return `coalesce(TRY_CAST(${text} AS DOUBLE), CASE WHEN ${text} IS NULL OR lower(trim(${text})) IN ${MISSING} THEN 'NaN'::DOUBLE END)`;
}

/** A category: null where it is not there. */
export function levelOf(text: string): string {
  return `nullif(trim(${text}), '')`;
}

/** Milliseconds of an offset east of Greenwich. */
function offsetOf(zone: string): string {
  const minutes = `substr(${zone}, 2, 2)::INTEGER * 60 + CASE WHEN length(${zone}) > 3 THEN right(${zone}, 2)::INTEGER ELSE 0 END`;
  return `CASE WHEN left(${zone}, 1) IN ('+', '-')
    THEN (CASE left(${zone}, 1) WHEN '-' THEN -60000 ELSE 60000 END) * (${minutes}) ELSE 0 END`;
}
