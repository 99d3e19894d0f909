// The metrics that entries can be compared by.

import type { Entry, EntryList, MetricInfo } from "../../src/views/page-data.ts";

/** Metrics that some of the entries have, in the order of the list. */
export function metricsOf(list: EntryList, entries: readonly Entry[]): MetricInfo[] {
  const present = new Set(entries.flatMap(({ last }) => Object.keys(last)));
  return list.metrics.filter(({ name }) => present.has(name));
}

/** The chosen metric, or the first one that is judged if there is no such metric. */
export function chosenMetric(metrics: readonly MetricInfo[], name: string | null): MetricInfo | null {
  return (
    metrics.find((metric) => metric.name === name) ??
    metrics.find(({ better }) => better !== null) ??
    metrics.at(0) ??
    null
  );
}
