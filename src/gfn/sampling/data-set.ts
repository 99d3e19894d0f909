// The data set of a run: all objects that the score function has scored, each once. Batches drawn from it cost no calls.

import type { RandomStream } from "../../engine/index.ts";
import { type IndexSampler, indexSampler } from "../../math/index-sampler.ts";
import type { Environment } from "../environment/environment.ts";
import type { CachedScoreFunction } from "../reward/cached-score-function.ts";
import { OffPolicyRows } from "./off-policy-rows.ts";

export interface DataSetOptions {
  readonly environment: Environment;
  /** The cached score function; its cache is the data set. */
  readonly oracle: CachedScoreFunction;
  /** log R of a score, if these are the scores in the order of their arrival: NaN for an object without a score, and none
   * for free objects. The exponent of the reward is multiplied by `factor`. */
  logRewards(scores: readonly number[]): (score: number, factor: number) => number;
  /** Prioritised draws are in proportion to the reward to this power. */
  readonly priority: number;
  /** Number of rows of a batch. */
  readonly batch: number;
}

/** Draws objects and batches from all scored objects. */
export class DataSet {
  /** The trajectories of the last batch. Actions are unknown, except for the stop. */
  readonly rows: OffPolicyRows;
  /** log R of the last batch, [batch]. */
  readonly logRewards: Float32Array;
  readonly #options: DataSetOptions;
  /** Positions in the cache of the objects that have a score. */
  readonly #positions: number[] = [];
  #seen = 0;
  #logRewardOf: (score: number, factor: number) => number = () => 0;
  #priorities: IndexSampler | null = null;

  constructor(options: DataSetOptions) {
    this.#options = options;
    this.rows = new OffPolicyRows(options.environment, options.batch);
    this.logRewards = new Float32Array(options.batch);
  }

  /** Number of objects that have a score. */
  get size(): number {
    this.#update();
    return this.#positions.length;
  }

  /** Draws a batch with replacement. This share of it is drawn by reward, the rest uniformly. */
  sampleRows(priorityShare: number, stream: RandomStream, factor = 1): void {
    const { oracle, batch } = this.#options;
    if (this.size === 0) throw new RangeError("no object has a score, so there is nothing to train on");
    const prioritised = Math.round(priorityShare * batch);
    this.rows.clear();
    for (let row = 0; row < batch; row++) {
      const position =
        row < prioritised ? this.#byReward(stream) : this.#positions[stream.integer(this.#positions.length)];
      this.rows.addOutcomes(this.#trajectory(position, stream));
      this.logRewards[row] = this.#logRewardOf(oracle.scoreAt(position), factor);
    }
  }

  /** The outcomes of a trajectory to an object that is drawn by reward. */
  sampleByReward(stream: RandomStream): readonly number[] {
    return this.#trajectory(this.#byReward(stream), stream);
  }

  #trajectory(position: number, stream: RandomStream): readonly number[] {
    const { environment, oracle } = this.#options;
    return environment.trajectoryOf(oracle.objects[position], stream);
  }

  #byReward(stream: RandomStream): number {
    const { oracle, priority } = this.#options;
    this.#update();
    if (!this.#priorities) {
      const logs = Float64Array.from(this.#positions, (at) => this.#logRewardOf(oracle.scoreAt(at), 1));
      const largest = logs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      this.#priorities = indexSampler(logs.map((log) => Math.exp(priority * (log - largest))));
    }
    return this.#positions[this.#priorities.indexOf(stream.uniform())];
  }

  /** Takes in the objects that were scored since the last use. The cache only grows, except when a snapshot replaces it,
   * which makes a new DataSet. */
  #update(): void {
    const { oracle, logRewards } = this.#options;
    const { objects } = oracle;
    if (this.#seen === objects.length) return;
    for (; this.#seen < objects.length; this.#seen++) {
      if (!Number.isNaN(oracle.scoreAt(this.#seen))) this.#positions.push(this.#seen);
    }
    this.#logRewardOf = logRewards(oracle.paidScores());
    this.#priorities = null;
  }
}
