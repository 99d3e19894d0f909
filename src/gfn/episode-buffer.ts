// Episodes kept for later, the oldest replaced first: intentions and outcomes as numbers, and a score.

import type { RandomStream } from "../engine/index.ts";

/** Episodes side by side as programs take and give them: int32 [steps, rows] each. */
export interface EpisodeNumbers {
  readonly actions: Int32Array;
  readonly outcomes: Int32Array;
}

/** All that a buffer holds, the unused room left out. */
export interface SavedEpisodes {
  /** Episodes that were ever added: says where the next one goes. */
  readonly added: number;
  /** [episodes, steps] each, in the order of their places. */
  readonly actions: Int32Array;
  readonly outcomes: Int32Array;
  readonly scores: Float64Array;
}

export class EpisodeBuffer {
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

  /** Episodes there are. */
  get count(): number {
    return Math.min(this.#added, this.capacity);
  }

  /** Keeps one row of episodes side by side. */
  add(episodes: EpisodeNumbers, row: number, score: number): void {
    const slot = this.#added % this.capacity;
    const rows = episodes.actions.length / this.#steps;
    for (let t = 0; t < this.#steps; t++) {
      this.#actions[slot * this.#steps + t] = episodes.actions[t * rows + row];
      this.#outcomes[slot * this.#steps + t] = episodes.outcomes[t * rows + row];
    }
    this.#scores[slot] = score;
    this.#added++;
  }

  /** Writes a kept episode into a row of episodes side by side. */
  copyTo(slot: number, episodes: EpisodeNumbers, row: number): void {
    const rows = episodes.actions.length / this.#steps;
    for (let t = 0; t < this.#steps; t++) {
      episodes.actions[t * rows + row] = this.#actions[slot * this.#steps + t];
      episodes.outcomes[t * rows + row] = this.#outcomes[slot * this.#steps + t];
    }
  }

  save(): SavedEpisodes {
    const { count } = this;
    return {
      added: this.#added,
      actions: this.#actions.slice(0, count * this.#steps),
      outcomes: this.#outcomes.slice(0, count * this.#steps),
      scores: this.#scores.slice(0, count),
    };
  }

  /** Throws, and leaves the buffer as it was, if the episodes are not as many or as long as they should be. */
  restore({ added, actions, outcomes, scores }: SavedEpisodes): void {
    const count = Math.min(added, this.capacity);
    const numbers = count * this.#steps;
    if (scores.length !== count || actions.length !== numbers || outcomes.length !== numbers) {
      throw new RangeError(
        `the checkpoint does not fit this run: a buffer of ${count} episodes has ${count} scores and ${numbers} ` +
          `intentions and outcomes, got ${scores.length}, ${actions.length} and ${outcomes.length}`,
      );
    }
    this.#actions.set(actions);
    this.#outcomes.set(outcomes);
    this.#scores.set(scores);
    this.#added = added;
  }

  /** Draws episodes with replacement, by score to the power `priority`; all alike if that is 0 or all scores are. */
  draw(count: number, priority: number, stream: RandomStream): number[] {
    const kept = this.count;
    if (kept === 0) return [];
    if (priority === 0) return Array.from({ length: count }, () => stream.integer(kept));
    const upTo = new Float64Array(kept);
    let sum = 0;
    for (let slot = 0; slot < kept; slot++) {
      sum += this.#scores[slot] ** priority;
      upTo[slot] = sum;
    }
    if (!(sum > 0)) return this.draw(count, 0, stream);
    return Array.from({ length: count }, () => firstAbove(upTo, stream.uniform() * sum));
  }
}

/** The first place of rising sums that lies above a value. */
function firstAbove(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
