// Ehrlich functions (Stanton et al. 2024): a string is feasible if all its pairs of neighbours are allowed, and its value
// is the product, over some motifs, of how much of the motif it contains at the best place. The optimum is 1.

import { type Issue, throwIssues } from "../issues.ts";
import type { EhrlichInstance } from "./ehrlich-instance.ts";
import type { AllowedPairs, Landscape } from "./landscape.ts";

/** An Ehrlich function with its instance. */
export interface EhrlichLandscape extends Landscape {
  readonly instance: EhrlichInstance;
  readonly pairs: AllowedPairs;
  /** Whether all pairs of neighbours are allowed. */
  isFeasible(string: ArrayLike<number>): boolean;
}

/**
 * The landscape of an instance. Throws a UserError if a check value of the instance does not agree with the function.
 *
 * With motif letters m and positions s (the cumulative sums of `spacing`, from 0), a motif of k letters contributes
 * max over places l of ⌊q · #{j : x[l + s_j] = m_j} / k⌋ / q, where q is `quantization`.
 */
export function ehrlichLandscape(instance: EhrlichInstance, source?: string): EhrlichLandscape {
  const { states, length, motifLength, quantization, motif, family, seed } = instance;
  const allowed = instance.allowed.map((row) => Uint8Array.from(row, Number));
  const offsets = instance.spacing.map((gaps) => {
    const positions = new Int32Array(motifLength);
    gaps.forEach((gap, j) => {
      positions[j + 1] = positions[j] + gap;
    });
    return positions;
  });
  const letters = motif.map((each) => Int32Array.from(each));

  function isFeasible(string: ArrayLike<number>): boolean {
    if (string.length !== length) return false;
    for (let i = 0; i < length; i++) {
      if (!(string[i] >= 0 && string[i] < states)) return false;
      if (i > 0 && allowed[string[i - 1]][string[i]] === 0) return false;
    }
    return true;
  }

  /** The largest number of letters of motif i that stand at their positions. */
  function bestMatch(i: number, string: ArrayLike<number>): number {
    const [wanted, positions] = [letters[i], offsets[i]];
    const last = length - 1 - positions[motifLength - 1];
    let best = 0;
    for (let start = 0; start <= last && best < motifLength; start++) {
      let matches = 0;
      for (let j = 0; j < motifLength; j++) if (string[start + positions[j]] === wanted[j]) matches++;
      if (matches > best) best = matches;
    }
    return best;
  }

  function score(string: ArrayLike<number>): number | null {
    if (!isFeasible(string)) return null;
    let value = 1;
    for (let i = 0; i < letters.length && value > 0; i++) {
      // Whole numbers only: a rounding error in matches / (k / q) could lose a level.
      value *= Math.floor((bestMatch(i, string) * quantization) / motifLength) / quantization;
    }
    return value;
  }

  throwIssues(
    [...checkIssues(instance, score), ...initialIssues(instance, isFeasible)],
    source === undefined ? {} : { source },
  );
  const sizes = `v${states} L${length} c${letters.length} k${motifLength} q${quantization}`;
  const from = [family, seed === undefined ? undefined : `seed ${seed}`].filter(Boolean).join(", ");
  return {
    instance,
    label: `Ehrlich function ${sizes}${from ? ` (${from})` : ""}`,
    version: `ehrlich ${JSON.stringify([states, length, quantization, motif, instance.spacing, instance.allowed])}`,
    letters: states,
    length,
    pairs: { kind: "pairs", allowed: allowed.map((row) => Array.from(row, (bit) => bit === 1)) },
    initial: instance.initial ?? null,
    isFeasible,
    score,
  };
}

/** Check values that the function does not reproduce. */
function checkIssues(
  { checks = [] }: EhrlichInstance,
  score: (string: readonly number[]) => number | null,
): Issue[] {
  return checks.flatMap(([string, value], i): Issue[] => {
    const found = score(string);
    if (found !== null && Math.abs(found - value) <= 1e-6) return [];
    const got = found === null ? "a string that is not feasible" : found;
    return [{ path: `checks[${i}]`, code: "mismatch", message: `must have the value ${value}, got ${got}` }];
  });
}

function initialIssues(
  { initial }: EhrlichInstance,
  isFeasible: (string: readonly number[]) => boolean,
): Issue[] {
  if (!initial || isFeasible(initial)) return [];
  return [
    { path: "initial", code: "infeasible", message: "must be feasible, got a pair that is not allowed" },
  ];
}
