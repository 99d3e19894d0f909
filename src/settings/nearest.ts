// Suggestions for unknown names: the most similar known name.

import { editDistance } from "../math/edit-distance.ts";

/** Largest number of edits between a misspelt name and the intended one. */
const MOST_EDITS = 3;

/** The known name that is most similar to an unknown one, or undefined. Case, dashes and underscores are ignored. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_ ]/g, "");
  const most = Math.min(MOST_EDITS, Math.ceil(plain(name).length / 3));
  // Skip names of very different length first: an unknown name from a file may have millions of letters.
  const candidates = names.filter(
    (known) => Math.abs(known.length - plain(name).length) <= most + MOST_EDITS,
  );
  return candidates
    .map((known) => ({ known, distance: edits(plain(name), plain(known)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)[0]?.known;
}

/** Edit distance in which a swap of two neighbouring letters counts as one edit. */
function edits(unknown: string, known: string): number {
  const swapped = Array.from({ length: Math.max(unknown.length - 1, 0) }, (_, i) =>
    editDistance(unknown.slice(0, i) + unknown[i + 1] + unknown[i] + unknown.slice(i + 2), known),
  );
  return Math.min(editDistance(unknown, known), 1 + Math.min(...swapped, Number.POSITIVE_INFINITY));
}
