// Candidates: a diverse choice of the best designs, with what one wants to know before ordering them.

import type { DistanceName } from "../math/bounded-distance.ts";
import { assignCircles, sortedByScore } from "../math/circles.ts";
import { nearestSequences } from "../math/nearest-sequence.ts";

/** A design with its score. */
export interface ScoredDesign {
  /** The string to order. */
  readonly string: string;
  /** The score of the oracle, or the mean of its measurements. */
  readonly score: number;
  /** Standard error of the score, if it is known. */
  readonly uncertainty?: number;
  /** With several objectives, the value of each. */
  readonly values?: readonly number[];
}

/** A design of the choice. */
export interface Candidate extends ScoredDesign {
  /** Position in the list, from 1 on: best score first. */
  readonly rank: number;
  /** The circle that it belongs to, from 1 on; circle 1 has the best design. */
  readonly circle: number;
  /** Whether it is the best design of its circle. */
  readonly isCentre: boolean;
  /** Distance to the nearest known string; null if none is known. */
  readonly distanceToKnown: number | null;
}

/** How candidates are chosen. */
export interface ChoiceOptions {
  /** Number of candidates. */
  readonly count: number;
  /** Designs farther apart than this are in different circles. */
  readonly radius: number;
  readonly distance: DistanceName;
  /** Whether high or low scores are good. */
  readonly goal: "maximise" | "minimise";
  /** Strings whose scores were known at the start. They are no candidates. */
  readonly known: readonly string[];
}

/** The centres of circles are looked for among this many times as many designs as are chosen, so that none is poor. */
const BREADTH = 10;

/**
 * Chooses designs. The best `10 · count` are visited in the order of their scores. The centres of their circles come
 * first, and if there are fewer circles than candidates, the best others fill the list. The list is sorted by score.
 */
export function chooseCandidates(designs: readonly ScoredDesign[], options: ChoiceOptions): Candidate[] {
  const { count, radius, distance, goal } = options;
  const known = new Set(options.known);
  const own = designs.filter(({ string }) => !known.has(string));
  const strings = own.map(({ string }) => string);
  const values = own.map(({ score }) => (goal === "minimise" ? -score : score));
  const best = sortedByScore(strings, values).slice(0, BREADTH * count);
  const { centres, circleOf } = assignCircles(strings, values, { top: best.length, radius, distance });
  const isCentre = new Set(centres);
  const others = best.filter((i) => !isCentre.has(i));
  const chosen = new Set([
    ...centres.slice(0, count),
    ...others.slice(0, Math.max(0, count - centres.length)),
  ]);
  const list = best.filter((i) => chosen.has(i));
  const nearest =
    known.size > 0
      ? nearestSequences(
          list.map((i) => strings[i]),
          [...known],
          distance,
        )
      : null;
  return list.map((i, position) => ({
    ...own[i],
    rank: position + 1,
    circle: circleOf[i] + 1,
    isCentre: isCentre.has(i),
    distanceToKnown: nearest ? nearest[position].distance : null,
  }));
}

/** The score that the best designs have on average. */
export function meanOfBest(scores: readonly number[], count: number, goal: ChoiceOptions["goal"]): number {
  const sign = goal === "minimise" ? -1 : 1;
  const best = scores.toSorted((a, b) => sign * (b - a)).slice(0, count);
  return best.reduce((sum, score) => sum + score, 0) / best.length;
}
