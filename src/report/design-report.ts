// The figures of a design: how the candidates were found, how far they are from known strings, and what they look like.
//
// Input is plain data, so that a page can be made from files of another version: values that are missing or not finite are
// omitted from figures.

import { compositionChart } from "./composition-chart.ts";
import {
  type CirclesMeasure,
  circlesChart,
  DISTANCE_NAMES,
  scoreDistanceChart,
  scoresChart,
} from "./design-charts.ts";
import type { Page, Section } from "./page.ts";
import { type ParetoReport, paretoCharts } from "./pareto-charts.ts";
import { type RoundsReport, roundsSections } from "./rounds-report.ts";
import { sequenceLogo } from "./sequence-logo.ts";
import type { Point } from "./series.ts";
import { settingsTable } from "./tables.ts";
import { formatCount, formatCountOf } from "./text-format.ts";

/** The content of the page. */
export interface DesignReport {
  /** Name of the problem. */
  readonly name: string;
  /** What was designed and by what it was scored, as sentences; an empty line starts a paragraph. */
  readonly intro: string;
  /** The tokens of the alphabet, by index. */
  readonly tokens: readonly string[];
  /** Name of the score on axes. Default: score. */
  readonly scoreName?: string;
  /** Whether high or low scores are good. Default: maximise. */
  readonly direction?: "maximise" | "minimise";
  readonly measure: CirclesMeasure;
  /** Oracle calls that were made, and how many were allowed; null if there was no budget. */
  readonly calls: number;
  readonly budget: number | null;
  /** The state after each round or batch, in order of calls. */
  readonly progress: readonly DesignProgress[];
  readonly candidates: readonly DesignCandidate[];
  /** Several objectives and their Pareto front. Default: one score. */
  readonly pareto?: ParetoReport;
  /** The rounds of active learning with all scored strings. Default: none. */
  readonly rounds?: Pick<RoundsReport, "rounds" | "scored">;
  /** Names and values of settings, in order. */
  readonly settings: readonly (readonly [string, unknown])[];
}

/** The state of a design after some oracle calls. */
export interface DesignProgress {
  readonly calls: number;
  readonly best: number;
  /** Mean score of the best k. */
  readonly topMean: number;
  readonly circles: number;
}

/** A proposed string. */
export interface DesignCandidate {
  /** The string as it is ordered. */
  readonly text: string;
  /** The string as token indices. */
  readonly letters: readonly number[];
  readonly score: number;
  /** Number of its circle, from 0; null if it was not visited. */
  readonly circle: number | null;
  /** Distance from the nearest known string; null if none is known. */
  readonly distanceToKnown: number | null;
}

/** The page. Its report also has the table of candidates, which is a view. */
export function designReport(report: DesignReport): Page {
  const { name, intro, settings, calls, budget, candidates, measure, rounds } = report;
  const { tokens, direction, scoreName } = report;
  const circles = new Set(candidates.flatMap(({ circle }) => circle ?? [])).size;
  const spent = budget === null ? "" : ` of ${formatCount(budget)} allowed`;
  const summary = `${formatCountOf(candidates.length, "candidate")} in ${formatCountOf(circles, "circle")} (${DISTANCE_NAMES[measure.distance]} greater than ${measure.radius}), from ${formatCountOf(calls, "oracle call")}${spent}.`;
  return {
    title: `Design ${name}`,
    intro: [intro, summary].filter((text) => text !== "").join("\n\n"),
    sections: [
      ...candidatesSections(report),
      ...(report.pareto
        ? [{ heading: "Objectives", text: report.pareto.summary, figures: paretoCharts(report.pareto) }]
        : []),
      ...(report.progress.length > 0 || settings.length > 0 ? [progressSection(report)] : []),
      ...(rounds ? roundsSections({ ...rounds, tokens, direction, scoreName }) : []),
      ...(candidates.length > 0 ? [stringsSection(report)] : []),
    ],
  };
}

/** The scores of the candidates against their distances, if there are known strings; the candidates themselves are a view. */
function candidatesSections({
  candidates,
  measure,
  direction = "maximise",
  scoreName = "score",
}: DesignReport): readonly Section[] {
  const heading = "Candidates";
  if (candidates.length === 0) return [{ heading, text: "There are no candidates yet." }];
  const sign = direction === "maximise" ? -1 : 1;
  const best = candidates.toSorted(
    (a, b) => sign * (a.score - b.score) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  );
  const seen = new Set<number>();
  const items = best.flatMap(({ score, distanceToKnown, circle }) => {
    const isCentre = circle !== null && !seen.has(circle);
    if (circle !== null) seen.add(circle);
    return distanceToKnown === null ? [] : [{ score, distance: distanceToKnown, isCentre }];
  });
  if (items.length === 0) return [];
  return [{ heading, figures: [scoreDistanceChart({ items, measure: measure.distance, scoreName })] }];
}

function progressSection({ progress, measure, scoreName, settings }: DesignReport): Section {
  const curve = (field: "best" | "topMean" | "circles"): Point[] =>
    progress.map((state) => ({ x: state.calls, y: state[field] }));
  return {
    heading: "Search",
    text: "Cached scores cost no call.",
    tables: settings.length > 0 ? [settingsTable(settings)] : [],
    figures:
      progress.length > 0
        ? [
            scoresChart({ best: curve("best"), topMean: curve("topMean"), top: measure.top, scoreName }),
            circlesChart({ curves: [{ name: "circles", points: curve("circles") }], measure }),
          ]
        : [],
  };
}

function stringsSection({ candidates, tokens }: DesignReport): Section {
  const strings = candidates.map(({ letters }) => letters);
  const notes = [`${formatCountOf(strings.length, "candidate")}.`];
  return {
    heading: "What the candidates look like",
    text: "A position where all candidates agree has the most information; one where all letters are equally frequent has none. Strings of different lengths are aligned at their start.",
    figures: [
      sequenceLogo({ title: "Sequence logo of the candidates", tokens, strings, notes }),
      compositionChart({ title: "Composition by position", tokens, strings, notes }),
    ],
  };
}
