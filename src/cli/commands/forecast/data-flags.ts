// Flags that say what a file of time series holds, and what is made of it. It loads quickly, for `--help`.

import type { Aggregate, CountedUnit, Fill, TableFormat } from "../../../forecast/data/index.ts";
import { aName, type FlagKind, flagOf, listOf, oneOf, wholeNumber } from "../../flag-kinds.ts";
import type { TypedCommand } from "../../typed.ts";
import { AGGREGATE_NAMES, FILL_NAMES, FORMAT_NAMES, TIME_UNIT_NAMES } from "./choices.ts";

/** What was typed about the data; plain, so that a model can keep it. */
export interface DataFlags {
  readonly format?: TableFormat;
  readonly idCol?: string;
  readonly timeCol?: string;
  readonly targetCol?: readonly string[];
  /** False where the file has no line of names. */
  readonly header?: boolean;
  readonly timeUnit?: CountedUnit;
  readonly wide?: boolean;
  readonly past?: readonly string[];
  readonly knownFuture?: readonly string[];
  readonly static?: readonly string[];
  readonly categorical?: readonly string[];
  readonly freq?: string;
  readonly season?: number;
  readonly duplicates?: Aggregate;
  readonly resample?: string;
  readonly agg?: Aggregate;
  readonly fill?: Fill;
}

const columns = listOf(aName, "names of columns, apart by commas");

/** By the name in `DataFlags`: how it is typed, what it says, and what it takes; null for a switch. */
const DATA_FLAGS: Readonly<Record<keyof DataFlags, readonly [string, string, FlagKind<unknown> | null]>> = {
  format: [
    "--format <name>",
    `of the file: ${FORMAT_NAMES.join(", ")} (default: by its name)`,
    oneOf(FORMAT_NAMES),
  ],
  idCol: [
    "--id-col <name>",
    "column of the series' names (default: unique_id, item_id, series_id, id)",
    aName,
  ],
  timeCol: ["--time-col <name>", "column of times (default: ds, timestamp, datetime, date, time)", aName],
  targetCol: ["--target-col <a,b>", "columns to forecast (default: y, target, value)", columns],
  timeUnit: [
    "--time-unit <name>",
    `what numbers in the column of times count: ${TIME_UNIT_NAMES.join(", ")} (default: by their size)`,
    oneOf(TIME_UNIT_NAMES),
  ],
  wide: ["--wide", "one column per series beside the times", null],
  header: [
    "--no-header",
    "a CSV file without a line of names: columns are 1, 2, …; with --wide, rows are the times",
    null,
  ],
  past: ["--past <a,b>", "columns that are seen with the targets only", columns],
  knownFuture: ["--known-future <a,b>", "columns that are known ahead: rows after the last target", columns],
  static: ["--static <a,b>", "columns with one value per series", columns],
  categorical: [
    "--categorical <a,b>",
    "which of those are categories although they look like numbers",
    columns,
  ],
  freq: [
    "--freq <text>",
    "step of times, as 15min, h, D, B, W, M, Q, Y, or 1 where they count; irregular keeps them as they are (default: by the times)",
    aName,
  ],
  season: [
    "--season <n>",
    "steps after which a pattern comes again; 1 is none (default: by the step)",
    wholeNumber(1, 100_000),
  ],
  duplicates: [
    "--duplicates <name>",
    `what becomes of rows with the same time: ${AGGREGATE_NAMES.join(", ")} (default: an error)`,
    oneOf(AGGREGATE_NAMES),
  ],
  resample: ["--resample <text>", "gather rows in steps of this length, as 1h", aName],
  agg: [
    "--agg <name>",
    `how --resample gathers: ${AGGREGATE_NAMES.join(", ")} (default: mean)`,
    oneOf(AGGREGATE_NAMES),
  ],
  fill: [
    "--fill <name>",
    `values for gaps, from before each cutoff: ${FILL_NAMES.join(", ")} (default: none; models see gaps as such)`,
    oneOf(FILL_NAMES),
  ],
};

const NAMES = Object.keys(DATA_FLAGS) as (keyof DataFlags)[];

/** Adds them to a command, under a heading of their own. */
export function addDataFlags(command: TypedCommand, without: readonly (keyof DataFlags)[] = []): void {
  command.optionsGroup("Data:");
  for (const name of NAMES) {
    if (without.includes(name)) continue;
    const [flags, description, kind] = DATA_FLAGS[name];
    if (kind === null) command.option(flags, description);
    else command.addOption(flagOf(command, flags, description, kind));
  }
}

/** What was typed about the data, out of all that was typed. */
export function dataFlagsOf(typed: Readonly<Record<string, unknown>>): DataFlags {
  return Object.fromEntries(
    // A header is there unless it was typed that it is not.
    NAMES.filter((name) => typed[name] !== undefined && !(name === "header" && typed[name])).map((name) => [
      name,
      typed[name],
    ]),
  );
}

/** A sentence of the data module, in words of the command line. */
export function inDataFlags(sentence: string): string {
  return OPTION_NAMES.reduce((text, [option, flag]) => text.replaceAll(option, flag), sentence);
}

const OPTION_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bidColumn\b/g, "--id-col"],
  [/\btimeColumn\b/g, "--time-col"],
  [/\btargetColumns\b/g, "--target-col"],
  [/\bpastColumns\b/g, "--past"],
  [/\bknownColumns\b/g, "--known-future"],
  [/\bstaticColumns\b/g, "--static"],
  [/\bcategoricalColumns\b/g, "--categorical"],
  [/\bset header to false\b/g, "use --no-header"],
  [/\bset format to\b/g, "use --format"],
  [/\bset timeUnit to s or ms\b/g, "use --time-unit s or ms"],
  [/\bset aggregate to\b/g, "set --duplicates to"],
  [/\bleave the frequency out, or resample\b/g, "leave --freq out, or use --resample"],
  [/\bor its format must be given\b/g, "or --format must name its format"],
];
