// The default scores of `tfbind8`: a surrogate fitted to the measured SIX6 table, for use where no table file is given.

import { MODEL, R2, SPEARMAN } from "./surrogate-coefficients.ts";
import { coefficientCount, surrogateScores } from "./surrogate-model.ts";

/** How well the surrogate agrees with the measured table, over the 65,536 strings it was fitted to: not a test on others. */
export const SURROGATE = {
  label: `surrogate of SIX6 (R² ${R2.toFixed(2)}, Spearman ${SPEARMAN.toFixed(2)}), not the measured table`,
  r2: R2,
  spearman: SPEARMAN,
  coefficients: coefficientCount(MODEL),
} as const;

/** Surrogate scores in [0, 1] of all strings in alphabetical order, the same for both strands. */
export function surrogateTable(): Float64Array {
  return surrogateScores(MODEL);
}
