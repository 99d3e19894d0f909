// Checks all rows of a file in one query before they are read: validates times and numbers, and detects the time format
// and the numeric covariates.

import type { DuckDBValue } from "../../formats/tables/duckdb.ts";
import { quote, TableError } from "../../formats/tables/table-error.ts";
import type { TableFile } from "../../formats/tables/table-file.ts";
import type { ChosenColumns } from "./choose-columns.ts";
import { decimalRule } from "./decimal-rule.ts";
import type { DecimalSign, NumericTimeUnit } from "./option-names.ts";
import { rowOffsets } from "./table.ts";
import {
  isCompactDateSql,
  isIntegerSql,
  isNumberSql,
  isYearSql,
  type TimeFormat,
  timestampSql,
  timeTextSql,
  utcOffsetSql,
} from "./table-sql.ts";

export interface CheckedRows {
  readonly count: number;
  readonly timeFormat: TimeFormat;
  /** Names of the numeric columns. */
  readonly numericColumns: ReadonlySet<string>;
}

/** Largest accepted magnitude; squares of larger numbers may overflow. */
const MAX_MAGNITUDE = 1e100;
/** Whole numbers below this are step numbers: as seconds, they would all lie before May 1970. */
const MIN_EPOCH_SECONDS = 1e7;
/** Year 5138 in milliseconds. If a unit leads to later times, a smaller unit is assumed. */
const LATEST_GUESS = 1e14;
/** Latest time that a JavaScript Date can represent, in milliseconds. */
const LATEST_TIME = 8.64e15;

/** Checks all rows. The error names the first wrong row and its column. */
export async function checkRows(
  path: string,
  file: TableFile,
  columns: ChosenColumns,
  options: { readonly timeUnit?: NumericTimeUnit; readonly decimal?: DecimalSign } = {},
): Promise<CheckedRows> {
  const values = [...columns.targets, ...columns.covariates.map(({ name }) => name)];
  const first = (condition: string, text: string) => [
    `min(row) FILTER (WHERE ${condition})`,
    `arg_min(${text}, row) FILTER (WHERE ${condition})`,
  ];
  const facts = [
    ["count(*)"],
    first("id IS NULL", "id"),
    first("t IS NULL OR t = ''", "t"),
    first("number", "t"),
    first("NOT number", "t"),
    first("NOT number AND time IS NULL", "t"),
    first("utc_offset <> ''", "t"),
    first("utc_offset = ''", "t"),
    ["max(abs(TRY_CAST(t AS DOUBLE))) FILTER (WHERE number)"],
    first(`number AND NOT ${isIntegerSql("t")}`, "t"),
    [isYearSql("t"), isCompactDateSql("t")].map(
      (is) => `bool_and(CASE WHEN number THEN ${is} ELSE false END)`,
    ),
    ...values.flatMap((_, i) => [
      first(`d${i} IS NULL`, `v${i}`),
      first(`isinf(d${i})`, `v${i}`),
      first(`isfinite(d${i}) AND abs(d${i}) > ${MAX_MAGNITUDE}`, `v${i}`),
    ]),
  ];
  const times = columns.time === undefined ? null : file.timeSql(columns.time);
  // The times of a column of times need not be parsed.
  const [offset, isNumber, time] =
    times === null
      ? [
          utcOffsetSql("t"),
          isNumberSql("t"),
          `CASE WHEN number THEN NULL ELSE ${timestampSql("t", "utc_offset", { kind: "text" })} END`,
        ]
      : ["''", "false", "typed"];
  const read = [
    `${columns.id === undefined ? "''" : file.textSql(columns.id)} AS id`,
    `${timeTextSql(columns.time === undefined ? undefined : file.textSql(columns.time))} AS t`,
    `${times ?? "NULL"} AS typed`,
    ...values.flatMap((name, i) => [`${file.textSql(name)} AS v${i}`, `${file.valueSql(name)} AS d${i}`]),
  ];
  // Nested queries, so that each intermediate value is computed once.
  const [row] = await file.all(
    `SELECT ${facts.flat().join(", ")} FROM (
     SELECT *, ${time} AS time FROM (
     SELECT *, ${offset} AS utc_offset, ${isNumber} AS number FROM (
     SELECT ${file.rowSql} AS row, ${read.join(", ")} FROM ${file.fromSql})))`,
  );
  const offsets = rowOffsets(facts.map((fact) => fact.length));
  const [
    [total],
    noId,
    noTime,
    number,
    text,
    unreadable,
    withOffset,
    withoutOffset,
    [largest],
    fractional,
    [years, compactDates],
    ...valueFacts
  ] = facts.map((_, i) => row.slice(offsets[i], offsets[i + 1]));

  const timeColumn = columns.time ?? "";
  const rejectRow = (fact: DuckDBValue[], column: string, rule: string, remedy?: string) => {
    if (fact[0] === null) return;
    const got = fact[1] === null || fact[1] === "" ? "nothing" : quote(String(fact[1]));
    throw new TableError(`${path}, row ${fact[0]}, column ${quote(column)}: ${rule}, got ${got}`, { remedy });
  };
  if (Number(total) === 0) throw new TableError(`${path} has a header and no rows`);
  if (Number(total) === 1) {
    const hint = file.format === "json" ? "; rows are objects in a list, or one per line" : "";
    throw new TableError(`${path} has one row, and at least two are needed${hint}`);
  }
  rejectRow(noId, columns.id ?? "", "every row needs the name of its series");
  rejectRow(noTime, timeColumn, "a time is needed");
  rejectRow(unreadable, timeColumn, "an ISO date, a date-time or a number is needed");
  if (number[0] !== null && text[0] !== null) {
    const later = Number(number[0]) > Number(text[0]) ? number : text;
    rejectRow(later, timeColumn, "times must be all numbers or all dates");
  }
  if (withOffset[0] !== null && withoutOffset[0] !== null) {
    const later = Number(withOffset[0]) > Number(withoutOffset[0]) ? withOffset : withoutOffset;
    rejectRow(later, timeColumn, "either all times or none must have a UTC offset");
  }
  const numericColumns = new Set<string>();
  for (const [i, name] of values.entries()) {
    const [notNumeric, infinite, tooLarge] = valueFacts.slice(3 * i, 3 * i + 3);
    const covariate = columns.covariates[i - columns.targets.length];
    const [rule, remedy] = decimalRule(String(notNumeric[1]), options.decimal);
    if (covariate === undefined) rejectRow(notNumeric, name, rule, remedy);
    // A covariate of other texts is categorical, but one of numbers with the wrong decimal sign is a mistake.
    else if (!covariate.categorical && remedy !== undefined) {
      rejectRow(notNumeric, name, rule, `${remedy}, or declare the column as categorical`);
    }
    if (covariate?.categorical || notNumeric[0] !== null) continue;
    rejectRow(infinite, name, "a finite number is needed");
    rejectRow(tooLarge, name, `a number between -${MAX_MAGNITUDE} and ${MAX_MAGNITUDE} is needed`);
    numericColumns.add(name);
  }
  if (number[0] === null) return { count: Number(total), timeFormat: { kind: "text" }, numericColumns };
  // Without a time column, times are row numbers and therefore step numbers.
  const unit = columns.time === undefined ? "step" : options.timeUnit;
  const timeFormat = numericTimeFormat(Number(largest), {
    ...{ years: years === true, compactDates: compactDates === true, whole: fractional[0] === null },
    unit,
  });
  if (timeFormat.kind === "step") rejectRow(fractional, timeColumn, "a step number must be a whole number");
  const unitLength =
    timeFormat.kind === "epoch" ? timeFormat.milliseconds : timeFormat.kind === "step" ? 1 : 0;
  if (Number(largest) * unitLength > LATEST_TIME) {
    const rule =
      timeFormat.kind === "step" ? `at most ${LATEST_TIME} steps` : "at most 275,000 years from 1970";
    throw new TableError(`${path}, column ${quote(timeColumn)}: times must be ${rule}, got ${largest}`);
  }
  return { count: Number(total), timeFormat, numericColumns };
}

/** The format of numeric times, by the given unit or by the numbers themselves. */
function numericTimeFormat(
  largest: number,
  facts: {
    readonly years: boolean;
    readonly compactDates: boolean;
    readonly whole: boolean;
    readonly unit?: NumericTimeUnit;
  },
): TimeFormat {
  const { years, compactDates, whole, unit } = facts;
  if (unit === "step") return { kind: "step" };
  if (unit !== undefined) return { kind: "epoch", milliseconds: unit === "s" ? 1000 : 1 };
  if (years) return { kind: "year" };
  if (compactDates) return { kind: "compact" };
  if (whole && largest < MIN_EPOCH_SECONDS) return { kind: "step" };
  // Seconds, milliseconds, microseconds or nanoseconds: the longest unit with plausible dates.
  const milliseconds = [1000, 1, 1e-3, 1e-6].find((each) => largest * each < LATEST_GUESS) ?? 1e-6;
  return { kind: "epoch", milliseconds };
}
