// The section about what was learned: the motifs of the proxy, and maps of the scored strings.

import { mean } from "../math/statistics.ts";
import { bestMatch } from "../proxy/motif-model.ts";
import { letterEffectsChart, motifLogos, pairMap } from "./learned-charts.ts";
import { letterEffects, pairShares } from "./letter-effects.ts";
import { type MotifGroup, type MotifLetters, motifGroups } from "./motif-groups.ts";
import type { Section } from "./page.ts";
import type { RoundsReport } from "./rounds-report.ts";
import type { Table } from "./tables.ts";
import { formatCount } from "./text-format.ts";

/** Fewest scored strings for maps, and the longest strings of a map of pairs. */
const [FEWEST_SCORED, LONGEST_PAIRS] = [16, 64];
/** Rows of the tables of pairs and motifs. */
const [MOST_PAIRS, MOST_MOTIFS] = [10, 8];

/** The section; none if there are few scores and no motifs. */
export function learnedSections(report: RoundsReport): Section[] {
  const { scored, tokens, scoreName } = report;
  const motifs = believedMotifs(report);
  if (scored.length < FEWEST_SCORED && motifs === null) return [];
  const length = scored.reduce((most, { letters }) => Math.max(most, letters.length), 0);
  const isEnough = scored.length >= FEWEST_SCORED;
  const shares = isEnough && length <= LONGEST_PAIRS ? pairShares(scored, tokens.length) : null;
  return [
    {
      heading: "What was learned",
      text: `The maps describe the ${formatCount(scored.length)} scored strings and not the proxy. A design chooses its strings, so letters that often occur together share their effects.${motifs ? " The motifs are those of the members of the proxy, each of which was fitted without another part of the strings." : ""}`,
      tables: [
        ...(motifs ? [motifTable(motifs.groups.slice(0, MOST_MOTIFS), report, motifs.members)] : []),
        ...(shares ? pairTables(shares) : []),
      ],
      figures: [
        ...(motifs
          ? [motifLogos({ groups: motifs.groups.slice(0, MOST_MOTIFS), members: motifs.members, tokens })]
          : []),
        ...(isEnough
          ? [letterEffectsChart({ effects: letterEffects(scored, tokens.length), tokens, scoreName })]
          : []),
        ...(shares ? [pairMap(shares)] : []),
      ],
    },
  ];
}

/** The motifs of the last round, if its motif products are believed. */
function believedMotifs({
  rounds,
  tokens,
}: RoundsReport): { readonly groups: readonly MotifGroup[]; readonly members: number } | null {
  const last = rounds[rounds.length - 1];
  if (!last.motifs || !last.tried.some(({ name, isBelieved }) => name === "motifs" && isBelieved))
    return null;
  return {
    groups: motifGroups(
      last.motifs.map(({ motifs }) => motifs),
      tokens.length,
    ),
    members: last.motifs.length,
  };
}

/** Motifs with the number of members that have them, and the scores of strings with all their letters. */
export function motifTable(
  groups: readonly MotifGroup[],
  { tokens, scored }: Pick<RoundsReport, "tokens" | "scored">,
  members: number,
): Table {
  return {
    columns: [
      "motif",
      "letters",
      "members",
      "strings that have it",
      "their mean score",
      "mean of the others",
    ],
    rows: groups.map(({ consensus, members: own }, i) => {
      const has = scored.filter(({ letters }) => bestMatch(consensus, letters) === consensus.letters.length);
      const others = scored.filter((each) => !has.includes(each));
      return {
        name: String(i + 1),
        cells: [
          motifText(consensus, tokens),
          `${own} of ${members}`,
          has.length,
          ...[has, others].map((some) => (some.length === 0 ? null : mean(some.map(({ score }) => score)))),
        ],
      };
    }),
  };
}

/** The letters with a dot for each letter that does not matter, such as "A··C". */
function motifText({ offsets, letters }: MotifLetters, tokens: readonly string[]): string {
  return letters
    .map((letter, k) => "·".repeat(k === 0 ? 0 : offsets[k] - offsets[k - 1] - 1) + tokens[letter])
    .join("");
}

/** The strongest pairs of positions, if there are any. */
function pairTables(shares: readonly (readonly (number | null)[])[]): Table[] {
  const pairs = shares
    .flatMap((row, i) => row.flatMap((share, j) => (j < i && share ? [{ i, j, share }] : [])))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_PAIRS);
  if (pairs.length === 0) return [];
  return [
    {
      columns: ["pair of positions", "share of the variance"],
      rows: pairs.map(({ i, j, share }) => ({ name: `${j + 1} and ${i + 1}`, cells: [share] })),
    },
  ];
}
