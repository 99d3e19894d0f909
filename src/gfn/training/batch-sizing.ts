// How large the program of an iteration is, from the sizes of earlier batches.
//
// A program that is just large enough is the fastest, but to compile one takes as long as hundreds of iterations. So the size is
// reconsidered after 32 iterations and then ever more rarely, changes only where that saves much, and grows as soon as it is
// too small for several of the last batches.

import type { BatchSize } from "./iteration.ts";

/** Batches that decide about the size. */
export const REMEMBERED_BATCHES = 32;
/** Factor between the numbers of iterations after which the size is reconsidered. */
const RARER = 4;
/** A smaller program must take at most this share of the time of the current one. */
const LARGEST_SHARE = 0.7;
/** Batches of the last ones for which a program may be too small. */
const MOST_TOO_LARGE = 1;
const FEWEST_STEPS = 4;
const FEWEST_ROWS = 16;

/** What a batch needs. */
export interface MeasuredSize {
  readonly steps: number;
  readonly rows: number;
}

/** What decides about later sizes. */
export interface SavedSizing {
  /** Iterations so far. */
  readonly iterations: number;
  readonly size: BatchSize;
  /** The last batches. */
  readonly batches: readonly MeasuredSize[];
}

export interface BatchSizingOptions {
  /** The largest number of steps of a trajectory. */
  readonly maxSteps: number;
  /** Rows of a batch. */
  readonly batch: number;
  /** The number of states of a batch after its first steps; null if all are evaluated in any case. */
  rowsOf(steps: number): number | null;
}

/** Decides about the size of the next program. */
export class BatchSizing {
  readonly #options: BatchSizingOptions;
  #state: SavedSizing;

  constructor(options: BatchSizingOptions) {
    this.#options = options;
    this.#state = { iterations: 0, size: this.largest, batches: [] };
  }

  get largest(): BatchSize {
    return { steps: this.#options.maxSteps };
  }

  /** The size of the next program. */
  get size(): BatchSize {
    return this.#state.size;
  }

  save(): SavedSizing {
    return this.#state;
  }

  /** Goes on from a saved state, or from the beginning. */
  restore(saved?: SavedSizing): void {
    this.#state = saved ?? { iterations: 0, size: this.largest, batches: [] };
  }

  /** Takes in what a batch needed. */
  add(batch: MeasuredSize): void {
    const iterations = this.#state.iterations + 1;
    const batches = [...this.#state.batches, batch].slice(-REMEMBERED_BATCHES);
    const { size } = this.#state;
    this.#state = { iterations, batches, size };
    const tooLarge = batches.filter((each) => !fits(each, size)).length;
    if (tooLarge > MOST_TOO_LARGE) this.#state = { iterations, batches, size: this.#smallestFor(batches) };
    else if (isReconsidered(iterations)) {
      const smaller = this.#smallestFor(batches);
      if (this.#costOf(smaller) <= LARGEST_SHARE * this.#costOf(size)) {
        this.#state = { iterations, batches, size: smaller };
      }
    }
  }

  #smallestFor(batches: readonly MeasuredSize[]): BatchSize {
    const { maxSteps, rowsOf } = this.#options;
    const largest = (name: keyof MeasuredSize) => Math.max(...batches.map((batch) => batch[name]));
    const steps = levelFor(largest("steps"), maxSteps, FEWEST_STEPS);
    const all = rowsOf(steps);
    const rows = all === null ? null : levelFor(largest("rows"), all, FEWEST_ROWS);
    return rows === null || rows === all ? { steps } : { steps, rows };
  }

  /** The time of an iteration in rows that a network evaluates: once in the rollout, and twice for the gradient. */
  #costOf({ steps, rows }: BatchSize): number {
    const { batch, rowsOf } = this.#options;
    return steps * batch + 2 * (rows ?? rowsOf(steps) ?? steps * batch);
  }
}

/** Whether a batch fits into a program of this size. */
export function fits(batch: MeasuredSize, { steps, rows = Number.POSITIVE_INFINITY }: BatchSize): boolean {
  return batch.steps <= steps && batch.rows <= rows;
}

/** The smallest size of a program that is at least `needed`. Sizes are halves and three quarters of the whole, and of these. */
export function levelFor(needed: number, whole: number, fewest: number): number {
  let level = whole;
  for (let half = whole; half > fewest; half = Math.ceil(half / 2)) {
    for (const smaller of [Math.ceil((3 * half) / 4), Math.ceil(half / 2)]) {
      if (smaller >= Math.max(needed, fewest)) level = smaller;
    }
  }
  return level;
}

function isReconsidered(iterations: number): boolean {
  let next = REMEMBERED_BATCHES;
  while (next < iterations) next *= RARER;
  return next === iterations;
}
