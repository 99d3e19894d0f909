// Flags for reading a file of time series. `--help` loads this file, so its imports are light.

import { FILL_METHODS } from "../../../forecast/data/fill-gaps.ts";
import {
  AGGREGATES,
  DECIMAL_SIGNS,
  FLOORS,
  NUMERIC_TIME_UNITS,
  TABLE_FORMATS,
} from "../../../forecast/data/option-names.ts";
import type { PanelFileOptions } from "../../../forecast/data/panel-file.ts";
import { seasonsKind } from "../../../forecast/option-kinds.ts";
import { choice, type Kind, listOf, text } from "../../../settings/kinds.ts";
import { kebab } from "../../config-flags.ts";
import type { InputCommand } from "../../input.ts";

const columns = listOf(text(), "column names, separated by commas");
const name = text();
const aggregate = choice(AGGREGATES);
const decimalSign: Kind<unknown> = {
  ...choice(DECIMAL_SIGNS),
  violation: (value) =>
    (DECIMAL_SIGNS as readonly unknown[]).includes(value) ? null : { rule: '"." or ","' },
};

/** Argument, help and kind of each flag; a flag without an argument is a switch. */
const DATA_FLAGS: Readonly<
  Record<keyof PanelFileOptions, readonly [argument: string, help: string, kind?: Kind<unknown>]>
> = {
  format: [
    "<name>",
    `file format: ${TABLE_FORMATS.join(", ")} (default: by the file extension)`,
    choice(TABLE_FORMATS),
  ],
  idColumn: ["<name>", "column with the series names (default: unique_id, item_id, series_id or id)", name],
  timeColumn: ["<name>", "column with the times (default: ds, timestamp, datetime, date or time)", name],
  targetColumns: [
    "<a,b>",
    "columns to forecast (default: y, target or value, or the only numeric column)",
    columns,
  ],
  timeUnit: [
    "<name>",
    `unit of numeric times: ${NUMERIC_TIME_UNITS.join(", ")} (default: guessed from their magnitude)`,
    choice(NUMERIC_TIME_UNITS),
  ],
  wide: ["", "the file has one column per series"],
  header: [
    "",
    "the CSV file has no header: columns are named 1, 2, …; with --wide, the row number is the time",
  ],
  decimal: ["<sign>", 'decimal sign of the numbers in a CSV file: "." or "," (default: ".")', decimalSign],
  pastColumns: ["<a,b>", "covariates that are known only up to the cutoff", columns],
  knownFutureColumns: [
    "<a,b>",
    "covariates that are also known in the future; the file has their future values in rows without targets",
    columns,
  ],
  staticColumns: ["<a,b>", "covariates with one value per series", columns],
  categoricalColumns: [
    "<a,b>",
    "covariates to treat as categories although their values are numbers",
    columns,
  ],
  frequency: [
    "<text>",
    "time from one row to the next, such as 15min, h, D, B, W, M, Q, Y, or 1 if times are step numbers; irregular if it varies (default: inferred)",
    name,
  ],
  season: [
    "<n,n>",
    "length of the seasonal pattern in steps, or of several patterns, such as 48,336; 1 for none (default: by the frequency)",
    seasonsKind,
  ],
  duplicates: [
    "<name>",
    `how to merge rows with equal times: ${AGGREGATES.join(", ")} (default: such rows are an error)`,
    aggregate,
  ],
  resample: ["<text>", "aggregate rows to steps of this length, such as 1h", name],
  aggregate: ["<name>", `how --resample aggregates: ${AGGREGATES.join(", ")} (default: mean)`, aggregate],
  fill: [
    "<name>",
    `how to fill gaps before each cutoff: ${FILL_METHODS.join(", ")} (default: none; models handle gaps)`,
    choice(FILL_METHODS),
  ],
  floor: [
    "<name>",
    "smallest value of forecasts: auto, which is 0 for series that never were below 0, or none (default: auto)",
    choice(FLOORS),
  ],
};

const OPTIONS = Object.keys(DATA_FLAGS) as (keyof PanelFileOptions)[];

/** Adds the data flags to a command, except those in `except`. */
export function addDataFlags(command: InputCommand, except: readonly (keyof PanelFileOptions)[] = []): void {
  command.optionsGroup("Data:");
  for (const option of OPTIONS) {
    if (except.includes(option)) continue;
    const [argument, help, kind] = DATA_FLAGS[option];
    // A file has a header by default, so its flag is the negation.
    const flag = option === "header" ? "--no-header" : `--${kebab(option)}`;
    if (kind) command.addOption(command.flag(`${flag} ${argument}`, help, kind));
    else command.option(flag, help);
  }
}

/** The data options among all options of a command. */
export function dataOptions(options: object): PanelFileOptions {
  const given = options as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    OPTIONS.filter((option) => given[option] !== undefined)
      // Commander sets `header` to true if --no-header is absent.
      .filter((option) => !(option === "header" && given[option]))
      .map((option) => [option, given[option]]),
  );
}
