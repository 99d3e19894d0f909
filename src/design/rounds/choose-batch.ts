// Chooses the strings of a round. Some are chosen by their predicted means, but so that no family of similar strings takes all
// places among the best; for the others the searchers choose in turn, each its best string that is far from those chosen
// before.

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
const FAMILY_SHARE = 1 / 8;

/** Up to `count` strings. */
export function chooseBatch(strings: readonly SearchedString[], options: BatchOptions): SearchedString[] {
  const exploited = bestOfFamilies(strings, options);
  return [...exploited, ...chosenInTurn(strings, exploited, options)];
}

/**
 * Up to `exploited` strings, those with the highest means first. A string is left out if it would not be among the best, or
 * if as many strings of its family as may be there are at least as good.
 */
function bestOfFamilies(
  strings: readonly SearchedString[],
  { exploited, top, family, distance }: BatchOptions,
): SearchedString[] {
  const most = Math.max(1, Math.round(FAMILY_SHARE * top.length));
  const least = top.length > 0 ? top[top.length - 1].score : Number.NEGATIVE_INFINITY;
  const better = top.map(({ string, score }) => ({ codes: codesOf(string), score }));
  const chosen: SearchedString[] = [];
  for (const each of strings.toSorted((a, b) => b.mean - a.mean)) {
    if (chosen.length === exploited || each.mean <= least) break;
    const codes = codesOf(each.string);
    const distanceTo = boundedDistancesFrom(codes, distance);
    let similar = 0;
    for (const other of better) {
      if (other.score >= each.mean && distanceTo(other.codes, family) <= family) similar++;
      if (similar === most) break;
    }
    if (similar === most) continue;
    chosen.push(each);
    better.push({ codes, score: each.mean });
  }
  return chosen;
}

/**
 * Strings for the places that are left. Strings within `radius` of a chosen one are left out, unless there are too few others;
 * then the radius shrinks by one.
 */
function chosenInTurn(
  strings: readonly SearchedString[],
  before: readonly SearchedString[],
  { count, radius, distance }: BatchOptions,
): SearchedString[] {
  if (strings.length === 0) return [];
  const searchers = strings[0].values.length;
  const chosen: SearchedString[] = [];
  const codes = before.map(({ string }) => codesOf(string));
  const isChosen = new Set(before);
  const isFull = () => before.length + chosen.length >= count;
  const ranked = Array.from({ length: searchers }, (_, searcher) =>
    strings.toSorted((a, b) => b.values[searcher] - a.values[searcher]),
  );
  for (let apart = radius; apart >= 0 && !isFull(); apart--) {
    const next = ranked.map(() => 0);
    let exhausted = 0;
    for (let turn = 0; !isFull() && exhausted < searchers; turn++) {
      const own = ranked[turn % searchers];
      let i = next[turn % searchers];
      for (; i < own.length; i++) {
        if (isChosen.has(own[i])) continue;
        const code = codesOf(own[i].string);
        const distanceTo = boundedDistancesFrom(code, distance);
        if (apart > 0 && codes.some((other) => distanceTo(other, apart) <= apart)) continue;
        chosen.push(own[i]);
        isChosen.add(own[i]);
        codes.push(code);
        break;
      }
      exhausted = i === own.length ? exhausted + 1 : 0;
      next[turn % searchers] = i;
    }
  }
  return chosen;
}
