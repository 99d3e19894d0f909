// A replay buffer: trajectories of this run as indices of actions and outcomes, with a score each. When it is full, a new
// trajectory replaces the oldest one.

import type { RandomStream } from "../../engine/index.ts";
import { indexSampler } from "../../math/index-sampler.ts";

/** A batch of trajectories in the form of program inputs and outputs, int32 [steps, rows] each. */
export interface TrajectoryIndices {
  readonly actions: Int32Array;
  readonly outcomes: Int32Array;
}

/** The content of a buffer, without its unused capacity. */
export interface SavedTrajectories {
  /** Number of trajectories that were ever added; it determines the next slot. */
  readonly added: number;
  /** [trajectories, steps], ordered by slot. */
  readonly actions: Int32Array;
  /** [trajectories, steps], ordered by slot. */
  readonly outcomes: Int32Array;
  readonly scores: Float64Array;
}

export class ReplayBuffer {
  readonly capacity: number;
  readonly #steps: number;
  readonly #actions: Int32Array;
  readonly #outcomes: Int32Array;
  readonly #scores: Float64Array;
  #added = 0;

  constructor(capacity: number, steps: number) {
    this.capacity = capacity;
    this.#steps = steps;
    this.#actions = new Int32Array(capacity * steps);
    this.#outcomes = new Int32Array(capacity * steps);
    this.#scores = new Float64Array(capacity);
  }

  /** Number of stored trajectories. */
  get count(): number {
    return Math.min(this.#added, this.capacity);
  }

  /** Stores one row of a batch. */
  add(trajectories: TrajectoryIndices, row: number, score: number): void {
    const slot = this.#added % this.capacity;
    const rows = trajectories.actions.length / this.#steps;
    for (let t = 0; t < this.#steps; t++) {
      this.#actions[slot * this.#steps + t] = trajectories.actions[t * rows + row];
      this.#outcomes[slot * this.#steps + t] = trajectories.outcomes[t * rows + row];
    }
    this.#scores[slot] = score;
    this.#added++;
  }

  /** Copies a stored trajectory into a row of a batch. */
  copyTo(slot: number, trajectories: TrajectoryIndices, row: number): void {
    const rows = trajectories.actions.length / this.#steps;
    for (let t = 0; t < this.#steps; t++) {
      trajectories.actions[t * rows + row] = this.#actions[slot * this.#steps + t];
      trajectories.outcomes[t * rows + row] = this.#outcomes[slot * this.#steps + t];
    }
  }

  save(): SavedTrajectories {
    const { count } = this;
    return {
      added: this.#added,
      actions: this.#actions.slice(0, count * this.#steps),
      outcomes: this.#outcomes.slice(0, count * this.#steps),
      scores: this.#scores.slice(0, count),
    };
  }

  /** Replaces the content. Throws, and leaves the buffer unchanged, if the arrays have wrong lengths. */
  restore({ added, actions, outcomes, scores }: SavedTrajectories): void {
    const count = Math.min(added, this.capacity);
    const size = count * this.#steps;
    if (scores.length !== count || actions.length !== size || outcomes.length !== size) {
      throw new RangeError(
        `the checkpoint does not fit this run: a buffer of ${count} trajectories has ${count} scores and ${size} ` +
          `actions and outcomes, got ${scores.length}, ${actions.length} and ${outcomes.length}`,
      );
    }
    this.#actions.set(actions);
    this.#outcomes.set(outcomes);
    this.#scores.set(scores);
    this.#added = added;
  }

  /** Samples slots with replacement, in proportion to score to the power `priority`; uniformly if the priority or all
   * scores are 0. Empty while nothing is stored. */
  sample(count: number, priority: number, stream: RandomStream): number[] {
    const stored = this.count;
    if (stored === 0) return [];
    if (priority === 0) return Array.from({ length: count }, () => stream.integer(stored));
    const weights = this.#scores.slice(0, stored).map((score) => score ** priority);
    const { sum, indexOf } = indexSampler(weights);
    if (!(sum > 0)) return this.sample(count, 0, stream);
    return Array.from({ length: count }, () => indexOf(stream.uniform()));
  }
}
