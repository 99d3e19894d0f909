// The score of each setting of a sweep: the metric of its seeds at the end, and the ranking of settings by their mean.

import type { FinishedExperiment } from "../compare/comparison-folder.ts";
import { mean, standardDeviation } from "../math/statistics.ts";
import type { SweepPoint } from "./points.ts";
import { METRICS, type Metric } from "./sweep-kinds.ts";

export interface PointScore extends SweepPoint {
  /** The metric of each finished seed that has it. */
  readonly seeds: readonly number[];
  /** Null if no seed has the metric. */
  readonly mean: number | null;
  /** Null for fewer than two seeds. */
  readonly deviation: number | null;
  /** Oracle calls of the longest experiment. */
  readonly calls: number;
  /** Oracle calls at which successive halving ended it; infinite if it had the whole budget, 0 if it has not run. */
  readonly stop: number;
}

export function scoresOf(
  points: readonly SweepPoint[],
  finished: readonly FinishedExperiment[],
  metric: Metric,
): PointScore[] {
  const byMethod = new Map<string, FinishedExperiment[]>();
  for (const experiment of finished) {
    byMethod.set(experiment.method, [...(byMethod.get(experiment.method) ?? []), experiment]);
  }
  return points.map((point) => {
    const own = byMethod.get(point.method) ?? [];
    const last = own.flatMap(({ records }) => records.at(-1) ?? []);
    const seeds = last.flatMap((record) => record[metric] ?? []);
    return {
      ...point,
      seeds,
      mean: seeds.length === 0 ? null : mean(seeds),
      deviation: seeds.length < 2 ? null : standardDeviation(seeds),
      calls: Math.max(0, ...last.map(({ calls }) => calls)),
      stop: own.length === 0 ? 0 : Math.min(...own.map(({ stop }) => stop ?? Number.POSITIVE_INFINITY)),
    };
  });
}

/**
 * Best first. Settings that ended at different rungs are not compared by their metric: those that ran longer come first.
 * Settings without a metric come last; ties keep their order.
 */
export function ranked(scores: readonly PointScore[], metric: Metric): PointScore[] {
  const sign = METRICS[metric] === "least" ? 1 : -1;
  const orderOf = ({ mean }: PointScore) =>
    mean === null || Number.isNaN(mean) ? Number.POSITIVE_INFINITY : sign * mean;
  return scores.toSorted((a, b) => compare(b.stop, a.stop) || compare(orderOf(a), orderOf(b)));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
