// Chooses the strings of a round, so that no family of similar strings takes all places among the best. Some are chosen by their
// predicted means; for the others the searchers choose in turn, each its best string that is far from those chosen before.

import { boundedDistancesFrom, type DistanceName } from "../../math/bounded-distance.ts";
import { codesOf } from "../../math/edit-distance.ts";
import type { SearchedString } from "./conservative-search.ts";

export interface BatchOptions {
  readonly count: number;
  /** How many strings are chosen by their means. */
  readonly exploited: number;
  /** The best strings that have a score, best first. */
  readonly top: readonly { readonly string: string; readonly score: number }[];
  /** Strings within this distance belong to one family. */
  readonly family: number;
  /** Searchers choose strings that are farther apart than this. */
  readonly radius: number;
  readonly distance: DistanceName;
}

/** A family may have this share of the places among the best strings. */
const FAMILY_SHARE = 1 / 12;

/** A string that is among the best, or may be: its score, or its predicted mean. */
interface Rated {
  readonly codes: Int32Array;
  readonly score: number;
}

/** Up to `count` strings. */
export function chooseBatch(strings: readonly SearchedString[], options: BatchOptions): SearchedString[] {
  const best = options.top.map(({ string, score }): Rated => ({ codes: codesOf(string), score }));
  const exploited = bestOfFamilies(strings, best, options);
  return [...exploited, ...chosenInTurn(strings, best, exploited, options)];
}

/** How many strings of one family may be among the best. */
function mostOfFamily({ top }: BatchOptions): number {
  return Math.max(1, Math.round(FAMILY_SHARE * top.length));
}

/** Whether a family has all its places among the best, by strings that are at least as good. */
function isFull(
  codes: Int32Array,
  score: number,
  best: readonly Rated[],
  { family, distance, ...options }: BatchOptions,
): boolean {
  const most = mostOfFamily({ family, distance, ...options });
  const distanceTo = boundedDistancesFrom(codes, distance);
  let similar = 0;
  for (const other of best) {
    if (other.score >= score && distanceTo(other.codes, family) <= family) similar++;
    if (similar === most) return true;
  }
  return false;
}

/**
 * Up to `exploited` strings, those with the highest means first. A string is left out if it would not be among the best, or
 * if as many strings of its family as may be there are at least as good. The chosen strings are added to the best.
 */
function bestOfFamilies(
  strings: readonly SearchedString[],
  best: Rated[],
  options: BatchOptions,
): SearchedString[] {
  const least = best.length > 0 ? best[best.length - 1].score : Number.NEGATIVE_INFINITY;
  const chosen: SearchedString[] = [];
  for (const each of strings.toSorted((a, b) => b.mean - a.mean)) {
    if (chosen.length === options.exploited || each.mean <= least) break;
    const codes = codesOf(each.string);
    if (isFull(codes, each.mean, best, options)) continue;
    chosen.push(each);
    best.push({ codes, score: each.mean });
  }
  return chosen;
}

/**
 * Strings for the places that are left. Strings within `radius` of a chosen one are left out, and those of a family that has as
 * many strings among the best as it may, at least as good as the searcher expects this one to be. If there are too few others,
 * the radius shrinks by one; at last the families do not matter.
 */
function chosenInTurn(
  strings: readonly SearchedString[],
  best: Rated[],
  before: readonly SearchedString[],
  options: BatchOptions,
): SearchedString[] {
  if (strings.length === 0) return [];
  const { count, radius, distance } = options;
  const searchers = strings[0].values.length;
  const chosen: SearchedString[] = [];
  const codes = before.map(({ string }) => codesOf(string));
  const isChosen = new Set(before);
  // A single searcher is an acquisition function, which is not on the scale of scores.
  const expected = ({ values, mean }: SearchedString, searcher: number) =>
    searchers > 1 ? values[searcher] : mean;
  const isComplete = () => before.length + chosen.length >= count;
  const ranked = Array.from({ length: searchers }, (_, searcher) =>
    strings.toSorted((a, b) => b.values[searcher] - a.values[searcher]),
  );
  const passes = [
    ...Array.from({ length: radius + 1 }, (_, i) => ({ apart: radius - i, byFamily: true })),
    { apart: 0, byFamily: false },
  ];
  for (const { apart, byFamily } of passes) {
    const next = ranked.map(() => 0);
    let exhausted = 0;
    for (let turn = 0; !isComplete() && exhausted < searchers; turn++) {
      const own = ranked[turn % searchers];
      let i = next[turn % searchers];
      for (; i < own.length; i++) {
        if (isChosen.has(own[i])) continue;
        const code = codesOf(own[i].string);
        const distanceTo = boundedDistancesFrom(code, distance);
        if (apart > 0 && codes.some((other) => distanceTo(other, apart) <= apart)) continue;
        if (byFamily && isFull(code, expected(own[i], turn % searchers), best, options)) continue;
        chosen.push(own[i]);
        isChosen.add(own[i]);
        codes.push(code);
        best.push({ codes: code, score: expected(own[i], turn % searchers) });
        break;
      }
      exhausted = i === own.length ? exhausted + 1 : 0;
      next[turn % searchers] = i;
    }
  }
  return chosen;
}
