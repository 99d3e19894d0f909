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
  /** Reward of a score. */
  rewardOf(score: number): number;
  /** Prioritised draws are in proportion to the reward to this power. */
  readonly priority: number;
  /** Number of rows of a batch. */
  readonly batch: number;
}

/** Draws objects and batches from all scored objects. */
export class DataSet {
  /** The trajectories of the last batch. Actions are unknown, except for the stop. */
  readonly rows: OffPolicyRows;
  /** Scores of the last batch, [batch]. */
  readonly scores: Float64Array;
  readonly #options: DataSetOptions;
  #priorities: IndexSampler | null = null;
  #prioritised = 0;

  constructor(options: DataSetOptions) {
    this.#options = options;
    this.rows = new OffPolicyRows(options.environment, options.batch);
    this.scores = new Float64Array(options.batch);
  }

  /** Number of objects. */
  get size(): number {
    return this.#options.oracle.calls;
  }

  /** Draws a batch with replacement. This share of it is drawn by reward, the rest uniformly. */
  sampleRows(priorityShare: number, stream: RandomStream): void {
    const { oracle, batch } = this.#options;
    const prioritised = Math.round(priorityShare * batch);
    this.rows.clear();
    for (let row = 0; row < batch; row++) {
      const position = row < prioritised ? this.#byReward(stream) : stream.integer(this.size);
      this.rows.addOutcomes(this.#trajectory(position, stream));
      this.scores[row] = oracle.scoreAt(position);
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
    const { oracle, rewardOf, priority } = this.#options;
    // The data set only grows, except when a snapshot replaces it, which makes a new DataSet.
    if (!this.#priorities || this.#prioritised !== this.size) {
      const weights = new Float64Array(this.size);
      for (let i = 0; i < weights.length; i++) weights[i] = rewardOf(oracle.scoreAt(i)) ** priority;
      this.#priorities = indexSampler(weights);
      this.#prioritised = this.size;
    }
    return this.#priorities.indexOf(stream.uniform());
  }
}
