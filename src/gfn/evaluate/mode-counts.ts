// Counts the modes among the samples of a run, by the three definitions of `modes.ts`.

import {
  type GreedyModesOptions,
  greedyModes,
  localMaximaOfTable,
  modeRecall,
  type StringSpace,
} from "./modes.ts";

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
  /** Number of good samples that are far from each other (`greedyModes`). */
  readonly greedy: number;
  /** Fraction of the task's modes that were sampled; null if the task defines none. */
  readonly recall: number | null;
  /** Local maxima among the best strings of the task: the number sampled (`found`) and their total number (`of`). Null for
   * objects that are not strings. */
  readonly localMaxima: { readonly found: number; readonly of: number } | null;
}

/** The greedy count considers this many of the best samples. */
const GREEDY_SAMPLES = 100;
/** With a task, the greedy count considers only samples whose score is in this top fraction of all objects. */
const GREEDY_TOP_FRACTION = 0.1;
/** Local maxima count if their score is in this top fraction of all strings. */
const MAXIMA_TOP_FRACTION = 0.01;

/** Counts modes among samples. `scores` are the scores of the samples. Without a task, only the greedy count is made. */
export function countModes({
  samples,
  scores,
  task,
}: {
  readonly samples: readonly string[];
  readonly scores: ArrayLike<number>;
  readonly task?: ModeCountingTask;
}): ModeCounts {
  return modeCounter(task)(samples, scores);
}

/** Returns `countModes` for one task. The local maxima of the task are computed once. */
export function modeCounter(
  task?: ModeCountingTask,
): (samples: readonly string[], scores: ArrayLike<number>) => ModeCounts {
  const { modes = [], strings } = task ?? {};
  const texts = (terminals: readonly number[]) => terminals.map((terminal) => task?.decode(terminal) ?? "");
  const modeTexts = texts(modes);
  const maxima = task && strings ? texts(topLocalMaxima(task.scores, strings)) : null;
  const threshold = task && task.scores.length > 0 ? topScore(task.scores, GREEDY_TOP_FRACTION) : undefined;
  const between = task?.distance as GreedyModesOptions["distance"];
  return (samples, scores) => {
    const greedy = greedyModes(samples, scores, { top: GREEDY_SAMPLES, threshold, distance: between }).length;
    const recall = modeTexts.length > 0 ? modeRecall(samples, modeTexts) : null;
    if (!maxima) return { greedy, recall, localMaxima: null };
    const sampled = new Set(samples);
    const found = maxima.filter((text) => sampled.has(text)).length;
    return { greedy, recall, localMaxima: { found, of: maxima.length } };
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
