// How many of a task's modes a run has found, in the three ways of counting (see `modes.ts`).

import { greedyModes, localMaximaOfTable, modeRecall } from "./modes.ts";

/** What must be known of a task; a `Task` is one, with `letters` and `length` added if it is about strings. */
export interface ModesTask {
  /** Score of every terminal. */
  readonly scores: Float64Array;
  /** Terminals known to be the modes. */
  readonly modes?: readonly number[];
  decode(terminal: number): string;
  /** Of strings of one length, all of them in alphabetical order: how many letters there are, and their length. */
  readonly letters?: number;
  readonly length?: number;
}

export interface FoundModes {
  /** Among the best distinct samples, those far from each other (`greedyModes`). */
  readonly greedy: number;
  /** Share of the task's modes that were sampled; null if it has none. */
  readonly recall: number | null;
  /** Strings among the best of all that no change of one letter makes better, sampled and in all; null for others. */
  readonly localMaxima: { readonly found: number; readonly of: number } | null;
}

/** How many of the best samples the greedy count looks at. */
const BEST = 100;
/** Local maxima count if their score is among this share of the best of all strings. */
const TOP = 0.01;

/** `scores` are those of the samples. Without a task, as where a function scores, the greedy count is all there is. */
export function modesOf({
  samples,
  scores,
  task,
}: {
  readonly samples: readonly string[];
  readonly scores: ArrayLike<number>;
  readonly task?: ModesTask;
}): FoundModes {
  const greedy = greedyModes(samples, scores, { top: BEST }).length;
  const { modes = [], letters, length } = task ?? {};
  const recall =
    task && modes.length > 0
      ? modeRecall(
          samples,
          modes.map((terminal) => task.decode(terminal)),
        )
      : null;
  if (!task || letters === undefined || length === undefined) return { greedy, recall, localMaxima: null };
  const maxima = bestMaxima(task.scores, letters, length);
  const sampled = new Set(samples);
  const found = maxima.filter((terminal) => sampled.has(task.decode(terminal))).length;
  return { greedy, recall, localMaxima: { found, of: maxima.length } };
}

/** Local maxima whose score is among the best and not the lowest, which a plateau of nothing would be. */
export function bestMaxima(scores: Float64Array, letters: number, length: number): number[] {
  const sorted = scores.slice().sort();
  const threshold = sorted[sorted.length - Math.ceil(TOP * sorted.length)];
  const lowest = sorted[0];
  return localMaximaOfTable(scores, { letters, length, threshold }).filter(
    (terminal) => scores[terminal] > lowest,
  );
}
