// A problem to solve: an environment and the scores of everything that can come out of it.

import { type EnumerableEnvironment, type Environment, isEnumerable } from "../gfn/environment.ts";
import type { ModesTask } from "../gfn/evaluate/run-metrics.ts";

export interface Task<E extends Environment = Environment> {
  readonly name: string;
  /** What the reward really is, for everything that shows a result. */
  readonly label: string;
  readonly environment: E;
  /** Score of every terminal, before exponent and floor (`rewardTable`). */
  readonly scores: Float64Array;
  /** Terminals known to be the modes, if the problem has such. */
  readonly modes?: readonly number[];
  /** A terminal, written as people write it. */
  decode(terminal: number): string;
  /** The terminal that a text stands for, the inverse of `decode`. */
  encode(text: string): number;
  /** Steps from one object to another; the Hamming distance of their texts if not given. */
  distance?(a: string, b: string): number;
}

/** A task whose states can be listed. */
export type ListedTask = Task<EnumerableEnvironment>;

/** Whether a task is one. */
export function isListed(task: Task): task is ListedTask {
  return isEnumerable(task.environment);
}

/** What counting modes needs to know of a task. */
export function modesTaskOf(task: Task): ModesTask {
  if (task.distance) return task;
  // Without steps of their own, objects are strings of one length.
  const { length } = task.decode(0);
  const letters = Math.round(task.scores.length ** (1 / length));
  return letters ** length === task.scores.length ? { ...task, letters, length } : task;
}

/** More terminals than this are not put into a table (128 MB of scores). */
const LARGEST_TABLE = 2 ** 24;

/** Throws if there are too many terminals to score them all; `remedy` says what to make smaller. */
export function checkTableSize(where: string, terminals: number, remedy: string): void {
  if (terminals > LARGEST_TABLE) {
    throw new RangeError(
      `${where}: ${terminals} terminals are more than the ${LARGEST_TABLE} that fit a table; ${remedy}`,
    );
  }
}

/** Throws unless `terminal` is the number of one. */
export function checkTerminal(where: string, terminal: number, terminals: number): void {
  if (!Number.isInteger(terminal) || terminal < 0 || terminal >= terminals) {
    throw new RangeError(`${where}: terminals are numbered from 0 to ${terminals - 1}, got ${terminal}`);
  }
}
