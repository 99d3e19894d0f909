// Series of entries, requested again while they run. Groups always come from the server, which has all points. A range that
// is not here yet is shown from a wider one, and `isLoading` says so. While the page is idle and no run goes on, what is likely
// to be chosen next is requested, too.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SeriesAnswer, SeriesRequest, XAxis } from "../../src/views/page-data.ts";
import { paced, seriesRevision, useApp } from "../app.ts";
import { SeriesMemory } from "../series-memory.ts";
import { partOf } from "../series-part.ts";
import { type Loaded, useLoaded } from "../use-loaded.ts";

/** Least time between two requests while runs go on, in milliseconds. */
const LIVE_INTERVAL = 2000;
/** Widths are rounded to this many pixels, so that a small change of the window requests nothing. */
const WIDTH_STEP = 100;
/** Milliseconds without a change after which likely choices are requested. */
const IDLE = 300;

const NONE: readonly never[] = [];

/** The answer may be that of another metric or axis, which it names, until the first one for these has arrived. */
export function useSeries({
  entries,
  metric,
  x,
  zoom,
  width,
  likely = NONE,
}: {
  readonly entries: readonly string[];
  readonly metric: string | null;
  readonly x: XAxis;
  readonly zoom: readonly [number, number] | null;
  /** Width of the chart in pixels; 0 before it is known. */
  readonly width: number;
  /** Changes of the request that may come next. */
  readonly likely?: readonly Partial<SeriesRequest>[];
}): Loaded<SeriesAnswer> {
  const app = useApp();
  const turn = useSignal(0);
  const revision = seriesRevision(app, entries);
  // A signal read here makes the component render again with every new point.
  const received = entries.map((id) => app.livePoints(id).value);
  const again = useSignal(
    paced(() => {
      turn.value++;
    }, LIVE_INTERVAL),
  ).peek();
  const hasPoints = received.some((points) => metric !== null && (points[metric]?.length ?? 0) > 0);
  useEffect(() => {
    if (hasPoints) again();
  }, received);
  const columns = Math.max(1, Math.round(width / WIDTH_STEP)) * WIDTH_STEP;
  const range = zoom === null ? {} : { from: zoom[0], to: zoom[1] };
  const request = metric === null ? null : { entries, metric, x, columns, ...range };
  const key =
    request === null || width === 0 || entries.length === 0
      ? null
      : JSON.stringify([request, turn.value, revision]);
  const memory = useRef<SeriesMemory | null>(null);
  memory.current ??= new SeriesMemory();
  const { current: answers } = memory;
  const known = key === null ? null : answers.find(key);
  const loaded = useLoaded(known === null ? key : null, async () => {
    const answer = await app.source.series(request!);
    answers.add({ key: key!, request: request!, revision, answer });
    return answer;
  });
  const around = known === null && request !== null ? answers.around(request, revision) : null;
  const part = useMemo(() => {
    if (around === null || request === null) return null;
    const { from, to } = around.request;
    return from === request.from && to === request.to ? around.answer : partOf(around.answer, request);
  }, [around?.key, JSON.stringify(range)]);
  const isSettled = known !== null && !received.some((points) => Object.keys(points).length > 0);
  useEffect(() => {
    if (!isSettled || app.source.live === null) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      for (const change of likely) {
        const next = { ...request!, ...change };
        const nextKey = JSON.stringify([next, turn.peek(), revision]);
        if (answers.find(nextKey)) continue;
        const answer = await app.source.series(next).catch(() => null);
        if (answer === null || !isCurrent) return;
        answers.add({ key: nextKey, request: next, revision, answer });
      }
    }, IDLE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, isSettled]);
  // Without an answer for this metric and axis, what was shown stays.
  const shown = useRef<SeriesAnswer | null>(null);
  shown.current = known ?? part ?? shown.current;
  // While runs go on, the last answer for the same range counts until the next one is there.
  const hasRange = known !== null || (around !== null && part === around.answer);
  return {
    value: shown.current,
    error: known === null ? loaded.error : null,
    isLoading: !hasRange && loaded.isLoading,
  };
}
