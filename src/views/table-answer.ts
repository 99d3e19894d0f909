// Answers a request for a table: best, last and chosen value of metrics, for each entry and each group, and the settings in
// which the entries differ. All values come from all points.

import { mean, standardDeviation } from "../math/statistics.ts";
import { settingText } from "../report/tables.ts";
import { allAtOnce } from "./all-at-once.ts";
import { groupedBy } from "./entry-groups.ts";
import type { IndexedEntry } from "./entry-index.ts";
import { metricNamed } from "./metric-list.ts";
import type { MetricStore, MetricsData } from "./metric-store.ts";
import type { TableAnswer, TableCell, TableRequest, TableRow, XAxis } from "./page-data.ts";
import { batchOf, readData } from "./series-answer.ts";
import { firstAfter } from "./sorted-search.ts";
import { type Curve, curveOf } from "./x-axis.ts";

/** `entries` are those of the request, as far as they exist. The row of a group stands before those of its entries. */
export async function tableAnswer(
  entries: readonly IndexedEntry[],
  { metrics, at, x }: Omit<TableRequest, "entries">,
  store: MetricStore,
): Promise<TableAnswer> {
  const read = await allAtOnce(entries, async (indexed) => {
    const data = await readData(indexed, store);
    const cells = metrics.map((metric) => [metric, cellOf(data, metric, { at, x, batch: batchOf(indexed) })]);
    return { indexed, cells: Object.fromEntries(cells) as TableRow["cells"] };
  });
  const rows = [...groupedBy(read, ({ indexed }) => indexed.entry.group).values()].flatMap((members) => {
    const [{ entry }] = members.map(({ indexed }) => indexed);
    const { group, groupLabel: label } = entry;
    const cells = metrics.map((metric) => [metric, groupCell(members.map((member) => member.cells[metric]))]);
    return [
      { entry: null, group, label, count: members.length, cells: Object.fromEntries(cells) },
      ...members.map(
        ({ indexed, cells: own }): TableRow => ({
          ...{ entry: indexed.entry.id, group, label: indexed.entry.name, count: 1, cells: own },
        }),
      ),
    ];
  });
  return { rows, differences: differencesOf(entries) };
}

interface CellOptions {
  readonly at: number | undefined;
  readonly x: XAxis;
  readonly batch: number | null;
}

function cellOf(data: MetricsData | null, metric: string, { at, x, batch }: CellOptions): TableCell {
  const series = data?.series.get(metric);
  if (!data || !series) return { best: null, last: null, at: null };
  const better = metricNamed(metric)?.better;
  return {
    best: better === "low" ? series.low : better === "high" ? series.high : null,
    last: series.last,
    at: at === undefined ? null : valueAt(curveOf(data, metric, x, batch), at),
  };
}

/** The last value at or before an x. */
function valueAt({ length, end, last }: Curve, x: number): number | null {
  const after = firstAfter(end, x, 0, length);
  return after === 0 ? null : last[after - 1];
}

/** Means over the entries that have a value. */
function groupCell(cells: readonly TableCell[]): TableCell {
  const over = (name: "best" | "last" | "at") => {
    const values = cells.flatMap((cell) => cell[name] ?? []);
    return {
      mean: values.length > 0 ? mean(values) : null,
      deviation: values.length > 1 ? standardDeviation(values) : 0,
    };
  };
  const [best, last, at] = [over("best"), over("last"), over("at")];
  return {
    ...{ best: best.mean, last: last.mean, at: at.mean },
    deviation: {
      best: best.deviation,
      last: last.deviation,
      at: at.mean === null ? null : at.deviation,
    },
  };
}

function differencesOf(entries: readonly IndexedEntry[]): TableAnswer["differences"] {
  const names = [...new Set(entries.flatMap(({ settings }) => Object.keys(settings)))];
  return names.flatMap((setting) => {
    const values = entries.map(({ settings }) => settingText(settings[setting]));
    return new Set(values).size > 1 ? [{ setting, values }] : [];
  });
}
