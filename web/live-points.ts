// Points that arrived over the stream: kept once each, and appended to the series that were loaded before.

import type { Series, StreamMessage, StreamPoint, XAxis } from "../src/views/page-data.ts";

/** By metric: the points in the order of their iterations. */
export type LivePoints = Readonly<Record<string, readonly StreamPoint[]>>;

/** Points that are kept per metric. Older ones are in the series that the server thins. */
const MOST = 5000;

/** The points after a message. A restart drops all of them; a point that is there already is not added again. */
export function afterMessage(points: LivePoints, message: StreamMessage): LivePoints {
  if (message.kind === "restart") return {};
  const added = Object.entries(message.points ?? {}).map(([metric, more]) => {
    const all = [...(points[metric] ?? [])];
    for (const point of more) {
      if (all.length === 0 || point[0] > all[all.length - 1][0]) all.push(point);
    }
    return [metric, all.slice(-MOST)] as const;
  });
  return { ...points, ...Object.fromEntries(added) };
}

const POSITION: Readonly<Record<XAxis, 0 | 1 | 2>> = { iteration: 0, calls: 1, seconds: 2 };

/** A series with the points that lie after its end. Points without this x are left out. */
export function extended(series: Series, points: readonly StreamPoint[], axis: XAxis): Series {
  const position = POSITION[axis];
  const end = series.x.length > 0 ? series.x[series.x.length - 1] : -Infinity;
  const more: [x: number, value: number][] = [];
  let last = end;
  for (const point of points) {
    const x = point[position];
    if (x === null || x <= last) continue;
    more.push([x, point[3]]);
    last = x;
  }
  if (more.length === 0) return series;
  const values = more.map(([, value]) => value);
  return {
    ...series,
    x: [...series.x, ...more.map(([x]) => x)],
    low: [...series.low, ...values],
    high: [...series.high, ...values],
    mean: [...series.mean, ...values],
    points: series.points + more.length,
  };
}
