// The metrics of a method at one moment of an experiment: one flat object, one line of the file of the experiment.

import { formatDuration, formatNumber } from "../report/text-format.ts";

export interface ExperimentRecord {
  /** Oracle calls so far: all rows of all batches, off-policy rows included. */
  readonly calls: number;
  /** Seconds since the start of the experiment, including compilation and evaluation. */
  readonly seconds: number;
  readonly iteration: number;
  /** Exact distances from the target. Null if the distribution of the method is unknown. */
  readonly tv: number | null;
  readonly kl: number | null;
  readonly expectedReward: number | null;
  /** Total variation of the latest samples of a search, and its sampling floor. Null for other methods. */
  readonly sampledTv: number | null;
  readonly sampledFloor: number | null;
  /** Distances of the limit (the best that any policy can reach) and of the uniform policy from the target. */
  readonly limitTv: number;
  readonly limitKl: number;
  readonly uniformTv: number;
  readonly uniformKl: number;
  /** Modes among the objects that the method sampled itself, exploration included and off-policy rows not. */
  readonly modesFound: number;
  /** Modes among all scored objects: also those of rows that follow uniformly drawn, offline or replayed objects. */
  readonly modesScored: number;
  readonly modes: number;
  /**
   * Oracle calls, in whole batches, until the method has sampled half of the modes and all modes. Null as long as it has
   * not.
   */
  readonly callsToHalf: number | null;
  readonly callsToAll: number | null;
  /** The best score and the mean of the best 100, before reward exponent and floor. Null before the first call. */
  readonly best: number | null;
  readonly topMean: number | null;
  /** Mean edit distance of the best 100 objects. Null for fewer than two objects. */
  readonly diversity: number | null;
  /** Mean values since the previous record. Null if the method does not have the quantity. */
  readonly loss: number | null;
  readonly dynamicsLoss: number | null;
  readonly entropyRatio: number | null;
  /** The smallest possible dynamics loss, for the states that the policy visits. Null without a dynamics model. */
  readonly dynamicsFloor: number | null;
}

export type RecordField = keyof ExperimentRecord;

/** The main metrics of a record as one line of text. */
export function recordText(record: ExperimentRecord | undefined): string {
  if (!record) return "no records";
  const { tv, kl, sampledTv, sampledFloor, limitTv, limitKl, modesFound, modes, seconds } = record;
  return [
    ...(tv === null ? [] : [`TV ${formatNumber(tv)} (limit ${formatNumber(limitTv)})`]),
    ...(kl === null ? [] : [`KL ${formatNumber(kl)} (limit ${formatNumber(limitKl)})`]),
    ...(sampledTv === null
      ? []
      : [`sampled TV ${formatNumber(sampledTv)} (floor ${formatNumber(sampledFloor)})`]),
    `modes ${modesFound}/${modes}`,
    formatDuration(seconds),
  ].join("  ");
}
