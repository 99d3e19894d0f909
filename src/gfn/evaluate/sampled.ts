// Evaluation from samples, where states are too many to list, with the floor that sampling itself puts under it.
//
// Even a perfect sampler's frequencies differ from the target. What total variation to expect of it is known exactly:
// the mean of |X/n − p| for a binomial X has a closed form (de Moivre). A sampled value means nothing without it.

import { totalVariation } from "./distances.ts";

export interface SampledTotalVariation {
  /** ½ Σ |frequency − target|. */
  readonly tv: number;
  /** What a perfect sampler is expected to show with as many samples. */
  readonly floor: number;
  readonly samples: number;
}

/** Total variation between the target and the frequencies of sampled terminals. */
export function sampledTotalVariation(
  terminals: ArrayLike<number>,
  target: Float64Array,
): SampledTotalVariation {
  const samples = terminals.length;
  if (samples === 0) throw new RangeError("sampledTotalVariation: there are no samples; give at least one");
  const frequencies = new Float64Array(target.length);
  for (let i = 0; i < samples; i++) {
    const index = terminals[i];
    if (!(index in frequencies)) {
      throw new RangeError(
        `sampledTotalVariation: sample ${i} is terminal ${index}, but there are terminals 0 to ${target.length - 1}`,
      );
    }
    frequencies[index] += 1 / samples;
  }
  return { tv: totalVariation(frequencies, target), floor: samplingFloor(target, samples), samples };
}

/** Expected total variation between the target and the frequencies of that many draws from it: ½ Σ E|X/n − p|. */
export function samplingFloor(target: Float64Array, samples: number): number {
  if (!Number.isInteger(samples) || samples < 1) {
    throw new RangeError(`samplingFloor: samples must be a positive whole number, got ${samples}`);
  }
  let sum = 0;
  for (let i = 0; i < target.length; i++) sum += meanDeviation(samples, target[i]);
  return sum / 2;
}

/** E|X/n − p| for X binomial of n draws with probability p: 2 (m/n) C(n, m) p^m (1 − p)^(n − m + 1), m = ⌊np⌋ + 1. */
export function meanDeviation(n: number, p: number): number {
  if (!(p > 0 && p < 1)) return 0;
  const m = Math.floor(n * p) + 1;
  if (m > n) return 2 * (1 - p) * p ** n; // np is n only by rounding
  const log = logChoose(n, m) + m * Math.log(p) + (n - m + 1) * Math.log1p(-p);
  return 2 * (m / n) * Math.exp(log);
}

function logChoose(n: number, m: number): number {
  return logFactorial(n) - logFactorial(m) - logFactorial(n - m);
}

const SMALL = Array.from({ length: 16 }, () => 0);
for (let n = 1; n < SMALL.length; n++) SMALL[n] = SMALL[n - 1] + Math.log(n);

/** log n!, by Stirling's series from 16 on, where its error is below 1e-13. */
function logFactorial(n: number): number {
  if (n < SMALL.length) return SMALL[n];
  const inverse = 1 / n;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
