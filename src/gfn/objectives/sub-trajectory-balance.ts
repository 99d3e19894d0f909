// Sub-trajectory balance, SubTB(λ) (Madan et al. 2023): the balance between the flows at both ends of every part of a
// trajectory. A part of n steps has the weight λⁿ, normalised within each trajectory.

import { numpy as np } from "@jax-js/jax";
import { type BalanceTerms, forwardMinusBackward } from "./balance-terms.ts";
import type { BalanceOptions, Residuals, TrajectorySpan } from "./residuals.ts";

/** log F(m) + Σ_{m..n} (forward − backward) − log F(n) for all m < n, [pairs·B]. */
export function subTrajectoryBalance(
  span: TrajectorySpan,
  terms: BalanceTerms,
  logReward: np.Array,
  { lambda, logZ }: Pick<BalanceOptions, "lambda" | "logZ">,
): Residuals {
  const { T, B } = span;
  const perStep = (array: np.Array, count: number) => np.split(array, count, 0); // count × [B]
  const gains = perStep(forwardMinusBackward(span, terms), T); // T × [B]
  const running = perStep(span.running, T); // T × [B]
  const flows = perStep(terms.logFlow, T + 1); // (T + 1) × [B]
  const ends = perStep(span.ends, T); // T × [B]
  const after = gains.map((_, t) => np.where(np.less(0.5, ends[t]), logReward, flows[t + 1])); // T × [B]
  // Only the ratios of the weights matter. The largest one is scaled to 1, so that powers of a large λ fit float32.
  const largestWeight = Math.max(1, lambda) ** (T - 1);
  const residuals: np.Array[] = [];
  const weights: np.Array[] = [];
  for (let m = 0; m < T; m++) {
    let sum = m === 0 && logZ ? np.add(np.zeros([B]), logZ) : flows[m]; // [B]
    for (let n = m; n < T; n++) {
      sum = np.add(sum, gains[n]); // [B]
      residuals.push(np.multiply(np.subtract(sum, after[n]), running[n])); // [B]
      weights.push(np.multiply(running[n], lambda ** (n - m) / largestWeight)); // [B]
    }
  }
  const total = weights.reduce((a, b) => np.add(a, b)); // [B]
  return {
    residual: np.concatenate(residuals, 0), // [pairs·B]
    weight: np.concatenate(
      weights.map((weight) => np.divide(weight, total)),
      0,
    ), // [pairs·B]
  };
}

/** The residuals of the parts of one step among those of all parts, [N]. The residual of a longer part is the sum over its
 * steps. */
export function oneStepResiduals(
  { residual }: Residuals,
  { T, B }: Pick<TrajectorySpan, "T" | "B">,
): np.Array {
  // The parts that begin at step m stand together, the shortest first.
  const first = Int32Array.from({ length: T }, (_, m) => m * T - (m * (m - 1)) / 2);
  return np.take(residual.reshape([-1, B]), np.array(first), 0).reshape([T * B]); // [N]
}
