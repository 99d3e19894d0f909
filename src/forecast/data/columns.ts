// Which column of a file is what: named by the caller, or known by the names that forecasting tools use.

import { editDistance } from "../../gfn/evaluate/diversity.ts";
import { listed, quoted, TableError } from "./table-error.ts";

export interface ColumnOptions {
  readonly idColumn?: string;
  readonly timeColumn?: string;
  readonly targetColumns?: readonly string[];
  /** Covariates that are seen with the targets only. */
  readonly pastColumns?: readonly string[];
  /** Covariates that are known ahead, too. */
  readonly knownColumns?: readonly string[];
  /** One value per series. */
  readonly staticColumns?: readonly string[];
  /** Covariates to read as categories even though they look like numbers. */
  readonly categoricalColumns?: readonly string[];
  /** One column per series beside the times. */
  readonly wide?: boolean;
  /** False where columns have no names but their numbers: a wide table without a time column is then all series. */
  readonly header?: boolean;
}

export interface ChosenCovariate {
  readonly name: string;
  readonly role: "past" | "known" | "static";
  readonly categorical: boolean;
}

export interface ChosenColumns {
  /** Undefined where the file is a single series, or wide. */
  readonly id: string | undefined;
  /** Undefined where the rows themselves count the time. */
  readonly time: string | undefined;
  /** Targets, or the series of a wide file. */
  readonly targets: readonly string[];
  readonly covariates: readonly ChosenCovariate[];
  readonly ignored: readonly string[];
}

/** Names that forecasting tools give these columns, the more telling first. */
const ALIASES = {
  id: ["unique_id", "item_id", "series_id", "id"],
  time: ["ds", "timestamp", "datetime", "date", "time"],
  target: ["y", "target", "value"],
} as const;

/** The columns to read of those a file has. */
export function chooseColumns(
  path: string,
  names: readonly string[],
  options: ColumnOptions = {},
): ChosenColumns {
  const { wide = false, header = true, categoricalColumns = [] } = options;
  const exact = (option: string, name: string) => findColumn(path, names, option, name);
  const alias = (kind: keyof typeof ALIASES) =>
    ALIASES[kind].flatMap((known) => names.filter((name) => name.toLowerCase() === known))[0];
  const roles = { past: options.pastColumns, known: options.knownColumns, static: options.staticColumns };
  const covariates = Object.entries(roles).flatMap(([role, columns = []]) =>
    columns.map((column) => ({
      name: exact(`${role}Columns`, column),
      role: role as ChosenCovariate["role"],
      categorical: categoricalColumns.includes(column),
    })),
  );
  const declared = covariates.map(({ name }) => name);
  for (const name of categoricalColumns) {
    if (declared.includes(exact("categoricalColumns", name))) continue;
    throw new TableError(
      `Column ${quoted(name)} is named in categoricalColumns, so it must be a past, known or static column, too`,
    );
  }

  // A file of two columns without names we know is times and values.
  const numbered = wide && !header;
  const plain =
    !numbered && names.length === 2 && alias("time") === undefined && alias("target") === undefined;
  const time =
    options.timeColumn === undefined
      ? (alias("time") ?? (plain ? names[0] : undefined))
      : exact("timeColumn", options.timeColumn);
  if (time === undefined && !numbered) throw missing(path, "times", "timeColumn", ALIASES.time, names);
  if (wide && (options.idColumn !== undefined || covariates.length > 0)) {
    throw new TableError("A wide table has one column per series, so it takes no idColumn and no covariates");
  }
  const id = wide
    ? undefined
    : options.idColumn === undefined
      ? alias("id")
      : exact("idColumn", options.idColumn);
  const rest = names.filter((name) => name !== time);
  const found = wide
    ? rest
    : [alias("target") ?? (plain ? names[1] : undefined)].filter((name) => name !== undefined);
  const targets = options.targetColumns?.map((name) => exact("targetColumns", name)) ?? found;
  if (targets.length === 0) throw missing(path, "targets", "targetColumns", ALIASES.target, names);
  const used = [id, time, ...targets, ...declared].filter((name) => name !== undefined);
  const twice = used.find((name, i) => used.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new TableError(
      `Column ${quoted(twice)} of ${path} can be only one of id, time, target and covariate`,
    );
  }
  return { id, time, targets, covariates, ignored: names.filter((name) => !used.includes(name)) };
}

function findColumn(path: string, names: readonly string[], option: string, wanted: string): string {
  const found = names.find((name) => name === wanted) ?? names.find((name) => sameLetters(name, wanted));
  if (found !== undefined) return found;
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(name.slice(0, 100), wanted.slice(0, 100)) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3) && distance < wanted.length)
    .sort((a, b) => a.distance - b.distance);
  const hint = nearest === undefined ? `it has ${listed(names)}` : `did you mean ${quoted(nearest.name)}?`;
  throw new TableError(`${path} has no column ${quoted(wanted)}, which ${option} names; ${hint}`);
}

function sameLetters(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function missing(
  path: string,
  what: string,
  option: string,
  aliases: readonly string[],
  names: readonly string[],
): TableError {
  return new TableError(
    `${path} has no column of ${what} named ${aliases.join(", ")}; name one with ${option}: it has ${listed(names)}`,
  );
}
