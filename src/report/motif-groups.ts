// The motifs that the members of a proxy agree on: motifs of different members that share letters at the same distances
// form a group, in which each place has the letters that the members found there.

/** Letters at fixed distances: `offsets` ascend from 0. */
export interface MotifLetters {
  readonly offsets: readonly number[];
  readonly letters: readonly number[];
}

/** Similar motifs of different members. */
export interface MotifGroup {
  /** How many members have such a motif. */
  readonly members: number;
  /** How many of them have each letter at each place, [place][letter]; the first place has a letter. */
  readonly counts: readonly (readonly number[])[];
  /** The letters that most of them have. */
  readonly consensus: MotifLetters;
}

/** The groups of the motifs of all members, those of most members first. `tokens` is the number of letters. */
export function motifGroups(members: readonly (readonly MotifLetters[])[], tokens: number): MotifGroup[] {
  const left = members.map((motifs) => [...motifs]);
  const groups: MotifGroup[] = [];
  for (let seed = mostCommon(left); seed !== null; seed = mostCommon(left)) {
    const placed: Placed[] = [];
    for (const motifs of left) {
      const best = motifs
        .map((motif) => ({ motif, ...bestShift(motif, seed as MotifLetters) }))
        .reduce<Shifted | null>((a, b) => (a === null || b.shared > a.shared ? b : a), null);
      if (best === null || 2 * best.shared < Math.max(best.motif.letters.length, seed.letters.length))
        continue;
      motifs.splice(motifs.indexOf(best.motif), 1);
      placed.push(best);
    }
    groups.push(groupOf(placed, tokens));
  }
  return groups.sort((a, b) => b.members - a.members);
}

interface Placed {
  readonly motif: MotifLetters;
  readonly shift: number;
}

interface Shifted extends Placed {
  readonly shared: number;
}

/** The motif that most members have exactly; the first one with the most letters if there are several. */
function mostCommon(members: readonly (readonly MotifLetters[])[]): MotifLetters | null {
  const counts = new Map<string, { readonly motif: MotifLetters; count: number }>();
  for (const motif of members.flat()) {
    const key = JSON.stringify([motif.offsets, motif.letters]);
    const known = counts.get(key) ?? { motif, count: 0 };
    known.count++;
    counts.set(key, known);
  }
  const ranked = [...counts.values()].sort(
    (a, b) => b.count - a.count || b.motif.letters.length - a.motif.letters.length,
  );
  return ranked[0]?.motif ?? null;
}

/** Where a motif shares the most letters with another one; among equal shifts the smallest. */
function bestShift(
  motif: MotifLetters,
  other: MotifLetters,
): { readonly shift: number; readonly shared: number } {
  const at = new Map(other.offsets.map((offset, k) => [offset, other.letters[k]]));
  let best = { shift: 0, shared: 0 };
  for (const from of motif.offsets) {
    for (const to of other.offsets) {
      const shift = to - from;
      const shared = motif.offsets.filter((offset, k) => at.get(offset + shift) === motif.letters[k]).length;
      const isNearer = shared === best.shared && Math.abs(shift) < Math.abs(best.shift);
      if (shared > best.shared || isNearer) best = { shift, shared };
    }
  }
  return best;
}

function groupOf(placed: readonly Placed[], tokens: number): MotifGroup {
  const first = Math.min(...placed.map(({ shift }) => shift));
  const ends = placed.map(({ motif, shift }) => (motif.offsets.at(-1) as number) + shift - first);
  const counts = Array.from({ length: Math.max(...ends) + 1 }, () => Array.from({ length: tokens }, () => 0));
  for (const { motif, shift } of placed) {
    motif.offsets.forEach((offset, k) => {
      counts[offset + shift - first][motif.letters[k]]++;
    });
  }
  const most = counts.flatMap((row, place) => {
    const letter = row.indexOf(Math.max(...row));
    return 2 * row[letter] > placed.length ? [{ place, letter }] : [];
  });
  return {
    members: placed.length,
    counts,
    consensus: {
      offsets: most.map(({ place }) => place - most[0].place),
      letters: most.map(({ letter }) => letter),
    },
  };
}
