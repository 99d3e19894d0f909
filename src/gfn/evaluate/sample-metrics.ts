// Metrics of sampled objects, for tasks whose states cannot be enumerated: score, diversity, circles and novelty.

import { circles, distinctIndices, sortedByScore } from "../../math/circles.ts";
import { mean } from "../../math/statistics.ts";
import { novelty, type TopK, topK } from "./diversity.ts";
import { sampledTotalVariation } from "./sampling-floor.ts";

/** Metrics of a policy, estimated from samples. */
export interface SampleMetrics {
  readonly samples: number;
  /** Number of distinct samples. */
  readonly distinct: number;
  readonly meanScore: number;
  /** Quality and diversity of the 100 best distinct samples. */
  readonly topK: TopK;
  /** Number of circles among the 100 best. */
  readonly circles: number;
  /** Mean edit distance of the 100 best to the nearest known object; null without known objects. */
  readonly novelty: number | null;
  /** Total variation between frequencies and target; null without a target. */
  readonly tv: number | null;
  /** (Σ w)² / Σ w² of the weights w = R / p of the samples, their number for a perfect policy; only with held-out
   * objects, because the log-probabilities of all samples take time. */
  readonly effectiveSampleSize?: number;
  /** Expected `tv` of a perfect sampler with as many samples; null without a target. */
  readonly floor: number | null;
}

export interface SampledObjects {
  /** The objects as texts. */
  readonly texts: readonly string[];
  /** Score of each object. */
  readonly scores: Float64Array;
  /** Terminal index of each object. Optional. */
  readonly terminals?: ArrayLike<number>;
  /** Target probability of every terminal. Optional. */
  readonly target?: Float64Array;
  /** Objects that novelty is measured against. Optional. */
  readonly knownObjects?: readonly string[];
}

/** Number of best samples for `topK`, `circles` and `novelty`. */
const BEST = 100;

/** Computes metrics of sampled objects from their texts and scores. */
export function sampleMetrics({
  texts,
  scores,
  terminals,
  target,
  knownObjects,
}: SampledObjects): SampleMetrics {
  const best = sortedByScore(texts, scores)
    .slice(0, BEST)
    .map((i) => texts[i]);
  const compared = terminals && target ? sampledTotalVariation(terminals, target) : null;
  return {
    samples: texts.length,
    distinct: distinctIndices(texts).length,
    meanScore: mean(scores),
    topK: topK(texts, scores, BEST),
    circles: circles(texts, scores, { top: BEST }).length,
    novelty: knownObjects?.length ? novelty(best, knownObjects).mean : null,
    tv: compared?.tv ?? null,
    floor: compared?.floor ?? null,
  };
}
