// The curves of an answer as bytes, because JSON of some hundred thousand numbers takes longer to write and to read than the
// curves take to compute: the length of the head, the head as JSON with the length of every curve, then all numbers as
// float64, little-endian.
//
// The browser reads them.

import { numbersOf } from "./numbers.ts";
import type { GroupSeries, Series, SeriesAnswer } from "./page-data.ts";

/** The type that a page asks for instead of JSON. */
export const SERIES_TYPE = "application/octet-stream";

const SERIES_LISTS = ["x", "low", "high", "mean"] as const;
const GROUP_LISTS = ["x", "mean", "deviation", "count"] as const;

type SeriesHead = Omit<Series, (typeof SERIES_LISTS)[number]> & { readonly length: number };
type GroupHead = Omit<GroupSeries, (typeof GROUP_LISTS)[number]> & { readonly length: number };
interface Head extends Omit<SeriesAnswer, "series" | "groups"> {
  readonly series: readonly SeriesHead[];
  readonly groups: readonly GroupHead[];
}

/** Numbers begin at a multiple of their size. */
const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;

export function encodeSeries(answer: SeriesAnswer): Uint8Array<ArrayBuffer> {
  const lists: (readonly number[])[] = [];
  const head: Head = {
    ...answer,
    series: answer.series.map(({ x, low, high, mean, ...rest }) => {
      lists.push(x, low, high, mean);
      return { ...rest, length: x.length };
    }),
    groups: answer.groups.map(({ x, mean, deviation, count, ...rest }) => {
      lists.push(x, mean, deviation, count);
      return { ...rest, length: x.length };
    }),
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = startOf(text.length);
  const bytes = new Uint8Array(start + NUMBER_BYTES * lists.reduce((sum, { length }) => sum + length, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  const numbers = new Float64Array(bytes.buffer, start);
  let offset = 0;
  for (const list of lists) {
    numbers.set(list, offset);
    offset += list.length;
  }
  return bytes;
}

export function decodeSeries(buffer: ArrayBuffer): SeriesAnswer {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, LENGTH_BYTES, length))) as Head;
  const numbers = new Float64Array(buffer, startOf(length));
  let offset = 0;
  const withLists = <N extends string>(
    { length: count, ...rest }: { length: number },
    names: readonly N[],
  ) => {
    const lists = names.map((name) => {
      offset += count;
      return [name, numbersOf(numbers, offset - count, offset)] as const;
    });
    return { ...rest, ...Object.fromEntries(lists) };
  };
  return {
    ...head,
    series: head.series.map((each) => withLists(each, SERIES_LISTS) as unknown as Series),
    groups: head.groups.map((each) => withLists(each, GROUP_LISTS) as unknown as GroupSeries),
  };
}

function startOf(headLength: number): number {
  return Math.ceil((LENGTH_BYTES + headLength) / NUMBER_BYTES) * NUMBER_BYTES;
}
