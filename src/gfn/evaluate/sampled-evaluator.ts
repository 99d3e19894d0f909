// Evaluation of sampled objects, where states cannot be listed: how good, how different and how new they are.

import { novelty, type TopK, topK } from "./diversity.ts";
import { bestFirst, distinct, greedyModes } from "./modes.ts";
import { sampledTotalVariation } from "./sampled.ts";

export interface SampledMeasures {
  readonly samples: number;
  /** How many of them are different. */
  readonly distinct: number;
  readonly meanScore: number;
  /** The best distinct ones. */
  readonly topK: TopK;
  /** Those among the best that are far from each other, see `greedyModes`. */
  readonly modes: number;
  /** Mean edit distance of the best to the nearest known one; null if none are known. */
  readonly novelty: number | null;
  /** Total variation between frequencies and target, and what a perfect sampler would show; null without a target. */
  readonly tv: number | null;
  readonly floor: number | null;
}

export interface Sampled {
  /** The objects, written out. */
  readonly texts: readonly string[];
  /** One each. */
  readonly scores: Float64Array;
  /** Their numbers among all objects, if these can be numbered. */
  readonly terminals?: ArrayLike<number>;
  /** Target probability of every object. */
  readonly target?: Float64Array;
  /** What was known before. */
  readonly known?: readonly string[];
}

/** How many of the best are looked at. */
const BEST = 100;

export function sampledMeasures({ texts, scores, terminals, target, known }: Sampled): SampledMeasures {
  const best = bestFirst(texts, scores)
    .slice(0, BEST)
    .map((i) => texts[i]);
  const compared = terminals && target ? sampledTotalVariation(terminals, target) : null;
  return {
    samples: texts.length,
    distinct: distinct(texts).length,
    meanScore: scores.reduce((sum, score) => sum + score, 0) / scores.length,
    topK: topK(texts, scores, BEST),
    modes: greedyModes(texts, scores, { top: BEST }).length,
    novelty: known?.length ? novelty(best, known).mean : null,
    tv: compared?.tv ?? null,
    floor: compared?.floor ?? null,
  };
}
