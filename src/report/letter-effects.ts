// What scored strings say about letters and positions: how much better the strings with a letter at a position are, and how
// much of the variance of the scores pairs of letters explain beyond single letters. These numbers describe the strings that
// were scored; a design chooses its strings, so that letters which occur together share their effects.

import { mean } from "../math/statistics.ts";
import type { Letters } from "./letter-frequencies.ts";

/** Scored strings as letter indices. */
export interface ScoredLetters {
  readonly letters: Letters;
  readonly score: number;
}

/** Fewest strings of a mean. */
export const FEWEST = 3;
/** Strings that stand for no effect in the fit of single letters, and sweeps over the positions. */
const [PRIOR, SWEEPS] = [1, 30];

/** The mean score of the strings with a letter at a position minus the mean of all, [letter][position]; null if there are
 * fewer than `FEWEST` such strings. */
export function letterEffects(scored: readonly ScoredLetters[], tokens: number): (number | null)[][] {
  const length = longest(scored);
  const centre = mean(scored.map(({ score }) => score));
  return Array.from({ length: tokens }, (_, token) =>
    Array.from({ length }, (_, position) => {
      const own = scored.filter(({ letters }) => letters[position] === token);
      return own.length < FEWEST ? null : mean(own.map(({ score }) => score)) - centre;
    }),
  );
}

/** The share of the variance of the scores that the letters of two positions explain together and not alone,
 * [position][position]: ε², which is 0 on average for scores without such pairs, and at least 0. Null on the diagonal, and
 * if there are too few strings for the pairs of letters that occur. */
export function pairShares(scored: readonly ScoredLetters[], tokens: number): (number | null)[][] {
  const length = longest(scored);
  const residuals = withoutLetters(scored, tokens);
  const total = sumOfSquares(scored.map(({ score }) => score));
  const shares: (number | null)[][] = Array.from({ length }, () => Array.from({ length }, () => null));
  for (let i = 0; i < length; i++) {
    for (let j = 0; j < i; j++) {
      const both = scored.flatMap(({ letters }, k) =>
        letters.length > i ? [{ letters, value: residuals[k] }] : [],
      );
      const values = both.map(({ value }) => value);
      const first = between(
        both.map(({ letters }) => letters[i]),
        values,
        tokens,
      );
      const second = between(
        both.map(({ letters }) => letters[j]),
        values,
        tokens,
      );
      const pairs = between(
        both.map(({ letters }) => letters[i] * tokens + letters[j]),
        values,
        tokens ** 2,
      );
      const freedom = pairs.groups - first.groups - second.groups + 1;
      if (both.length <= pairs.groups || freedom < 1 || !(total > 0)) continue;
      const within = (sumOfSquares(values) - pairs.squares) / (both.length - pairs.groups);
      const squares = pairs.squares - first.squares - second.squares - freedom * within;
      shares[i][j] = shares[j][i] = Math.max(squares / total, 0);
    }
  }
  return shares;
}

/** The scores minus what single letters explain: a ridge regression on the letters of all positions, fitted position by
 * position. */
function withoutLetters(scored: readonly ScoredLetters[], tokens: number): Float64Array {
  const length = longest(scored);
  const centre = mean(scored.map(({ score }) => score));
  const residuals = Float64Array.from(scored, ({ score }) => score - centre);
  const effects = Array.from({ length }, () => new Float64Array(tokens));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let position = 0; position < length; position++) {
      const sums = new Float64Array(tokens);
      const counts = new Float64Array(tokens);
      scored.forEach(({ letters }, k) => {
        if (position >= letters.length) return;
        sums[letters[position]] += residuals[k];
        counts[letters[position]]++;
      });
      const own = effects[position];
      const next = own.map(
        (effect, token) => (sums[token] + counts[token] * effect) / (counts[token] + PRIOR),
      );
      scored.forEach(({ letters }, k) => {
        if (position >= letters.length) return;
        residuals[k] -= next[letters[position]] - own[letters[position]];
      });
      effects[position] = next;
    }
  }
  return residuals;
}

/** The sum of squares of the group means around the mean of all, each as often as its group has values. `most` is the
 * number of groups that there may be. */
function between(
  groups: readonly number[],
  values: readonly number[],
  most: number,
): { readonly squares: number; readonly groups: number } {
  const sums = new Float64Array(most);
  const counts = new Float64Array(most);
  groups.forEach((group, k) => {
    sums[group] += values[k];
    counts[group]++;
  });
  const centre = mean(values);
  let squares = 0;
  counts.forEach((count, group) => {
    if (count > 0) squares += count * (sums[group] / count - centre) ** 2;
  });
  return { squares, groups: counts.filter((count) => count > 0).length };
}

function sumOfSquares(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}

function longest(scored: readonly ScoredLetters[]): number {
  return scored.reduce((most, { letters }) => Math.max(most, letters.length), 0);
}
