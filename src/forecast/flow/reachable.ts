// The law of the next token that comes nearest to a wanted one through a channel. On a tree the divergence of paths is a
// sum over states, so the best policy is the best in every state.

import { fill } from "../../gfn/evaluate/limit.ts";
import { through } from "./channel.ts";

/** Stops when no policy can be better by more than this. */
const GAP = 1e-9;
const MOST_STEPS = 20_000;

/** The policy with π C = law, [K]; negative entries say that no policy has it, null that there are none or many. */
export function policyFor(law: ArrayLike<number>, channel: Float64Array): Float64Array | null {
  const K = law.length;
  // Cᵀ π = law, by elimination with the largest pivot.
  const rows = Array.from({ length: K }, (_, x) =>
    Float64Array.from({ length: K + 1 }, (_, a) => (a < K ? channel[a * K + x] : law[x])),
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
 * The law π C of the smallest KL(wanted ‖ π C), [K]: the wanted one itself where some policy has it; by
 * water-filling where noise goes to all tokens alike; else by expectation maximisation. The largest expected ratio Σ_x C[a, x] wanted(x) / law(x) bounds what is left to gain.
 */
export function reachable(wanted: ArrayLike<number>, channel: Float64Array): Float64Array {
  const K = wanted.length;
  const exact = policyFor(wanted, channel);
  if (exact?.every((share) => share >= -1e-12)) return Float64Array.from(wanted);
  const share = evenShare(K, channel);
  if (share !== null) return Float64Array.from(fill(Array.from(wanted), share));
  // From the solution with what is negative cut off, where most of the way is done.
  const start = Float64Array.from({ length: K }, (_, a) => Math.max(exact?.[a] ?? 1, 1e-3));
  const sum = start.reduce((total, share) => total + share);
  let policy = start.map((share) => share / sum);
  for (let step = 0; ; step++) {
    const law = through(policy, channel);
    const gain = policy.map((_, a) => {
      let ratio = 0;
      for (let x = 0; x < K; x++) {
        if (wanted[x] > 0) ratio += (channel[a * K + x] * wanted[x]) / law[x];
      }
      return ratio;
    });
    const most = gain.reduce((largest, ratio) => Math.max(largest, ratio));
    if (Math.log(most) <= GAP || step >= MOST_STEPS) return law;
    policy = policy.map((share, a) => share * gain[a]);
  }
}

/** ε / K of a uniform channel; null for any other. */
function evenShare(K: number, channel: Float64Array): number | null {
  if (K === 1) return null;
  const share = channel[1];
  const even = channel.every((entry, i) => {
    const expected = i % (K + 1) === 0 ? 1 - (K - 1) * share : share;
    return Math.abs(entry - expected) < 1e-12;
  });
  return even ? share : null;
}
