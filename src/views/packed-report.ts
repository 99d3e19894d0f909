// The data of a report as JSON of small size: equal lists of numbers are stored once. Series share most of theirs, because
// metrics of one entry have the same x, and a column with one point has the same smallest, largest and mean value.
//
// The browser unpacks reports, so this file imports types only.

import type { ReportData } from "./page-data.ts";

/** The lists of numbers of a series that are replaced by their index. */
const LISTS = ["x", "low", "high", "mean", "deviation", "count"] as const;

interface Packed {
  readonly lists: readonly (readonly number[])[];
  readonly report: Json;
}

type Json = Readonly<Record<string, unknown>>;
type AnySeries = Readonly<Record<string, unknown>>;

/** The data as JSON that can stand inside a script element of a page: no `<`, and no line separator of JavaScript. */
export function packReport(report: ReportData): string {
  const texts = new Map<string, number>();
  const lists: (readonly number[])[] = [];
  const indexOf = (list: readonly number[]) => {
    const text = list.join();
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, lists.length);
    return lists.push(list) - 1;
  };
  const pack = (series: object) =>
    mapLists(series as AnySeries, (list) => indexOf(list as readonly number[]));
  const packed: Packed = {
    lists,
    report: {
      ...report,
      series: report.series.map((answer) => ({
        ...answer,
        series: answer.series.map(pack),
        groups: answer.groups.map(pack),
      })),
    },
  };
  return JSON.stringify(packed).replaceAll(/[<\u2028\u2029]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

export function unpackReport(text: string): ReportData {
  const { lists, report } = JSON.parse(text) as Packed;
  const unpack = (series: AnySeries) => mapLists(series, (index) => lists[index as number]);
  const answers = report.series as readonly { series: readonly AnySeries[]; groups: readonly AnySeries[] }[];
  return {
    ...report,
    series: answers.map((answer) => ({
      ...answer,
      series: answer.series.map(unpack),
      groups: answer.groups.map(unpack),
    })),
  } as unknown as ReportData;
}

function mapLists(series: AnySeries, change: (value: unknown) => unknown): AnySeries {
  const own = LISTS.filter((name) => series[name] !== undefined);
  return { ...series, ...Object.fromEntries(own.map((name) => [name, change(series[name])])) };
}
