// Which columns of a table hold strings, scores and uncertainties: one rule for every table that a user gives.

import { UserError } from "../../issues.ts";
import { nameList } from "./table-error.ts";

/** Names of columns that need not be given, the most usual first. */
export const COLUMN_NAMES = {
  string: ["string", "sequence", "seq", "peptide", "smiles", "object", "x"],
  score: ["score", "fitness", "y", "value", "target", "measurement", "reward"],
  uncertainty: ["uncertainty", "std", "sd", "stderr"],
} as const;

/** What a column holds. */
export type ColumnRole = keyof typeof COLUMN_NAMES;

/**
 * The index of the column with the first of the usual names that a column has; undefined if no column has one. The order of
 * the usual names decides, not that of the columns. Throws a UserError if several columns have this name.
 */
export function usualColumn(columns: readonly string[], role: ColumnRole): number | undefined {
  for (const name of COLUMN_NAMES[role]) {
    const found = columnNamed(columns, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The index of the column with a name, in any case of letters if none has exactly this name; undefined if there is none.
 * Throws a UserError if there are several. */
export function columnNamed(columns: readonly string[], name: string): number | undefined {
  const matching = (text: (column: string) => string) =>
    columns.flatMap((column, i) => (text(column.trim()) === text(name) ? [i] : []));
  const exact = matching((text) => text);
  const found = exact.length > 0 ? exact : matching((text) => text.toLowerCase());
  if (found.length <= 1) return found[0];
  throw new UserError(
    `there must be one column ${JSON.stringify(name)}, got ${nameList(found.map((i) => columns[i]))}; rename all but one of them`,
  );
}
