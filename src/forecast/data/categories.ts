// Categories as numbers: levels are those of the training rows; what is missing or was never seen has codes of its own.

import type { Panel } from "../types.ts";

/** The code of a level that is not there. */
export const MISSING_LEVEL = 0;
/** The code of a level that no training row has. */
export const UNKNOWN_LEVEL = 1;
const FIRST_LEVEL = 2;

/** The levels of one categorical column; plain data, to be saved with a model. */
export interface Categories {
  readonly name: string;
  /** Sorted; level i has the code i + 2. */
  readonly levels: readonly string[];
}

/** Levels of all categorical columns of a panel, static ones last; only rows that have passed are looked at. */
export function fitCategories({ series, covariates }: Panel): Categories[] {
  const inTime = covariates
    .filter(({ kind }) => kind === "categorical")
    .map(({ name }) =>
      categoriesOf(
        name,
        series.map(({ covariates }) => covariates[name] as readonly (string | null)[]),
      ),
    );
  const statics = [...new Set(series.flatMap(({ statics }) => Object.keys(statics)))]
    .map((name) => ({ name, values: series.map(({ statics }) => statics[name]) }))
    .filter(({ values }) => values.some((value) => typeof value === "string"))
    .map(({ name, values }) => categoriesOf(name, [values.map((value) => value as string | null)]));
  return [...inTime, ...statics];
}

/** How many codes there are, those for missing and unknown levels among them. */
export function codeCount({ levels }: Categories): number {
  return levels.length + FIRST_LEVEL;
}

/** The codes of levels. */
export function encodeLevels({ levels }: Categories, values: readonly (string | null)[]): Int32Array {
  const codes = new Map(levels.map((level, i) => [level, i + FIRST_LEVEL]));
  return Int32Array.from(values, (level) =>
    level === null ? MISSING_LEVEL : (codes.get(level) ?? UNKNOWN_LEVEL),
  ); // [T]
}

function categoriesOf(name: string, columns: readonly (readonly (string | null)[])[]): Categories {
  const levels = new Set<string>();
  for (const column of columns) for (const level of column) if (level !== null) levels.add(level);
  return { name, levels: [...levels].sort() };
}
