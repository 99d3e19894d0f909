// Cuts an answer for curves to a range of x.

import type { GroupSeries, Series, SeriesAnswer, SeriesRequest } from "../src/views/page-data.ts";
import { firstAfter, firstFrom } from "../src/views/sorted-search.ts";

/** The columns inside the range of x, of the entries asked for. They stay as they are: those of groups are over all points. */
export function partOf(
  answer: SeriesAnswer,
  { entries, from = -Infinity, to = Infinity }: Pick<SeriesRequest, "entries" | "from" | "to">,
): SeriesAnswer {
  const asked = new Set(entries);
  const cutter = (x: readonly number[]) => {
    const [first, end] = [firstFrom(x, from, 0, x.length), firstAfter(x, to, 0, x.length)];
    return (values: readonly number[]) => values.slice(first, end);
  };
  return {
    ...answer,
    series: answer.series
      .filter(({ entry }) => asked.has(entry))
      .map((series): Series => {
        const cut = cutter(series.x);
        const { x, low, high, mean } = series;
        return { ...series, x: cut(x), low: cut(low), high: cut(high), mean: cut(mean) };
      }),
    groups: answer.groups
      .filter((group) => group.entries.every((entry) => asked.has(entry)))
      .map((group): GroupSeries => {
        const cut = cutter(group.x);
        const { x, mean, deviation, count } = group;
        return { ...group, x: cut(x), mean: cut(mean), deviation: cut(deviation), count: cut(count) };
      }),
  };
}
