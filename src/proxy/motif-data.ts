// Scored strings as the annealing of motif products reads them, and the quality of a model on them: matches of motifs at
// their best places, and the energy, which is the negative logarithm of the posterior up to a constant.

import { standardDeviation } from "../math/statistics.ts";
import { MatchCounter, type MotifLetter } from "./match-counter.ts";
import { multiplyByShares } from "./motif-model.ts";
import type { ProxyData } from "./proxy.ts";

/** Standard deviation of the noise that every model is allowed, relative to that of the scores. Without it the energy of
 * a perfect model would be −∞. */
const LEAST_NOISE = 0.05;

/** How well the product of shares explains the scores. */
export interface MotifFit {
  readonly energy: number;
  readonly base: number;
  readonly scale: number;
}

/** A motif in the middle of an annealing. Its letters stand in the order of their offsets from the anchor, the first at or
 * before it, the last at or after it. The anchor stays when letters come and go. */
export interface AnchoredMotif {
  readonly letters: readonly MotifLetter[];
  /** Matches at the best place of each string, [n]. */
  readonly best: Uint8Array;
}

/** A proposed change: a letter that goes, and one that comes. */
export interface MotifChange {
  readonly removed: MotifLetter | null;
  readonly added: MotifLetter | null;
}

export class MotifData {
  readonly count: number;
  readonly length: number;
  readonly tokens: number;
  readonly lengths: Int32Array;
  /** Indices of the strings, best first. */
  readonly order: readonly number[];
  readonly #counter: MatchCounter;
  /** The letters of each string, [n · L]. */
  readonly #letters: Uint16Array;
  readonly #scores: Float64Array;
  readonly #sum: number;
  readonly #sumOfSquares: number;
  /** The product of shares of each string while a model is fitted, [n]. */
  readonly #products: Float64Array;
  /** Memory for the matches of the next change, [n]. */
  #spare: Uint8Array;
  readonly #leastVariance: number;
  /** What a letter of a model must gain: the information that it takes to name it. */
  readonly #cost: number;
  /** Scores that are never negative are proportional to the product; others have a base. */
  readonly #hasBase: boolean;

  constructor({ strings, scores, tokens, length }: ProxyData) {
    this.count = strings.length;
    this.length = length;
    this.tokens = tokens;
    this.#counter = new MatchCounter(strings, tokens);
    this.#letters = new Uint16Array(this.count * length);
    strings.forEach((string, i) => {
      this.#letters.set(string, i * length);
    });
    this.lengths = Int32Array.from(strings, (string) => string.length);
    this.#scores = Float64Array.from(scores);
    this.#sum = this.#scores.reduce((total, score) => total + score, 0);
    this.#sumOfSquares = this.#scores.reduce((total, score) => total + score * score, 0);
    this.#products = new Float64Array(this.count);
    this.#spare = new Uint8Array(this.count);
    this.order = strings.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
    this.#leastVariance = Math.max((LEAST_NOISE * standardDeviation(this.#scores)) ** 2, Number.MIN_VALUE);
    this.#cost = Math.log(tokens);
    this.#hasBase = this.#scores.some((score) => score < 0);
  }

  letterAt(string: number, position: number): number {
    return this.#letters[string * this.length + position];
  }

  /** The energy of a model with so many letters that makes no error. */
  leastEnergy(letters: number): number {
    return (this.count / 2) * Math.log(this.#leastVariance) + this.#cost * letters;
  }

  /** A motif with these letters, whose anchor is the first of them. */
  anchored(letters: readonly MotifLetter[]): AnchoredMotif {
    const first = letters[0].offset;
    const best = new Uint8Array(this.count);
    this.#counter.count(letters, best);
    return { letters: letters.map(({ offset, letter }) => ({ offset: offset - first, letter })), best };
  }

  /** Best matches of a motif after a change that leaves it with these letters, [n], until the next change; and the motif
   * itself, which replaces the former one, whose memory is used again. */
  changed(
    motif: AnchoredMotif,
    { removed }: MotifChange,
    letters: readonly MotifLetter[],
  ): { readonly best: Uint8Array; motif(): AnchoredMotif } {
    const best = this.#spare;
    this.#counter.count(letters, best);
    return {
      best,
      motif: () => {
        this.#spare = motif.best;
        // Only a letter that goes can leave the anchor outside of the motif.
        return { letters: removed ? withAnchor(letters) : letters, best };
      },
    };
  }

  /** Least squares of the scores on the product of the shares, with the cost of all letters. */
  fit(best: readonly Uint8Array[], sizes: readonly number[], quantum: number): MotifFit {
    const { count } = this;
    const scores = this.#scores;
    const products = this.#products.fill(1);
    for (let m = 0; m < best.length; m++) multiplyByShares(products, best[m], sizes[m], quantum);
    const [sy, syy] = [this.#sum, this.#sumOfSquares];
    let [sp, spp, syp] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const p = products[i];
      sp += p;
      spp += p * p;
      syp += scores[i] * p;
    }
    let [base, scale] = [0, spp > 0 ? syp / spp : 0];
    if (this.#hasBase) {
      const spread = spp - (sp * sp) / count;
      scale = spread > 1e-12 ? (syp - (sp * sy) / count) / spread : 0;
      base = (sy - scale * sp) / count;
    }
    const explained = scale * scale * spp + 2 * base * scale * sp - 2 * scale * syp;
    const squares = Math.max(syy + count * base * base - 2 * base * sy + explained, 0);
    const letters = sizes.reduce((a, b) => a + b, 0);
    const energy = (count / 2) * Math.log(squares / count + this.#leastVariance) + this.#cost * letters;
    return { energy, base, scale };
  }
}

function withAnchor(letters: readonly MotifLetter[]): readonly MotifLetter[] {
  const first = letters[0].offset;
  if (first <= 0 && letters[letters.length - 1].offset >= 0) return letters;
  return letters.map(({ offset, letter }) => ({ offset: offset - first, letter }));
}
