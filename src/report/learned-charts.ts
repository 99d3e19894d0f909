// What the scores of a design show: the effect of each letter at each position, pairs of positions that matter together, and
// the motifs of a proxy as logos.

import type { ColourScale } from "./colour-bar.ts";
import { differenceScale } from "./dynamics-chart.ts";
import { heatMap } from "./heat-map.ts";
import { FEWEST } from "./letter-effects.ts";
import { positionFrequencies } from "./letter-frequencies.ts";
import type { MotifGroup } from "./motif-groups.ts";
import { sequenceLogos } from "./sequence-logo.ts";

type Matrix = readonly (readonly (number | null)[])[];

/** Means by letter and position minus the mean of all, [letter][position]. */
export function letterEffectsChart({
  effects,
  tokens,
  scoreName = "score",
}: {
  readonly effects: Matrix;
  readonly tokens: readonly string[];
  readonly scoreName?: string;
}): string {
  return heatMap({
    title: `Mean ${scoreName} by letter and position`,
    rows: { label: "letter", names: tokens },
    columns: { label: "position", numbers: positions(effects[0]?.length ?? 0) },
    panels: [
      { values: effects, colours: differenceScale(effects.flat(), "difference from the mean of all") },
    ],
    ...{ perRow: 1, squares: false },
    notes: [`Of the scored strings with the letter at the position, minus the mean ${scoreName} of all.`],
    emptyNote: `Without a colour: fewer than ${FEWEST} scored strings have the letter there.`,
  });
}

/** Shares of the variance that pairs of positions explain, [position][position]. */
export function pairMap(shares: Matrix): string {
  const most = shares.flat().reduce((a: number, b) => Math.max(a, b ?? 0), 0);
  const colours: ColourScale = {
    ...{ palette: "sequential", label: "share of the variance", most: most || 1 },
  };
  const axis = { label: "position", numbers: positions(shares.length) };
  return heatMap({
    title: "Pairs of positions that matter together",
    ...{ rows: axis, columns: axis, panels: [{ values: shares, colours }], perRow: 1 },
    notes: [
      "The share of the variance of the scores that the letters of two positions explain beyond what each letter explains alone, corrected for the number of pairs of letters. Of many pairs, some have a small share by chance.",
    ],
    emptyNote: "Without a colour: a position with itself, or too few scored strings.",
  });
}

/** A logo of each group of motifs; letters are as high as members agree. */
export function motifLogos({
  groups,
  members,
  tokens,
}: {
  readonly groups: readonly MotifGroup[];
  readonly members: number;
  readonly tokens: readonly string[];
}): string {
  return sequenceLogos({
    title: "Motifs of the proxy",
    tokens,
    logos: groups.map((group, i) => ({
      title: `motif ${i + 1}: ${group.members} of ${members} members`,
      positions: group.counts.map((counts) => {
        const found = counts.reduce((a, b) => a + b, 0);
        const { fractions, bits } = positionFrequencies(
          counts.map((count) => (found > 0 ? count / found : 0)),
        );
        return { fractions, bits: (bits * found) / members, reached: 1 };
      }),
    })),
    notes: [
      "A letter on which all members agree has the full height; stacks are lower by the share of members without a letter there.",
    ],
  });
}

/** Positions from 1. */
function positions(length: number): number[] {
  return Array.from({ length }, (_, i) => i + 1);
}
