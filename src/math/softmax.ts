// Softmax and log-sum-exp of plain numbers, in float64.

import { sum } from "./statistics.ts";

/** Probabilities in proportion to exp(logit) of the entries that are allowed; 0 for the others. */
export function softmax(logits: ArrayLike<number>, allowed: (index: number) => boolean): Float64Array {
  let peak = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (allowed(i)) peak = Math.max(peak, logits[i]);
  const weights = Float64Array.from({ length: logits.length }, (_, i) =>
    allowed(i) ? Math.exp(logits[i] - peak) : 0,
  );
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** log Σ exp(value); −Infinity for no values. */
export function logSumExp(values: Float64Array): number {
  const peak = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (peak === Number.NEGATIVE_INFINITY) return peak;
  return peak + Math.log(values.reduce((sum, value) => sum + Math.exp(value - peak), 0));
}
