// An SQL expression that parses the texts of a table as numbers.

import type { DecimalSign } from "./format-names.ts";

/** Texts, in lower case, that stand for a missing number. */
const MISSING = "('', 'na', 'n/a', 'nan', 'null', 'none')";

/** A number as a double; NaN if it is missing, null if the text is not a number with this decimal sign. */
export function numberSql(text: string, decimal: DecimalSign = "."): string {
  // A point is no part of a number with a decimal comma: it may separate thousands.
  const withPoint =
    decimal === "," ? `CASE WHEN ${text} NOT LIKE '%.%' THEN replace(${text}, ',', '.') END` : text;
  // Most texts are numbers, so the check for missing values runs only if the cast fails.
  return `coalesce(TRY_CAST(${withPoint} AS DOUBLE), CASE WHEN ${text} IS NULL OR lower(trim(${text})) IN ${MISSING} THEN 'NaN'::DOUBLE END)`;
}
