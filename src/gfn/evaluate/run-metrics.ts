// How many of a task's modes a run has found, in the three ways of counting (see `modes.ts`).

import { type GreedyModesOptions, greedyModes, localMaximaOfTable, modeRecall } from "./modes.ts";

/** What must be known of a task; a `Task` is one, with `letters` and `length` added if it is about strings. */
export interface ModesTask {
  /** Score of every terminal. */
  readonly scores: Float64Array;
  /** Terminals known to be the modes. */
  readonly modes?: readonly number[];
  decode(terminal: number): string;
  /** Steps from one object to another; the Hamming distance of their texts if not given. */
  distance?(a: string, b: string): number;
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

/** How many of the best samples the greedy count looks at. Of a task they must be as good as this share of all objects. */
const BEST = 100;
const BEST_SHARE = 0.1;
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
  return modesCounter(task)(samples, scores);
}

/** The same for many counts: what there is to find is looked for once. */
export function modesCounter(
  task?: ModesTask,
): (samples: readonly string[], scores: ArrayLike<number>) => FoundModes {
  const { modes = [], letters, length } = task ?? {};
  const texts = (terminals: readonly number[]) => terminals.map((terminal) => task?.decode(terminal) ?? "");
  const known = texts(modes);
  const maxima =
    task && letters !== undefined && length !== undefined
      ? texts(bestMaxima(task.scores, letters, length))
      : null;
  const threshold = task && task.scores.length > 0 ? scoreOfBest(task.scores, BEST_SHARE) : undefined;
  const between = task?.distance as GreedyModesOptions["between"];
  return (samples, scores) => {
    const greedy = greedyModes(samples, scores, { top: BEST, threshold, between }).length;
    const recall = known.length > 0 ? modeRecall(samples, known) : null;
    if (!maxima) return { greedy, recall, localMaxima: null };
    const sampled = new Set(samples);
    const found = maxima.filter((text) => sampled.has(text)).length;
    return { greedy, recall, localMaxima: { found, of: maxima.length } };
  };
}

/** Local maxima whose score is among the best and not the lowest, which a plateau of nothing would be. */
export function bestMaxima(scores: Float64Array, letters: number, length: number): number[] {
  const threshold = scoreOfBest(scores, TOP);
  const lowest = scores.reduce((a, b) => Math.min(a, b));
  return localMaximaOfTable(scores, { letters, length, threshold }).filter(
    (terminal) => scores[terminal] > lowest,
  );
}

/** The score that this share of all objects reaches. */
function scoreOfBest(scores: Float64Array, share: number): number {
  return scores.slice().sort()[scores.length - Math.ceil(share * scores.length)];
}
