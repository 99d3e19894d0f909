// Series of entries, requested again while they run. Groups always come from the server, which has all points.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SeriesAnswer, XAxis } from "../../src/views/page-data.ts";
import { paced, seriesRevision, useApp } from "../app.ts";
import { type Loaded, useLoaded } from "../use-loaded.ts";

/** Least time between two requests while runs go on, in milliseconds. */
const LIVE_INTERVAL = 2000;
/** Widths are rounded to this many pixels, so that a small change of the window requests nothing. */
const WIDTH_STEP = 100;

export function useSeries({
  entries,
  metric,
  x,
  zoom,
  width,
}: {
  readonly entries: readonly string[];
  readonly metric: string | null;
  readonly x: XAxis;
  readonly zoom: readonly [number, number] | null;
  /** Width of the chart in pixels; 0 before it is known. */
  readonly width: number;
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
  return useLoaded(key, () => app.source.series(request!));
}
