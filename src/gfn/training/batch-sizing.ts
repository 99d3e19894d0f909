// How large the program of an iteration is, from the sizes of earlier batches.
//
// A program that is just large enough for most batches is the fastest, with a second one for those into which nearly all batches
// fit; but to compile one takes as long as hundreds of iterations. So the sizes are reconsidered after 32 iterations and then ever
// more rarely, change only where that saves much, and do so at once if too many of the last batches did not fit.

import type { BatchSize } from "./iteration.ts";

/** Batches that decide about the sizes. */
export const REMEMBERED_BATCHES = 32;
/** Factor between the numbers of iterations after which the sizes are reconsidered. */
const RARER = 4;
/** New sizes must take at most this share of the time of the present ones. */
const LARGEST_SHARE = 0.8;
/** Batches of the last ones that may be too large for the second program, and for the first one. */
const [MOST_UNCOVERED, MOST_REPEATED] = [1, 8];
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
  /** The sizes of programs that are tried one after the other before the largest, increasing: none or two. */
  readonly sizes: readonly BatchSize[];
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

const START: SavedSizing = { iterations: 0, sizes: [], batches: [] };

/** Decides about the sizes of the next programs. */
export class BatchSizing {
  readonly #options: BatchSizingOptions;
  #state = START;

  constructor(options: BatchSizingOptions) {
    this.#options = options;
  }

  /** The size of the program into which every batch fits. */
  get largest(): BatchSize {
    return { steps: this.#options.maxSteps };
  }

  /** The sizes to try until the batch fits; the last one is the largest. */
  get sizes(): readonly BatchSize[] {
    return [...this.#state.sizes, this.largest];
  }

  save(): SavedSizing {
    return this.#state;
  }

  /** Goes on from a saved state, or from the beginning. */
  restore(saved = START): void {
    this.#state = saved;
  }

  /** Takes in what a batch needed. */
  add(batch: MeasuredSize): void {
    const iterations = this.#state.iterations + 1;
    const batches = [...this.#state.batches, batch].slice(-REMEMBERED_BATCHES);
    const { sizes } = this.#state;
    this.#state = { iterations, batches, sizes };
    const misfits = (size: BatchSize) => batches.filter((each) => !fits(each, size)).length;
    const mustGrow =
      sizes.length > 0 && (misfits(sizes[1]) > MOST_UNCOVERED || misfits(sizes[0]) > MOST_REPEATED);
    if (!mustGrow && !isReconsidered(iterations)) return;
    const best = this.#bestSizes();
    const isWorthIt = this.#timeOf(best) <= LARGEST_SHARE * this.#timeOf(sizes);
    if (mustGrow || isWorthIt) this.#state = { iterations, batches, sizes: best };
  }

  /** The sizes with which the last batches would have taken the least time: the second one is large enough for all of them. */
  #bestSizes(): readonly BatchSize[] {
    const { maxSteps, rowsOf } = this.#options;
    const largest = (name: keyof MeasuredSize) =>
      Math.max(...this.#state.batches.map((batch) => batch[name]));
    const sizesWith = (steps: number): BatchSize[] => {
      const all = rowsOf(steps);
      return all === null || all === 0
        ? [{ steps }]
        : levels(all, FEWEST_ROWS).map((rows) => (rows === all ? { steps } : { steps, rows }));
    };
    const covers = (size: BatchSize) => fits({ steps: largest("steps"), rows: largest("rows") }, size);
    const candidates = levels(maxSteps, FEWEST_STEPS).flatMap(sizesWith);
    const second = candidates.filter(covers).reduce((a, b) => (this.#costOf(b) < this.#costOf(a) ? b : a));
    return candidates
      .map((first) => [first, second] as const)
      .reduce((a, b) => (this.#timeOf(b) < this.#timeOf(a) ? b : a));
  }

  /** The time of the last batches with programs of these sizes. */
  #timeOf(sizes: readonly BatchSize[]): number {
    const all = [...sizes.filter((size, i) => i === 0 || !isSame(size, sizes[i - 1])), this.largest];
    let time = 0;
    for (const batch of this.#state.batches) {
      const tried = all.findIndex((size) => fits(batch, size)) + 1;
      for (const size of all.slice(0, tried)) time += this.#costOf(size);
    }
    return time;
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

/** The sizes that programs may have, decreasing: the whole, then halves and three quarters of it, and of these. */
export function levels(whole: number, fewest: number): number[] {
  const found = [whole];
  for (let half = whole; Math.ceil(half / 2) >= fewest; half = Math.ceil(half / 2)) {
    found.push(Math.ceil((3 * half) / 4), Math.ceil(half / 2));
  }
  return [...new Set(found)];
}

function isSame(a: BatchSize, b: BatchSize): boolean {
  return a.steps === b.steps && a.rows === b.rows;
}

function isReconsidered(iterations: number): boolean {
  let next = REMEMBERED_BATCHES;
  while (next < iterations) next *= RARER;
  return next === iterations;
}
