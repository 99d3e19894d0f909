// The lines of a comparison: one per group with a band, and one per run. All numbers come from the answer; hiding a run
// takes its line away and changes nothing else.

import { shortNumber } from "../../src/report/text-format.ts";
import type { Entry, SeriesAnswer } from "../../src/views/page-data.ts";
import { type ChartLine, type ChartReference, movingAverage } from "../components/chart-math.ts";
import { seriesVariable } from "../figure-theme.ts";

export interface LineOptions {
  readonly isGrouped: boolean;
  readonly hidden: readonly string[];
  readonly smoothing: number;
  /** By group or entry, as `coloursOf` gives them. */
  readonly colours: ReadonlyMap<string, LineColour>;
  readonly labels: ReadonlyMap<string, string>;
}

export interface LineColour {
  /** CSS variable. */
  readonly colour: string;
  readonly dash: readonly number[];
}

/** Lines of single runs in a group are thinner and paler than that of the mean. */
const MEAN = { width: 2.2, opacity: 1 };
const ONE_OF_GROUP = { width: 1, opacity: 0.45 };
const ALONE = { width: 1.6, opacity: 1 };
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3]];

/** The colour of every group and entry. It depends on the selection alone, so that hiding a run changes no colour. */
export function coloursOf(entries: readonly Entry[], isGrouped: boolean): Map<string, LineColour> {
  const styles = new Map<string, LineColour>();
  let count = 0;
  for (const { id, group } of entries) {
    const key = isGrouped ? `group ${group}` : id;
    if (!styles.has(key)) {
      styles.set(key, { colour: seriesVariable(count), dash: DASHES[Math.floor(count / 8) % DASHES.length] });
      count++;
    }
    styles.set(id, styles.get(key)!);
  }
  return styles;
}

/** The lines of an answer: runs first, so that means are drawn on top. */
export function linesOf({ series, groups }: SeriesAnswer, options: LineOptions): ChartLine[] {
  const { isGrouped, hidden, smoothing, colours, labels } = options;
  const sizes = new Map(groups.flatMap(({ entries }) => entries.map((id) => [id, entries.length] as const)));
  const styleOf = (key: string): LineColour => colours.get(key) ?? { colour: seriesVariable(0), dash: [] };
  const runs = series
    .filter(({ entry }) => !hidden.includes(entry))
    .map(({ entry, x, mean, low, high }): ChartLine => {
      const isAlone = !isGrouped || (sizes.get(entry) ?? 1) < 2;
      return {
        ...{ id: entry, label: labels.get(entry) ?? entry, x, y: movingAverage(mean, smoothing) },
        ...styleOf(entry),
        ...(isAlone ? { ...ALONE, low, high } : ONE_OF_GROUP),
      };
    });
  if (!isGrouped) return runs;
  const means = groups
    .filter(({ group, entries }) => entries.length > 1 && !hidden.includes(groupKey(group)))
    .map(({ group, label, x, mean, deviation }): ChartLine => {
      const centre = movingAverage(mean, smoothing);
      return {
        ...{ id: groupKey(group), label: `${label} (mean)`, x, y: centre },
        ...{ low: centre.map((y, i) => y - deviation[i]), high: centre.map((y, i) => y + deviation[i]) },
        ...styleOf(groupKey(group)),
        ...MEAN,
      };
    });
  return [...runs, ...means];
}

/** Name of a group among the hidden entries and the colours. */
export function groupKey(group: string): string {
  return `group ${group}`;
}

/** The limits and uniform policies of all groups. Equal ones are drawn once; different ones name their group. */
export function referencesOf({ series, groups }: SeriesAnswer): ChartReference[] {
  const owners = groups.length > 0 ? groups : series.map((each) => ({ ...each, label: each.entry }));
  return (["limit", "uniform"] as const).flatMap((name) => {
    // Values that read the same are one line.
    const found = new Map<string, ChartReference>();
    for (const { label, [name]: value } of owners) {
      if (value !== null && !found.has(shortNumber(value))) found.set(shortNumber(value), { label, value });
    }
    return [...found.values()].map(({ label, value }) => ({
      label: found.size > 1 ? `${name}, ${label}:` : name,
      value,
    }));
  });
}
