// The curves of a report: every metric of its entries over every x axis, thinned to a number of columns.

import type { IndexedEntry } from "./entry-index.ts";
import type { MetricStore } from "./metric-store.ts";
import { short } from "./numbers.ts";
import type { SeriesAnswer, XAxis } from "./page-data.ts";
import { seriesAnswer } from "./series-answer.ts";

export interface ReportSeriesOptions {
  readonly metrics: readonly string[];
  readonly axes: readonly XAxis[];
  readonly columns: number;
}

/** Entries without points of a metric have no series of it, and an axis that no entry has points over is left out. */
export async function reportSeries(
  entries: readonly IndexedEntry[],
  { metrics, axes, columns }: ReportSeriesOptions,
  store: MetricStore,
): Promise<SeriesAnswer[]> {
  const answers: SeriesAnswer[] = [];
  for (const x of axes) {
    for (const metric of metrics) {
      const { cursor: _, ...answer } = await seriesAnswer(entries, { metric, x, columns }, store);
      const series = answer.series
        .filter(({ points }) => points > 0)
        .map((each) => ({
          ...each,
          ...{
            x: rounded(each.x),
            low: rounded(each.low),
            high: rounded(each.high),
            mean: rounded(each.mean),
          },
        }));
      const groups = answer.groups
        .filter(({ x: places }) => places.length > 0)
        .map((each) => ({
          ...each,
          ...{ x: rounded(each.x), mean: rounded(each.mean), deviation: rounded(each.deviation) },
        }));
      // The group of a single entry is the entry.
      if (series.length > 0) answers.push({ ...answer, series, groups: entries.length > 1 ? groups : [] });
    }
  }
  return answers;
}

/** More digits than a chart shows, and all of a float32; whole numbers stay. */
function rounded(values: readonly number[]): number[] {
  return values.map((value) => (Number.isInteger(value) ? value : short(value)));
}
