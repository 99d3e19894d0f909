// Charts of the target beside the learned distribution and the best reachable one (the limit): probabilities by rank, and
// log-probabilities against log-rewards.

import { lineChart } from "./line-chart.ts";
import { type PointGroup, scatterChart } from "./scatter-chart.ts";
import type { Curve } from "./series.ts";
import { formatCount, shortNumber } from "./text-format.ts";
import { orNaN, type ViewNotes, viewNotes } from "./view-notes.ts";

export interface DistributionChartData extends ViewNotes {
  /** Number of objects. */
  readonly objects: number;
  /** Probabilities of objects sorted by target probability, at some ranks. */
  readonly sorted: {
    readonly rank: readonly number[];
    readonly target: readonly number[];
    readonly learned: readonly number[];
    readonly limit: readonly number[] | null;
  };
  /** log P against log R of some objects. */
  readonly points: readonly {
    readonly logReward: number;
    readonly logLearned: number | null;
    readonly logLimit: number | null;
  }[];
  readonly logZ: number;
}

const [TARGET, LEARNED, LIMIT] = ["target", "learned", "best reachable (limit)"];

/** Probabilities against the rank of objects in the target, on logarithmic axes. */
export function sortedDistributionChart(data: DistributionChartData): string {
  const { objects, sorted } = data;
  const curve = (name: string, values: readonly number[]): Curve => ({
    name,
    points: sorted.rank.map((x, i) => ({ x, y: values[i] })),
  });
  return lineChart({
    title: "Probabilities of objects, sorted by the target",
    x: { label: "rank in the target", scale: "log" },
    y: { label: "probability", scale: "log" },
    panels: [
      {
        curves: [
          curve(TARGET, sorted.target),
          ...(sorted.limit ? [curve(LIMIT, sorted.limit)] : []),
          curve(LEARNED, sorted.learned),
        ],
      },
    ],
    order: [TARGET, LEARNED, LIMIT],
    notes: [
      ...viewNotes(data),
      ...(sorted.rank.length < objects
        ? [`${formatCount(objects)} objects; a point is the mean of the ranks around it.`]
        : []),
    ],
  });
}

/** Log-probability against log-reward of objects, with the line of a perfect policy and the points of the limit. */
export function probabilityRewardChart(data: DistributionChartData): string {
  const { points, logZ } = data;
  const group = (name: string, logOf: (point: (typeof points)[number]) => number | null): PointGroup => ({
    name,
    points: points.map((point) => ({ x: point.logReward, y: orNaN(logOf(point)) })),
  });
  const hasLimit = points.some(({ logLimit }) => logLimit !== null);
  return scatterChart({
    title: "Log-probability against log-reward",
    x: { label: "log R(x)", unit: "nats" },
    y: { label: "log P(x)", unit: "nats" },
    points: [
      ...(hasLimit ? [group(LIMIT, ({ logLimit }) => logLimit)] : []),
      group(LEARNED, ({ logLearned }) => logLearned),
    ],
    order: [TARGET, LEARNED, LIMIT],
    line: { name: "perfect policy: log P = log R − log Z", slope: 1, intercept: -logZ },
    notes: [...viewNotes(data), `log Z = ${shortNumber(logZ)}.`],
  });
}
