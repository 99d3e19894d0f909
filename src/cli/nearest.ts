// What somebody may have meant who typed a name that does not exist.

import { editDistance } from "../gfn/evaluate/diversity.ts";

/** Changes of letters after which a name is no longer the same name with a slip. */
const MOST_SLIPS = 3;

/** The name that a wrong one is nearest to, if it is near; capitals and dashes do not count. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_ ]/g, "");
  const most = Math.min(MOST_SLIPS, Math.ceil(plain(name).length / 3));
  // Names out of a file may have millions of letters.
  const alike = names.filter((known) => Math.abs(known.length - plain(name).length) <= most + MOST_SLIPS);
  const near = alike.map((known) => ({ known, distance: slips(plain(name), plain(known)) }));
  return near.filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance)[0]?.known;
}

/** Letters changed, added, left out, or two neighbours swapped. */
function slips(typed: string, meant: string): number {
  const swapped = Array.from({ length: Math.max(typed.length - 1, 0) }, (_, i) =>
    editDistance(typed.slice(0, i) + typed[i + 1] + typed[i] + typed.slice(i + 2), meant),
  );
  return Math.min(editDistance(typed, meant), 1 + Math.min(...swapped, Number.POSITIVE_INFINITY));
}
