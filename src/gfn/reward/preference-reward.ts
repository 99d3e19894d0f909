// Rewards under a preference w: R(x | w) = max((Σ w_i y_i(x))^β, floor · max_x (Σ w_i y_i(x))^β).
//
// The training program has the scores of all objectives as a table, and combines them with the preference of each row. The
// largest weighted sum is attained on the Pareto front, which is much smaller than the table.

import { numpy as np } from "@jax-js/jax";
import { paretoFront } from "../../math/pareto-front.ts";
import type { PreferenceEnvironment } from "../environment/preference.ts";
import { DEFAULT_FLOOR, logScore, type RewardOptions } from "./reward.ts";

/** What the training program needs to look up rewards. */
export interface PreferenceRewards {
  /** Number of objectives, K. */
  readonly objectives: number;
  /** Scores of all objects, [terminals, K]. */
  readonly values: Float32Array;
  /** The scores that no other object exceeds in every objective, [front, K]. */
  readonly front: Float32Array;
  /** β, if it does not ramp up. */
  readonly exponent: number;
  readonly logFloor: number;
  /** Logarithm of the largest score of any objective. */
  readonly logLargest: number;
}

/** A sum of scores below this counts as 0, so that its logarithm is finite in float32. */
const SMALLEST_SUM = 1e-30;

export function preferenceRewards(
  { objectives }: Pick<PreferenceEnvironment, "objectives">,
  { exponent = 1, floor = DEFAULT_FLOOR }: RewardOptions,
): PreferenceRewards {
  const points = Array.from(objectives[0], (_, terminal) => objectives.map((scores) => scores[terminal]));
  const front = paretoFront(points).map((terminal) => points[terminal]);
  const distinct = [...new Map(front.map((point) => [point.join(" "), point])).values()];
  const largest = distinct.flat().reduce((a, b) => Math.max(a, b), 0);
  if (!(largest > 0)) throw new RangeError("preferences: at least one score must be positive, got 0 for all");
  return {
    objectives: objectives.length,
    values: Float32Array.from(points.flat()),
    front: Float32Array.from(distinct.flat()),
    exponent,
    logFloor: logScore(floor),
    logLargest: Math.log(largest),
  };
}

/** log R of terminals [R] under the preference of each row [R, K], and with the exponent β []. */
export function preferenceLogReward(
  { objectives: K, values, front, logFloor }: PreferenceRewards,
  terminals: np.Array,
  preference: np.Array,
  exponent: np.Array,
): np.Array {
  const table = np.array(values, { shape: [values.length / K, K] }); // [terminals, K]
  const corners = np.array(front, { shape: [front.length / K, K] }); // [front, K]
  const sums = np.sum(np.multiply(np.take(table, terminals, 0), preference), 1); // [R]
  const largest = np.max(np.matmul(preference, np.transpose(corners)), 1); // [R]
  const lowest = np.add(np.multiply(np.log(largest), exponent), logFloor); // [R]
  return np.maximum(np.multiply(np.log(np.maximum(sums, SMALLEST_SUM)), exponent), lowest); // [R]
}

/** The preferences of a batch from uniform random numbers in [0, 1), [B, K + 1] each: most rows are uniform on the simplex; a
 * share of them is a corner, because the targets of single objectives are the farthest from all others. */
export function drawPreferences(uniform: Float32Array, K: number): Float32Array {
  const width = K + 1;
  const rows = uniform.length / width;
  const preferences = new Float32Array(rows * K);
  for (let row = 0; row < rows; row++) {
    const choice = uniform[row * width];
    const place = row * K;
    if (choice < CORNER_SHARE) {
      preferences[place + Math.floor((choice / CORNER_SHARE) * K)] = 1;
      continue;
    }
    // Exponential numbers divided by their sum are uniform on the simplex.
    let total = 0;
    for (let i = 0; i < K; i++) {
      preferences[place + i] = -Math.log(1 - uniform[row * width + 1 + i]) + Number.EPSILON;
      total += preferences[place + i];
    }
    for (let i = 0; i < K; i++) preferences[place + i] /= total;
  }
  return preferences;
}

/** The share of a batch whose preference is a corner: one objective alone. */
const CORNER_SHARE = 0.2;
