// Decides the role of each column of a file: by the caller's options, or by the column names that forecasting tools use.

import { nameList, quote, TableError } from "../../formats/tables/table-error.ts";
import { editDistance } from "../../math/edit-distance.ts";
import type { CovariateRole } from "./table.ts";

/** The roles of the columns of a file. */
export interface ColumnOptions {
  /** Column with the name of the series. Default: unique_id, item_id, series_id or id. */
  readonly idColumn?: string;
  /** Default: ds, timestamp, datetime, date or time. */
  readonly timeColumn?: string;
  /** Columns to forecast. Default: y, target or value, or else the only numeric column. */
  readonly targetColumns?: readonly string[];
  /** Covariates that are known only up to the cutoff. */
  readonly pastColumns?: readonly string[];
  /** Covariates that are also known for future times. */
  readonly knownFutureColumns?: readonly string[];
  /** Covariates with one value per series. */
  readonly staticColumns?: readonly string[];
  /** Covariates to read as categories although they look like numbers. */
  readonly categoricalColumns?: readonly string[];
  /** True if the file has one column per series instead of a column of series names. */
  readonly wide?: boolean;
  /** False if columns are named by their numbers. A wide table without a time column then has only series. */
  readonly header?: boolean;
}

export interface ChosenCovariate {
  readonly name: string;
  readonly role: CovariateRole;
  readonly categorical: boolean;
}

export interface ChosenColumns {
  /** Undefined if the file has a single series, or one column per series. */
  readonly id: string | undefined;
  /** Undefined if the row number is the time. */
  readonly time: string | undefined;
  /** The targets; in a wide file, the series. */
  readonly targets: readonly string[];
  readonly covariates: readonly ChosenCovariate[];
  readonly ignored: readonly string[];
}

/** Column names of common forecasting tools, the most specific first. */
const ALIASES = {
  id: ["unique_id", "item_id", "series_id", "id"],
  time: ["ds", "timestamp", "datetime", "date", "time"],
  target: ["y", "target", "value"],
} as const;

/** Chooses the columns to read from the column names of a file. There are no targets if no name tells them. */
export function chooseColumns(
  path: string,
  names: readonly string[],
  options: ColumnOptions = {},
): ChosenColumns {
  const { wide = false, header = true, categoricalColumns = [] } = options;
  const exact = (option: string, name: string) => findColumn(path, names, option, name);
  const byAlias = (kind: keyof typeof ALIASES) =>
    ALIASES[kind].flatMap((alias) => names.filter((name) => name.toLowerCase() === alias))[0];
  const roles: readonly [CovariateRole, keyof ColumnOptions, readonly string[] | undefined][] = [
    ["past", "pastColumns", options.pastColumns],
    ["known-future", "knownFutureColumns", options.knownFutureColumns],
    ["static", "staticColumns", options.staticColumns],
  ];
  const covariates = roles.flatMap(([role, option, columns = []]) =>
    columns.map((column) => ({
      name: exact(option, column),
      role,
      categorical: categoricalColumns.includes(column),
    })),
  );
  const covariateNames = covariates.map(({ name }) => name);
  for (const name of categoricalColumns) {
    if (covariateNames.includes(exact("categoricalColumns", name))) continue;
    throw new TableError(
      `column ${quote(name)} must also be a past, known-future or static column, got none of them`,
      { path: "categoricalColumns", code: "column" },
    );
  }

  const numbered = wide && !header;
  // A file with two columns of unknown names has times and values.
  const timesAndValues =
    !numbered && names.length === 2 && byAlias("time") === undefined && byAlias("target") === undefined;
  const time =
    options.timeColumn === undefined
      ? (byAlias("time") ?? (timesAndValues ? names[0] : undefined))
      : exact("timeColumn", options.timeColumn);
  if (time === undefined && !numbered) throw noColumn(path, "timeColumn", ALIASES.time, names);
  if (wide && (options.idColumn !== undefined || covariates.length > 0)) {
    throw new TableError(
      "a wide table has one column per series, so it takes neither a column of series names nor covariates",
      { path: "wide", code: "conflict" },
    );
  }
  const id = wide
    ? undefined
    : options.idColumn === undefined
      ? byAlias("id")
      : exact("idColumn", options.idColumn);
  const others = names.filter((name) => name !== time);
  const defaultTargets = wide
    ? others
    : [byAlias("target") ?? (timesAndValues ? names[1] : undefined)].filter((name) => name !== undefined);
  const targets = options.targetColumns?.map((name) => exact("targetColumns", name)) ?? defaultTargets;
  const used = [id, time, ...targets, ...covariateNames].filter((name) => name !== undefined);
  const twice = used.find((name, i) => used.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new TableError(
      `Column ${quote(twice)} of ${path} can be only one of id, time, target and covariate`,
    );
  }
  return { id, time, targets, covariates, ignored: names.filter((name) => !used.includes(name)) };
}

function findColumn(path: string, names: readonly string[], option: string, wanted: string): string {
  const found =
    names.find((name) => name === wanted) ?? names.find((name) => equalIgnoringCase(name, wanted));
  if (found !== undefined) return found;
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(name.slice(0, 100), wanted.slice(0, 100)) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3) && distance < wanted.length)
    .sort((a, b) => a.distance - b.distance);
  const hint = nearest === undefined ? `it has ${nameList(names)}` : `did you mean ${quote(nearest.name)}?`;
  throw new TableError(`${path} has no column ${quote(wanted)}; ${hint}`, { path: option, code: "column" });
}

function equalIgnoringCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The error of a file whose targets cannot be chosen; `candidates` are those to choose from. */
export function noTargetColumn(path: string, candidates: readonly string[]): TableError {
  return noColumn(path, "targetColumns", ALIASES.target, candidates);
}

function noColumn(
  path: string,
  option: string,
  aliases: readonly string[],
  names: readonly string[],
): TableError {
  return new TableError(
    `${path} has no column named ${aliases.join(", ")}; choose one of its columns: ${nameList(names)}`,
    { path: option, code: "column" },
  );
}
