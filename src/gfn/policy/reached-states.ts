// The states of a batch that trajectories reach: those after the end of a trajectory, which repeat its last state, need no
// outputs of a network. The others are moved together, so that a network evaluates fewer rows.

import { numpy as np } from "@jax-js/jax";
import type { Batch } from "../sampling/batch.ts";

/** How rows are moved together. */
export interface ReachedStates {
  /** The row of the batch, counted from the first step that is moved, of each evaluated row, int32 [M]. */
  readonly rows: np.Array;
  /** The evaluated row of each row of the batch, int32 [K·B]; any row after the end of a trajectory. */
  readonly positions: np.Array;
}

/** Number of states that trajectories reach at step `from` or later, and from which they go on, []. */
export function countReached(batch: Pick<Batch, "T" | "B" | "running">, from: number): np.Array {
  return from < batch.T ? np.sum(lengthsAfter(batch, from)) : np.array(0); // []
}

/** Moves the states of K = T − from steps together, trajectory by trajectory. `most` is M, at least the number of reached states. */
export function reachedStates(
  { T, B, running }: Pick<Batch, "T" | "B" | "running">,
  from: number,
  most: number,
): ReachedStates {
  const K = T - from;
  const earlier = Float32Array.from({ length: B * B }, (_, i) => +(Math.floor(i / B) < i % B));
  const lengths = lengthsAfter({ T, B, running }, from).reshape([1, B]); // [1, B]
  const starts = np.dot(lengths, np.array(earlier, { shape: [B, B] })); // [1, B], the evaluated row in which each trajectory begins
  const steps = np.arange(K).astype(np.float32).reshape([K, 1]); // [K, 1]
  const positions = np.minimum(np.add(starts, steps), most - 1).reshape([K * B]); // [K·B]
  const evaluated = np.arange(most).astype(np.float32); // [M]
  const begun = np.less(starts, np.add(evaluated, 0.5).reshape([most, 1])).astype(np.float32); // [M, B]
  const trajectory = np.subtract(np.sum(begun, 1), 1); // [M]
  const start = np.take(starts.reshape([B]), trajectory.astype(np.int32), 0); // [M]
  const step = np.minimum(np.subtract(evaluated, start), K - 1); // [M]
  const rows = np.add(np.multiply(step, B), trajectory); // [M]
  return { rows: rows.astype(np.int32), positions: positions.astype(np.int32) };
}

/** Number of steps of each trajectory from step `from` on, [B]. */
function lengthsAfter({ T, B, running }: Pick<Batch, "T" | "B" | "running">, from: number): np.Array {
  const [, later] = from > 0 ? np.split(running, [from * B], 0) : [null, running]; // [K·B]
  return np.sum(later.reshape([T - from, B]), 0); // [B]
}
