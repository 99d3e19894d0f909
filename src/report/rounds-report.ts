// The sections about the rounds of a design: what each round did, how good its predictions were, what the scores show, and
// the strings that wait for scores.

import { mean } from "../math/statistics.ts";
import { intervalChart, isHeld, type ScoredInterval } from "./interval-chart.ts";
import { learnedSections } from "./learned-report.ts";
import type { ScoredLetters } from "./letter-effects.ts";
import type { MotifLetters } from "./motif-groups.ts";
import type { Section } from "./page.ts";
import type { Table } from "./tables.ts";
import { formatCount, formatCountOf } from "./text-format.ts";

/** A round as its file keeps it. */
export interface ReportedRound {
  readonly proposals: readonly {
    readonly string: string;
    readonly prediction: { readonly mean: number; readonly low: number; readonly high: number } | null;
  }[];
  readonly tried: readonly {
    readonly name: string;
    readonly error: number;
    /** Share of the variance of the scores that out-of-fold predictions explain. */
    readonly explained: number;
    readonly isBelieved: boolean;
  }[];
  readonly proxy: string | null;
  readonly proxyCalls: number;
  readonly motifs: readonly { readonly motifs: readonly MotifLetters[] }[] | null;
}

/** The rounds of a design, with all scored strings. */
export interface RoundsReport {
  readonly tokens: readonly string[];
  readonly direction?: "maximise" | "minimise";
  readonly scoreName?: string;
  readonly rounds: readonly ReportedRound[];
  readonly scored: readonly (ScoredLetters & { readonly text: string })[];
}

/** Predictions of the figure, the latest ones. */
const MOST_PREDICTIONS = 200;

/** All sections; none without rounds. */
export function roundsSections(report: RoundsReport): Section[] {
  if (report.rounds.length === 0) return [];
  return [...plateSections(report), roundsSection(report), ...learnedSections(report)];
}

function roundsSection(report: RoundsReport): Section {
  const predictions = scoredIntervals(report);
  const shown = predictions.slice(-MOST_PREDICTIONS);
  const held = predictions.filter(isHeld).length;
  return {
    heading: "Rounds",
    text:
      predictions.length === 0
        ? "No string was predicted before it was scored."
        : `Each string of a round was predicted before it was scored. The 80 % intervals held ${formatCount(held)} of ${formatCountOf(predictions.length, "score")}, which is ${Math.round((100 * held) / predictions.length)} %. A proxy explains the given share of the variance of scores that its members were fitted without; the believed ones come first.`,
    tables: [roundsTable(report)],
    figures:
      shown.length === 0
        ? []
        : [
            intervalChart({
              title: "Predicted against measured scores",
              predictions: shown,
              scoreName: report.scoreName,
              notes: [
                shown.length < predictions.length
                  ? `The latest ${formatCount(shown.length)} of ${formatCount(predictions.length)} predictions.`
                  : `All ${formatCountOf(shown.length, "prediction")} of strings that were scored later.`,
              ],
            }),
          ],
  };
}

/** One row for each round. */
export function roundsTable({ rounds, scored, direction = "maximise" }: RoundsReport): Table {
  const scoreOf = new Map(scored.map(({ text, score }) => [text, score]));
  const best = direction === "maximise" ? Math.max : Math.min;
  return {
    columns: [
      ...["round", "strings", "scored", "believed proxies", "explained", "other proxies"],
      ...["intervals held", "proxy calls", "best", "mean"],
    ],
    rows: rounds.map(({ proposals, tried, proxyCalls }, i) => {
      const scores = proposals.flatMap(({ string }) => scoreOf.get(string) ?? []);
      const ranked = tried.toSorted((a, b) => a.error - b.error);
      const believed = ranked.filter(({ isBelieved }) => isBelieved);
      const others = ranked.filter(({ isBelieved }) => !isBelieved);
      const intervals = scoredIntervals({ rounds: [rounds[i]], scored });
      return {
        name: String(i + 1),
        cells: [
          ...[proposals.length, scores.length],
          tried.length === 0 ? "none: uniformly drawn" : believed.map(({ name }) => name).join(", "),
          believed.map(({ explained }) => percent(explained)).join(", "),
          others.map(({ name, explained }) => `${name} ${percent(explained)}`).join(", "),
          intervals.length === 0 ? "" : `${intervals.filter(isHeld).length} of ${intervals.length}`,
          proxyCalls,
          ...(scores.length === 0 ? [null, null] : [scores.reduce((a, b) => best(a, b)), mean(scores)]),
        ],
      };
    }),
  };
}

/** A share as text; a proxy that is worse than the mean of all scores explains nothing. */
function percent(share: number): string {
  return `${Math.round(100 * Math.max(share, 0))} %`;
}

/** The predictions whose scores are known, in the order in which they were made. */
function scoredIntervals({ rounds, scored }: Pick<RoundsReport, "rounds" | "scored">): ScoredInterval[] {
  const scoreOf = new Map(scored.map(({ text, score }) => [text, score]));
  return rounds.flatMap(({ proposals }) =>
    proposals.flatMap(({ string, prediction }) => {
      const score = scoreOf.get(string);
      return prediction === null || score === undefined ? [] : [{ ...prediction, score }];
    }),
  );
}

/** The strings of the last round that have no score. */
function plateSections({ rounds, scored }: RoundsReport): Section[] {
  const known = new Set(scored.map(({ text }) => text));
  const open = rounds[rounds.length - 1].proposals.filter(({ string }) => !known.has(string));
  if (open.length === 0) return [];
  return [
    {
      heading: "The plate to order next",
      text: `${formatCountOf(open.length, "string")} of the last round without a score. Intervals should hold 80 % of the scores.`,
      tables: [
        {
          columns: ["string", "predicted score", "predicted low", "predicted high"],
          rows: open.map(({ string, prediction }) => ({
            name: string,
            cells: [prediction?.mean ?? null, prediction?.low ?? null, prediction?.high ?? null],
          })),
        },
      ],
    },
  ];
}
