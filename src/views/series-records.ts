// The records of one series in a file of several, and the names of all.

import { UserError } from "../issues.ts";
import { csvRecords } from "./csv-records.ts";
import { seriesName } from "./forecast-columns.ts";

/** Names of series that can be chosen. */
const MOST_SERIES = 2000;

export interface SeriesRecords {
  /** The first ones, and the chosen one. */
  readonly names: readonly string[];
  readonly total: number;
  readonly chosen: string;
  readonly records: readonly Readonly<Record<string, string>>[];
  readonly columns: readonly string[];
}

/** The records of one series, the first one if none is asked for. Throws a UserError if there is no such series, or if one
 * of the columns is missing. */
export async function seriesRecords(
  file: string,
  wanted: string | undefined,
  needed: readonly string[],
): Promise<SeriesRecords> {
  const names: string[] = [];
  const seen = new Set<string>();
  const records: Readonly<Record<string, string>>[] = [];
  let chosen = wanted;
  let columns: readonly string[] = [];
  for await (const record of csvRecords(file)) {
    if (columns.length === 0) columns = columnsOf(record, file, needed);
    const name = seriesName(record);
    if (!seen.has(name)) {
      seen.add(name);
      if (names.length < MOST_SERIES || name === wanted) names.push(name);
    }
    chosen ??= name;
    if (name === chosen) records.push(record);
  }
  if (chosen === undefined || records.length === 0) {
    throw new UserError(
      seen.size === 0
        ? `${file} has no forecasts`
        : `series: there is no series ${JSON.stringify(wanted)} in ${file}; the first is ${JSON.stringify(names[0])}`,
    );
  }
  return { names, total: seen.size, chosen, records, columns };
}

function columnsOf(
  record: Readonly<Record<string, string>>,
  file: string,
  needed: readonly string[],
): string[] {
  const columns = Object.keys(record);
  const missing = needed.find((name) => !columns.includes(name));
  if (missing) throw new UserError(`${file} is damaged: it has no column ${missing}`);
  return columns;
}
