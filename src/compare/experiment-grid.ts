// The experiments of a comparison: every method at every noise level, once per seed.

import { checksumText } from "../formats/crc32.ts";

export interface Experiment {
  /** A method with its own settings, such as "kl:balance=tb". */
  readonly method: string;
  /** The noise level; null for a task without one. */
  readonly stick: number | null;
  readonly seed: number;
}

export interface ExperimentGrid {
  readonly methods: readonly string[];
  /** Noise levels, or [null] for a task without one. */
  readonly sticks: readonly (number | null)[];
  readonly seeds: readonly number[];
}

/** All experiments, ordered by seed first, so that an incomplete comparison has results of as many methods as possible. */
export function experimentsOf({ methods, sticks, seeds }: ExperimentGrid): Experiment[] {
  return seeds.flatMap((seed) =>
    sticks.flatMap((stick) => methods.map((method) => ({ method, stick, seed }))),
  );
}

/** Longest part of a file name that shows the method. */
const MOST_LETTERS = 60;

/**
 * The unique file name of an experiment. Characters that some systems do not allow are replaced, and a long name is cut; a
 * checksum then keeps it unique.
 */
export function experimentFileName({ method, stick, seed }: Experiment): string {
  const parts = [fileNamePart(method), ...(stick === null ? [] : [`stick=${stick}`]), `seed=${seed}`];
  return `${parts.join("_")}.jsonl`;
}

function fileNamePart(method: string): string {
  const safe = method.replaceAll(/[^\w=.,+-]/g, "-");
  if (!method.includes("=") && safe.length <= MOST_LETTERS) return safe;
  return `${safe.slice(0, MOST_LETTERS)}-${checksumText(new TextEncoder().encode(method))}`;
}

/** The human-readable name of an experiment. */
export function experimentTitle({ method, stick, seed }: Experiment): string {
  return [method, ...(stick === null ? [] : [stickText(stick)]), `seed ${seed}`].join(", ");
}

/** A noise level in titles. */
export function stickText(stick: number | null): string {
  return stick === null ? "the noise of the task" : `stick ${stick}`;
}

/** A method at a noise level in titles. */
export function methodTitle(method: string, stick: number | null): string {
  return stick === null ? method : `${method}, ${stickText(stick)}`;
}
