// Looks at all rows of a file once, before they are read: whether times and numbers are such, and how they are written.

import type { ChosenColumns } from "./columns.ts";
import type { DuckDBValue } from "./duckdb.ts";
import { startsOf } from "./table.ts";
import { quoted, TableError } from "./table-error.ts";
import type { TableFile } from "./table-file.ts";
import {
  doubleOf,
  isCompactDay,
  isNumberText,
  isWholeText,
  isYear,
  millisecondsOf,
  type TimeStyle,
  timeText,
  zoneOf,
} from "./table-sql.ts";

export interface CheckedRows {
  readonly count: number;
  readonly style: TimeStyle;
  /** Covariates that hold numbers only. */
  readonly numeric: ReadonlySet<string>;
}

/** Squares and sums of numbers beyond this are no longer finite. */
const LARGEST = 1e100;
/** Numbers that are all below this and whole count steps: seconds would end in April 1970. */
const FIRST_SECONDS = 1e7;
/** In the year 5138: numbers that would be later than this count something smaller. */
const LAST_GUESS = 1e14;
/** What numbers in a column of times may count. */
export const COUNTED_UNITS = ["s", "ms", "step"] as const;
export type CountedUnit = (typeof COUNTED_UNITS)[number];
/** The last moment that a date of JavaScript can be. */
const LAST_TIME = 8.64e15;

/** Checks all rows; the first that is wrong is named with its column. */
export async function checkRows(
  path: string,
  file: TableFile,
  columns: ChosenColumns,
  { timeUnit }: { readonly timeUnit?: CountedUnit } = {},
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
    first("zone <> ''", "t"),
    first("zone = ''", "t"),
    ["max(abs(TRY_CAST(t AS DOUBLE))) FILTER (WHERE number)"],
    first(`number AND NOT ${isWholeText("t")}`, "t"),
    [isYear("t"), isCompactDay("t")].map((is) => `bool_and(CASE WHEN number THEN ${is} ELSE false END)`),
    ...values.flatMap((_, i) => [
      first(`d${i} IS NULL`, `v${i}`),
      first(`isinf(d${i})`, `v${i}`),
      first(`isfinite(d${i}) AND abs(d${i}) > ${LARGEST}`, `v${i}`),
    ]),
  ];
  // Each step has a level of its own, so that nothing is worked out twice.
  const [row] = await file.all(
    `SELECT ${facts.flat().join(", ")} FROM (
     SELECT *, CASE WHEN number THEN NULL ELSE ${millisecondsOf("t", "zone", { kind: "text" })} END AS time FROM (
     SELECT *, ${zoneOf("t")} AS zone, ${isNumberText("t")} AS number,
       ${values.map((_, i) => `${doubleOf(`v${i}`)} AS d${i}`).join(", ")} FROM (
     SELECT row_number() OVER () AS row, ${columns.id === undefined ? "''" : file.text(columns.id)} AS id,
       ${timeText(columns.time === undefined ? undefined : file.text(columns.time))} AS t,
       ${values.map((name, i) => `${file.text(name)} AS v${i}`).join(", ")} FROM ${file.source})))`,
  );
  const starts = startsOf(facts.map((fact) => fact.length));
  const [
    [total],
    noId,
    noTime,
    number,
    text,
    unreadable,
    withZone,
    withoutZone,
    [largest],
    broken,
    [years, days],
    ...found
  ] = facts.map((_, i) => row.slice(starts[i], starts[i + 1]));

  const time = columns.time ?? "";
  const wrong = (fact: DuckDBValue[], column: string, rule: string) => {
    if (fact[0] === null) return;
    const got = fact[1] === null || fact[1] === "" ? "nothing" : quoted(String(fact[1]));
    throw new TableError(`${path}, row ${fact[0]}, column ${quoted(column)}: ${rule}, got ${got}`);
  };
  if (Number(total) === 0) throw new TableError(`${path} has a header and no rows`);
  if (Number(total) === 1) {
    const hint = file.format === "json" ? "; rows are objects in a list, or one per line" : "";
    throw new TableError(`${path} has one row, and at least two are needed${hint}`);
  }
  wrong(noId, columns.id ?? "", "every row needs the name of its series");
  wrong(noTime, time, "a time is needed");
  wrong(unreadable, time, "an ISO date, a date-time or a number is needed");
  if (number[0] !== null && text[0] !== null) {
    const later = Number(number[0]) > Number(text[0]) ? number : text;
    wrong(later, time, "times must all be numbers or all be dates");
  }
  if (withZone[0] !== null && withoutZone[0] !== null) {
    const later = Number(withZone[0]) > Number(withoutZone[0]) ? withZone : withoutZone;
    wrong(later, time, "times must all have an offset from UTC or all have none");
  }
  const numeric = new Set<string>();
  for (const [i, name] of values.entries()) {
    const [noNumber, infinite, large] = found.slice(3 * i, 3 * i + 3);
    const covariate = columns.covariates[i - columns.targets.length];
    if (covariate === undefined) wrong(noNumber, name, "a number is needed");
    else if (covariate.categorical || noNumber[0] !== null) continue;
    wrong(infinite, name, "a finite number is needed");
    wrong(large, name, `a number between -${LARGEST} and ${LARGEST} is needed`);
    numeric.add(name);
  }
  if (number[0] === null) return { count: Number(total), style: { kind: "text" }, numeric };
  // Rows in their order are steps, however many there are.
  const unit = columns.time === undefined ? "step" : timeUnit;
  const style = numberStyle(Number(largest), {
    ...{ years: years === true, days: days === true, whole: broken[0] === null },
    unit,
  });
  if (style.kind === "step") wrong(broken, time, "a time that counts steps must be a whole number");
  const far = style.kind === "epoch" ? style.milliseconds : style.kind === "step" ? 1 : 0;
  if (Number(largest) * far > LAST_TIME) {
    const rule = style.kind === "step" ? `at most ${LAST_TIME} steps` : "at most 275,000 years away";
    throw new TableError(`${path}, column ${quoted(time)}: times must be ${rule}, got ${largest}`);
  }
  return { count: Number(total), style, numeric };
}

function numberStyle(
  largest: number,
  told: {
    readonly years: boolean;
    readonly days: boolean;
    readonly whole: boolean;
    readonly unit?: CountedUnit;
  },
): TimeStyle {
  const { years, days, whole, unit } = told;
  if (unit === "step") return { kind: "step" };
  if (unit !== undefined) return { kind: "epoch", milliseconds: unit === "s" ? 1000 : 1 };
  if (years) return { kind: "year" };
  if (days) return { kind: "compact" };
  if (whole && largest < FIRST_SECONDS) return { kind: "step" };
  // From a second to a nanosecond: the first by which the largest number is in this age of the world.
  const milliseconds = [1000, 1, 1e-3, 1e-6].find((each) => largest * each < LAST_GUESS) ?? 1e-6;
  return { kind: "epoch", milliseconds };
}
