// Answers a request for the curves of a metric: those of entries thinned to columns, and those of their groups.

import { RunError } from "../disk/run-error.ts";
import { allAtOnce } from "./all-at-once.ts";
import { groupedBy } from "./entry-groups.ts";
import type { IndexedEntry } from "./entry-index.ts";
import { groupCurve } from "./group-curve.ts";
import type { MetricStore, MetricsData } from "./metric-store.ts";
import type { GroupSeries, Series, SeriesAnswer, SeriesRequest } from "./page-data.ts";
import { cursorText } from "./stream-cursor.ts";
import { thinCurve } from "./thin-curve.ts";
import { type Curve, curveOf } from "./x-axis.ts";

/** `entries` are those of the request, as far as they exist. */
export async function seriesAnswer(
  entries: readonly IndexedEntry[],
  { metric, x, from, to, columns }: Omit<SeriesRequest, "entries">,
  store: MetricStore,
): Promise<SeriesAnswer> {
  const problems: string[] = [];
  const read = await allAtOnce(entries, async (indexed) => ({
    indexed,
    data: await readData(indexed, store, (reason) => problems.push(`${indexed.entry.name}: ${reason}`)),
  }));
  const found = read.flatMap(({ indexed, data }) => {
    if (!data) return [];
    return [{ ...indexed, data, curve: curveOf(data, metric, x, batchOf(indexed)) }];
  });
  return {
    metric,
    x,
    series: found.map(({ entry, curve, data }): Series => {
      const references = referencesOf([data], metric);
      return { entry: entry.id, ...thinCurve(curve, columns, from, to), ...references };
    }),
    groups: [...groupedBy(found, ({ entry }) => entry.group).values()].map((members): GroupSeries => {
      const [{ entry }] = members;
      const curves: readonly Curve[] = members.map(({ curve }) => curve);
      return {
        group: entry.group,
        label: entry.groupLabel,
        entries: members.map((member) => member.entry.id),
        ...groupCurve(curves, columns, from, to),
        ...referencesOf(
          members.map(({ data }) => data),
          metric,
        ),
      };
    }),
    cursor: cursorText(new Map(found.map(({ entry, data }) => [entry.id, data.position]))),
    ...(problems.length > 0 && { problems }),
  };
}

/** The points of an entry; null if it has none or they cannot be read. */
export async function readData(
  { metrics }: Pick<IndexedEntry, "metrics">,
  store: MetricStore,
  onProblem: (reason: string) => void = () => {},
): Promise<MetricsData | null> {
  if (!metrics) return null;
  return store.read(metrics).catch((error: unknown) => {
    onProblem(error instanceof RunError ? error.message : "its metrics cannot be read");
    return null;
  });
}

/** Objects of an iteration, which count the calls of an entry whose events do not. */
export function batchOf({ settings }: Pick<IndexedEntry, "settings">): number | null {
  return typeof settings.batch === "number" ? settings.batch : null;
}

/** Limit and uniform policy. Members of a group have the same; those of the first that has them are taken. */
function referencesOf(all: readonly MetricsData[], metric: string) {
  const first = (of: "limits" | "uniforms") =>
    all.map((data) => data[of].get(metric)).find((value) => value !== undefined) ?? null;
  return { limit: first("limits"), uniform: first("uniforms") };
}
