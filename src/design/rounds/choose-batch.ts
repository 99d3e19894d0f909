// Chooses the strings of a round: the searchers choose in turn, each its best string that is far from those chosen before.

import { boundedDistancesFrom, type DistanceName } from "../../math/bounded-distance.ts";
import { codesOf } from "../../math/edit-distance.ts";
import type { SearchedString } from "./conservative-search.ts";

/**
 * Up to `count` strings. Strings within `radius` of a chosen one are left out, unless there are too few others; then the
 * radius shrinks by one.
 */
export function chooseBatch(
  strings: readonly SearchedString[],
  {
    count,
    radius,
    distance,
  }: { readonly count: number; readonly radius: number; readonly distance: DistanceName },
): SearchedString[] {
  if (strings.length === 0) return [];
  const searchers = strings[0].values.length;
  const chosen: SearchedString[] = [];
  const codes: Int32Array[] = [];
  const isChosen = new Set<SearchedString>();
  const ranked = Array.from({ length: searchers }, (_, searcher) =>
    strings.toSorted((a, b) => b.values[searcher] - a.values[searcher]),
  );
  for (let apart = radius; apart >= 0 && chosen.length < count; apart--) {
    const next = ranked.map(() => 0);
    let exhausted = 0;
    for (let turn = 0; chosen.length < count && exhausted < searchers; turn++) {
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
