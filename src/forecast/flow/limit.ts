// The limit of a noise channel: the distribution of the next outcome that is nearest to a wanted distribution. The KL
// divergence of paths on a tree is a sum over states, so the best policy is the best one in every state.

import { waterFill } from "../../gfn/evaluate/limit.ts";
import { applyChannel } from "./channel.ts";

/** Expectation maximisation stops when no policy can lower the KL divergence by more than this. */
const TOLERANCE = 1e-9;
const MAX_STEPS = 20_000;

/**
 * Solves π C = wanted for π, [K]. A solution with negative entries means that no policy has this distribution of
 * outcomes. Null if C is singular.
 */
export function policyRealising(wanted: ArrayLike<number>, channel: Float64Array): Float64Array | null {
  const K = wanted.length;
  // Gaussian elimination of Cᵀ π = wanted with partial pivoting.
  const rows = Array.from({ length: K }, (_, x) =>
    Float64Array.from({ length: K + 1 }, (_, a) => (a < K ? channel[a * K + x] : wanted[x])),
  );
  for (let column = 0; column < K; column++) {
    let pivot = column;
    for (let row = column + 1; row < K; row++) {
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    }
    if (Math.abs(rows[pivot][column]) < 1e-12) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let row = 0; row < K; row++) {
      if (row === column) continue;
      const factor = rows[row][column] / rows[column][column];
      for (let k = column; k <= K; k++) rows[row][k] -= factor * rows[column][k];
    }
  }
  return Float64Array.from({ length: K }, (_, a) => rows[a][K] / rows[a][a]);
}

/**
 * The reachable distribution π C with the smallest KL(wanted ‖ π C), [K]. It is the wanted distribution itself if some
 * policy has it. It is computed by water-filling for uniform channels, and by expectation maximisation for others. In
 * expectation maximisation, no policy can lower the KL divergence by more than log maxₐ Σ_x C[a, x] wanted(x) / (π
 * C)(x), so the iteration stops when this bound is small.
 */
export function reachableLimit(wanted: ArrayLike<number>, channel: Float64Array): Float64Array {
  const K = wanted.length;
  const exact = policyRealising(wanted, channel);
  if (exact?.every((share) => share >= -1e-12)) return Float64Array.from(wanted);
  const floor = uniformShare(K, channel);
  if (floor !== null) return Float64Array.from(waterFill(Array.from(wanted), floor));
  // Starts from the solution of the linear equations with small and negative entries raised to 0.001: it is close to
  // the optimum.
  const start = Float64Array.from({ length: K }, (_, a) => Math.max(exact?.[a] ?? 1, 1e-3));
  const sum = start.reduce((total, share) => total + share);
  let policy = start.map((share) => share / sum);
  for (let step = 0; ; step++) {
    const outcomes = applyChannel(policy, channel);
    const ratios = policy.map((_, a) => {
      let ratio = 0;
      for (let x = 0; x < K; x++) {
        if (wanted[x] > 0) ratio += (channel[a * K + x] * wanted[x]) / outcomes[x];
      }
      return ratio;
    });
    const maxRatio = ratios.reduce((largest, ratio) => Math.max(largest, ratio));
    if (Math.log(maxRatio) <= TOLERANCE || step >= MAX_STEPS) return outcomes;
    policy = policy.map((share, a) => share * ratios[a]);
  }
}

/** ε / K of a uniform channel; null for any other channel. */
function uniformShare(K: number, channel: Float64Array): number | null {
  if (K === 1) return null;
  const share = channel[1];
  const even = channel.every((entry, i) => {
    const expected = i % (K + 1) === 0 ? 1 - (K - 1) * share : share;
    return Math.abs(entry - expected) < 1e-12;
  });
  return even ? share : null;
}
