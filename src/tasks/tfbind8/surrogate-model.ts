// A small model of how strongly a protein binds DNA, made of motifs that slide over both strands.
//
// A motif has six positions × four letters. Its energy at a site is the sum of the energies of the letters that it
// covers; up to five of its positions may lie beyond an end of the string. All sites of both strands are pooled by
// log Σ exp, so a string and its reverse complement have equal scores:
//
//   y = sigmoid(bias + Σ_f weight_f · log Σ_sites exp(energy_f))
//
// Energies are tabulated by the covered letters, so scoring all 65,536 strings takes milliseconds.

import { EIGHT_MERS, reverseComplement } from "./eight-mers.ts";

/** Number of positions of a motif. */
export const MOTIF = 6;

export interface SurrogateModel {
  readonly bias: number;
  /** One weight per motif. */
  readonly weights: readonly number[];
  /** 24 energies per motif: those of A, C, G and T at the first position, then at the second, and so on. */
  readonly motifs: readonly (readonly number[])[];
}

/**
 * Exponent of the correction at both ends of the range. A higher exponent restricts the correction more closely to the
 * ends.
 */
const TAIL = 32;

/**
 * Scores of all 8-mers in alphabetical order. The scores of the model cover less than [0, 1]. A monotone correction,
 * which is noticeable only near the ends, moves the lowest score to 0 and the highest to 1.
 */
export function surrogateScores(model: SurrogateModel): Float64Array {
  const scores = new Float64Array(EIGHT_MERS).fill(model.bias);
  model.motifs.forEach((motif, f) => {
    const sites = siteSums(motif);
    for (let s = 0; s < EIGHT_MERS; s++) {
      scores[s] += model.weights[f] * Math.log(sites[s] + sites[reverseComplement(s)]);
    }
  });
  for (let s = 0; s < EIGHT_MERS; s++) scores[s] = 1 / (1 + Math.exp(-scores[s]));
  const low = scores.reduce((a, b) => Math.min(a, b));
  const high = scores.reduce((a, b) => Math.max(a, b));
  return scores.map((score) => {
    const t = (score - low) / (high - low);
    return Math.min(Math.max(score - low * (1 - t) ** TAIL + (1 - high) * t ** TAIL, 0), 1);
  });
}

/** Number of coefficients of a model. */
export function coefficientCount({ weights, motifs }: SurrogateModel): number {
  return 1 + weights.length + motifs.reduce((sum, motif) => sum + motif.length, 0);
}

/** Σ exp(energy) over the sites of one strand, for all 8-mers. */
export function siteSums(motif: ArrayLike<number>): Float64Array {
  const inside = new Float64Array(4 ** MOTIF);
  for (let x = 0; x < inside.length; x++) inside[x] = Math.exp(energy(motif, 0, MOTIF, x));
  const [left, right] = [new Float64Array(4 ** (MOTIF - 1)), new Float64Array(4 ** (MOTIF - 1))];
  for (let x = 0; x < left.length; x++) {
    for (let k = 1; k < MOTIF; k++) {
      left[x] += Math.exp(energy(motif, MOTIF - k, k, x >> (2 * (MOTIF - 1 - k))));
      right[x] += Math.exp(energy(motif, 0, k, x & (4 ** k - 1)));
    }
  }
  const sums = new Float64Array(EIGHT_MERS);
  for (let s = 0; s < EIGHT_MERS; s++) {
    // The sum has the sites that extend beyond the left end or the right end, and the three sites inside the string.
    sums[s] = left[s >> 6] + right[s & 1023] + inside[s >> 4] + inside[(s >> 2) & 4095] + inside[s & 4095];
  }
  return sums;
}

/** Energy of `count` letters, the base-4 digits of `word`, at the positions of the motif from `first` on. */
function energy(motif: ArrayLike<number>, first: number, count: number, word: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += motif[(first + i) * 4 + ((word >> (2 * (count - 1 - i))) & 3)];
  return sum;
}
