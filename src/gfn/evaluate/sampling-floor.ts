// Total variation estimated from samples, and its sampling floor.
//
// Even the frequencies of a perfect sampler differ from the target. The total variation that they show on average is the
// sampling floor: ½ Σ E|X/n − p| for binomial X, where each term has a closed form (de Moivre). A sampled total variation
// must be compared with it.

import { totalVariation } from "../../math/distances.ts";

/** The total variation of sampled frequencies from the target, beside that of a perfect sampler. */
export interface SampledTotalVariation {
  /** ½ Σ |frequency − target|. */
  readonly tv: number;
  /** Expected `tv` of a perfect sampler with as many samples. */
  readonly floor: number;
  readonly samples: number;
}

/** Total variation between the target and the frequencies of sampled terminals. */
export function sampledTotalVariation(
  terminals: ArrayLike<number>,
  target: Float64Array,
): SampledTotalVariation {
  const samples = terminals.length;
  if (samples === 0)
    throw new RangeError("sampledTotalVariation: there must be at least one sample, got none");
  const frequencies = new Float64Array(target.length);
  for (let i = 0; i < samples; i++) {
    const index = terminals[i];
    if (!(index in frequencies)) {
      throw new RangeError(
        `sampledTotalVariation: terminals must be from 0 to ${target.length - 1}, got ${index} for sample ${i}`,
      );
    }
    frequencies[index] += 1 / samples;
  }
  return { tv: totalVariation(frequencies, target), floor: samplingFloor(target, samples), samples };
}

/** Expected total variation between the target and the frequencies of `samples` draws from it. */
export function samplingFloor(target: Float64Array, samples: number): number {
  if (!Number.isInteger(samples) || samples < 1) {
    throw new RangeError(`samplingFloor: samples must be a positive whole number, got ${samples}`);
  }
  let sum = 0;
  for (let i = 0; i < target.length; i++) sum += meanDeviation(samples, target[i]);
  return sum / 2;
}

/** E|X/n − p| for a binomial X of n draws with probability p: 2 (m/n) C(n, m) p^m (1 − p)^(n − m + 1), m = ⌊np⌋ + 1. */
export function meanDeviation(n: number, p: number): number {
  if (!(p > 0 && p < 1)) return 0;
  const m = Math.floor(n * p) + 1;
  if (m > n) return 2 * (1 - p) * p ** n; // n p was rounded up to n
  const log = logChoose(n, m) + m * Math.log(p) + (n - m + 1) * Math.log1p(-p);
  return 2 * (m / n) * Math.exp(log);
}

function logChoose(n: number, m: number): number {
  return logFactorial(n) - logFactorial(m) - logFactorial(n - m);
}

const LOG_FACTORIALS = Array.from({ length: 16 }, () => 0);
for (let n = 1; n < LOG_FACTORIALS.length; n++) LOG_FACTORIALS[n] = LOG_FACTORIALS[n - 1] + Math.log(n);

/** log n!: from a table below 16, then by Stirling's series, whose error is below 1e-13. */
function logFactorial(n: number): number {
  if (n < LOG_FACTORIALS.length) return LOG_FACTORIALS[n];
  const inverse = 1 / n;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
