// Filters, sorts and groups the entries of the list.

import { mean, standardDeviation } from "../../src/math/statistics.ts";
import type { Entry, EntryList, MetricInfo } from "../../src/views/page-data.ts";
import type { ListFilter, ListSort } from "../url-state.ts";

/** Metrics that the list has columns for. */
const MOST_COLUMNS = 3;

/** The entries that pass the filter. Experiments are parts of a comparison and shown if they are asked for. Every word of its text must occur in the name, the path, the task or the settings. */
export function filtered(entries: readonly Entry[], { text, kind, state, task }: ListFilter): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (kind === "" ? entry.kind === "experiment" : kind !== "all" && entry.kind !== kind) return false;
    if (state !== "" && entry.state !== state) return false;
    if (task !== "" && entry.task !== task) return false;
    if (words.length === 0) return true;
    const all = `${entry.name} ${entry.id} ${entry.task ?? ""} ${entry.groupLabel} seed=${entry.seed ?? ""}`;
    const searched = all.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** Entries in the order of a column. Those without a value stand at the end; equal ones by name. */
export function sorted(entries: readonly Entry[], { column, isDescending }: ListSort): Entry[] {
  const sign = isDescending ? -1 : 1;
  return entries
    .map((entry) => ({ entry, key: keyOf(entry, column) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null)
        return Number(a.key === null) - Number(b.key === null) || byName(a.entry, b.entry);
      return sign * compare(a.key, b.key) || byName(a.entry, b.entry);
    })
    .map(({ entry }) => entry);
}

function keyOf(entry: Entry, column: string): string | number | null {
  if (column.startsWith("last:")) return entry.last[column.slice(5)] ?? null;
  switch (column) {
    case "name":
    case "kind":
    case "state":
    case "task":
    case "seed":
    case "iteration":
    case "seconds":
    case "modified":
      return entry[column];
    default:
      return null;
  }
}

const names = new Intl.Collator("en", { numeric: true });

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : names.compare(String(a), String(b));
}

function byName(a: Entry, b: Entry): number {
  return names.compare(a.name, b.name) || names.compare(a.id, b.id);
}

/** The metrics that most matter: the first one that is judged, then those that most entries without any of them have. */
export function mainMetrics(list: EntryList, entries: readonly Entry[]): MetricInfo[] {
  const counts = new Map<string, number>();
  for (const { last } of entries) {
    for (const name of Object.keys(last)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const rankOf = ({ better, source }: MetricInfo) => (better === null ? 2 : source === "batch" ? 1 : 0);
  // Sorting keeps the order of the list.
  const ranked = list.metrics.filter(({ name }) => counts.has(name)).sort((a, b) => rankOf(a) - rankOf(b));
  const left = [...ranked];
  const chosen: MetricInfo[] = [];
  let without = entries;
  while (chosen.length < MOST_COLUMNS && left.length > 0) {
    const gains = left.map(({ name }) => without.filter(({ last }) => last[name] !== undefined).length);
    const most = chosen.length === 0 ? 0 : gains.indexOf(Math.max(...gains));
    const [next] = left.splice(most, 1);
    chosen.push(next);
    without = without.filter(({ last }) => last[next.name] === undefined);
  }
  return ranked.filter((metric) => chosen.includes(metric));
}

/** Entries that differ in the seed only, as one row. */
export interface GroupRow {
  readonly group: string;
  readonly label: string;
  readonly entries: readonly Entry[];
  /** Mean and sample standard deviation of the last values, over all entries of the group. */
  readonly last: Readonly<Record<string, { readonly mean: number; readonly deviation: number | null }>>;
}

/** The groups of the shown entries, in their order. Each has all entries of the list that belong to it. */
export function groupRows(all: readonly Entry[], shown: readonly Entry[]): GroupRow[] {
  const members = new Map<string, Entry[]>();
  for (const entry of all) {
    const others = members.get(entry.group);
    if (others === undefined) members.set(entry.group, [entry]);
    else others.push(entry);
  }
  return [...new Set(shown.map(({ group }) => group))].map((group) => {
    const entries = members.get(group)!;
    const metrics = new Set(entries.flatMap(({ last }) => Object.keys(last)));
    const last = [...metrics].map((metric) => {
      const values = entries.map((entry) => entry.last[metric]).filter((value) => value !== undefined);
      const deviation = values.length > 1 ? standardDeviation(values) : null;
      return [metric, { mean: mean(values), deviation }] as const;
    });
    const label = entries.length === 1 ? entries[0].name : entries[0].groupLabel;
    return { group, label, entries, last: Object.fromEntries(last) };
  });
}
