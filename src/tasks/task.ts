// A task: an environment, and the scores of all its objects.

import {
  type EnumerableEnvironment,
  type Environment,
  isEnumerable,
} from "../gfn/environment/environment.ts";
import type { StringSpace } from "../gfn/evaluate/modes.ts";

/** A problem: an environment with a score for each of its objects. */
export interface Task<E extends Environment = Environment> {
  /** Name of the task in configs, commands and reports. */
  readonly name: string;
  /** Description of the scores, which every display of results must show. */
  readonly label: string;
  /** The environment whose objects are scored. */
  readonly environment: E;
  /** Score of every terminal, before reward exponent and reward floor (`rewardTable`). */
  readonly scores: Float64Array;
  /** Terminals that are the modes of the task. Optional. */
  readonly modes?: readonly number[];
  /**
   * Letters and length of the strings, for tasks whose objects are all strings of one length. Terminals are in
   * alphabetical order.
   */
  readonly strings?: StringSpace;
  /** The text of a terminal. */
  decode(terminal: number): string;
  /** The terminal of a text, the inverse of `decode`. */
  encode(text: string): number;
  /** Distance between the texts of two objects. Default: the Hamming distance, for strings of one length. */
  distance?(a: string, b: string): number;
}

/** A task whose scores may come from a function of another program instead of a table. */
export type TaskOfRun = Omit<Task, "scores"> & { readonly scores: Float64Array | null };

/** Whether a table has the scores of all objects. */
export function hasScoreTable(task: TaskOfRun): task is Task {
  return task.scores !== null;
}

/** A task whose states can be enumerated, so that evaluation can be exact. */
export type EnumerableTask = Task<EnumerableEnvironment>;

/** Whether the environment of a task has an enumeration of its states. */
export function isEnumerableTask(task: Task): task is EnumerableTask {
  return isEnumerable(task.environment);
}

/** The largest number of terminals in a table of scores, which then takes 128 MB. */
export const MAX_TABLE_SIZE = 2 ** 24;

/** Throws unless `terminal` is a valid terminal index. */
export function checkTerminal(where: string, terminal: number, terminals: number): void {
  if (!Number.isInteger(terminal) || terminal < 0 || terminal >= terminals) {
    throw new RangeError(
      `${where}: a terminal must be a whole number from 0 to ${terminals - 1}, got ${terminal}`,
    );
  }
}
