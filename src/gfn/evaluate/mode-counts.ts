// Counts the modes among the samples of a run: circles, and the two definitions of `modes.ts`.

import { type CirclesOptions, circles } from "../../math/circles.ts";
import { localMaximaOfTable, type StringSpace } from "./modes.ts";

/** The properties of a task that counting needs. Every `Task` has them. */
export interface ModeCountingTask {
  /** Score of each terminal. */
  readonly scores: Float64Array;
  /** Terminals that are the modes of the task. Optional. */
  readonly modes?: readonly number[];
  decode(terminal: number): string;
  /** Distance between two objects. Default: the Hamming distance of their texts. */
  distance?(a: string, b: string): number;
  /** For tasks whose terminals are all strings of one length in alphabetical order. */
  readonly strings?: StringSpace;
}

/** How many modes of a task are among some samples. */
export interface ModeCounts {
  /** Number of samples, repeated ones included. */
  readonly samples: number;
  /** Number of good samples that are far from each other (`circles`). */
  readonly circles: number;
  /** Fraction of the task's modes that were sampled; null if the task defines none. */
  readonly recall: number | null;
  /** The modes that the task defines; null if it defines none. */
  readonly knownModes: ModeSetCount | null;
  /** Local maxima among the best strings of the task. Null for objects that are not strings. */
  readonly localMaxima: ModeSetCount | null;
}

/** How many objects of a set were sampled, beside what a perfect sampler finds: a few samples of a large space miss
 * most of its modes, however good the policy is. */
export interface ModeSetCount {
  /** Number of sampled ones. */
  readonly found: number;
  /** Number of all. */
  readonly of: number;
  /** Mean number that as many samples from the target contain; null if the target is unknown. */
  readonly expected: number | null;
  /** Probability of all of them together under the policy; null if it is unknown. */
  readonly probability: number | null;
  /** Probability of all of them together under the target; null if it is unknown. */
  readonly targetProbability: number | null;
}

/** Exact distributions over the terminals, as far as they are known. */
export interface KnownDistributions {
  readonly policy?: Float64Array;
  readonly target?: Float64Array;
}

/** Circles are counted among this many of the best samples. */
export const CIRCLES_SAMPLES = 100;
/** With a task, circles are counted among samples whose score is in this top fraction of all objects. */
const CIRCLES_TOP_FRACTION = 0.1;
/** Local maxima count if their score is in this top fraction of all strings. */
const MAXIMA_TOP_FRACTION = 0.01;

/** Counts modes among samples. `scores` are the scores of the samples. Without a task, only circles are counted. */
export function countModes({
  samples,
  scores,
  task,
  distributions,
}: {
  readonly samples: readonly string[];
  readonly scores: ArrayLike<number>;
  readonly task?: ModeCountingTask;
  readonly distributions?: KnownDistributions;
}): ModeCounts {
  return modeCounter(task)(samples, scores, distributions);
}

/** Returns `countModes` for one task. The local maxima of the task are computed once. */
export function modeCounter(
  task?: ModeCountingTask,
): (samples: readonly string[], scores: ArrayLike<number>, distributions?: KnownDistributions) => ModeCounts {
  const { modes = [], strings } = task ?? {};
  const known = task && modes.length > 0 ? setCounter([...new Set(modes)], task) : null;
  const maxima = task && strings ? setCounter(topLocalMaxima(task.scores, strings), task) : null;
  const threshold = task && task.scores.length > 0 ? topScore(task.scores, CIRCLES_TOP_FRACTION) : undefined;
  const between = task?.distance as CirclesOptions["distance"];
  return (samples, scores, distributions = {}) => {
    const knownModes = known?.(samples, distributions) ?? null;
    return {
      samples: samples.length,
      circles: circles(samples, scores, { top: CIRCLES_SAMPLES, threshold, distance: between }).length,
      recall: knownModes && knownModes.found / knownModes.of,
      knownModes,
      localMaxima: maxima?.(samples, distributions) ?? null,
    };
  };
}

/** Counts the samples among these terminals of a task. */
function setCounter(
  terminals: readonly number[],
  task: ModeCountingTask,
): (samples: readonly string[], distributions: KnownDistributions) => ModeSetCount {
  const texts = terminals.map((terminal) => task.decode(terminal));
  const sumOver = (term: (probability: number) => number, distribution?: Float64Array) =>
    distribution ? terminals.reduce((sum, terminal) => sum + term(distribution[terminal]), 0) : null;
  return (samples, { policy, target }) => {
    const sampled = new Set(samples);
    // An object of probability p is among n samples with probability 1 − (1 − p)ⁿ.
    const isAmong = (p: number) => -Math.expm1(samples.length * Math.log1p(-p));
    return {
      found: texts.filter((text) => sampled.has(text)).length,
      of: terminals.length,
      expected: sumOver(isAmong, target),
      probability: sumOver((p) => p, policy),
      targetProbability: sumOver((p) => p, target),
    };
  };
}

/** Local maxima whose score is in the top fraction and above the lowest score, which excludes a plateau of zeros. */
export function topLocalMaxima(scores: Float64Array, strings: StringSpace): number[] {
  const threshold = topScore(scores, MAXIMA_TOP_FRACTION);
  const lowest = scores.reduce((a, b) => Math.min(a, b));
  return localMaximaOfTable(scores, { ...strings, threshold }).filter(
    (terminal) => scores[terminal] > lowest,
  );
}

/** The lowest score in the top fraction of all objects. */
function topScore(scores: Float64Array, fraction: number): number {
  return scores.slice().sort()[scores.length - Math.ceil(fraction * scores.length)];
}
