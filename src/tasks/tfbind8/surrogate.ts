// The default scores of `tfbind8`, from a surrogate model that was fitted to the measured SIX6 table.

import { MODEL, R2, SPEARMAN } from "./surrogate-coefficients.ts";
import { coefficientCount, surrogateScores } from "./surrogate-model.ts";

/** Agreement of the surrogate with the measured table, on the 65,536 strings that it was fitted to. There is no held-out set. */
export const SURROGATE = {
  label: `surrogate of SIX6 (R² ${R2.toFixed(2)}, Spearman ${SPEARMAN.toFixed(2)}), not the measured table`,
  r2: R2,
  spearman: SPEARMAN,
  coefficients: coefficientCount(MODEL),
} as const;

/** Surrogate scores of all 8-mers in alphabetical order, in [0, 1] and equal for both strands. */
export function surrogateTable(): Float64Array {
  return surrogateScores(MODEL);
}
