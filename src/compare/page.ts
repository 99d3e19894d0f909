// A comparison as a page: tables first, then figures, then what it was told.

import type { Page, Section } from "../report/page.ts";
import { count, duration } from "../report/text-table.ts";
import type { Comparison } from "./comparison.ts";
import type { Figure, Figures } from "./figures.ts";
import { aboutMethod } from "./method-names.ts";
import { type Outcome, summaryNotes, summaryTables } from "./summary.ts";

export interface PageContents {
  /** What the comparison is called, as the name of its folder. */
  readonly name: string;
  readonly comparison: Comparison;
  readonly outcomes: readonly Outcome[];
  readonly figures: Figures;
  /** What the scores really are, in a few words. */
  readonly scores: string;
}

export function comparisonPage({ name, comparison, outcomes, figures, scores }: PageContents): Page {
  const { modes, distances, best, entropyRatio, dynamics } = figures;
  const sections: readonly (Section & { readonly figures: readonly string[] })[] = [
    {
      heading: "Modes found",
      text: "Every object that a method asks the oracle for is one call, objects that it was given included.",
      figures: svgs(modes),
    },
    {
      heading: "Distance from the target",
      text: "Exact, by dynamic programming under the environment's noise. The limit is the best that any policy reaches; methods whose law is not known are left out.",
      figures: svgs(distances),
    },
    { heading: "The best objects", figures: svgs(best) },
    {
      heading: "Entropy ratio",
      text: "Mean over the steps of all batches since the point before. 1 draws from the policy itself, more is flatter.",
      figures: svgs(entropyRatio),
    },
    {
      heading: "Learned dynamics",
      text: "Cross-entropy of the dynamics model on what was drawn. Its floor is the entropy of the environment's noise where the policies go at the end.",
      figures: svgs(dynamics),
    },
  ];
  return {
    title: `Comparison ${name}`,
    intro: introOf(comparison, outcomes, scores),
    sections: [
      { heading: "Results", text: summaryNotes(outcomes), tables: summaryTables(outcomes) },
      ...sections.filter((section) => section.figures.length > 0),
      { heading: "Methods", tables: [methodsTable(comparison)] },
      { heading: "Settings", tables: [settingsTable(comparison)] },
    ],
  };
}

function introOf(
  { calls, seconds, seeds, settings, onPolicy, methods, sticks }: Comparison,
  outcomes: readonly Outcome[],
  scores: string,
): string {
  const budget = calls === null ? duration(seconds ?? 0) : `${count(calls)} oracle calls`;
  const ended = outcomes.reduce((sum, { last }) => sum + last.length, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  const all = methods.length * sticks.length * seeds.length;
  return [
    `${settings.task}, reward exponent ${settings.rewardExponent}: ${scores}.`,
    [
      `${several(methods.length, "method")} under ${several(sticks.length, "level")} of noise, ${several(seeds.length, "seed")} each, ${budget} per cell.`,
      onPolicy ? "Learned methods draw all of their episodes themselves." : "",
      failed > 0 ? `${failed} of ${all} cells failed.` : "",
      ended + failed < all ? `${all - ended - failed} of ${all} cells were not run yet.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  ].join("\n\n");
}

function methodsTable({ methods }: Comparison) {
  return {
    columns: ["method", "what it is"],
    rows: methods.map((method) => ({
      name: method,
      cells: [aboutMethod(method)],
    })),
  };
}

function settingsTable({ settings, ...rest }: Comparison) {
  return {
    columns: ["setting", "value"],
    rows: Object.entries({ ...rest, ...settings })
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => ({
        name,
        cells: [typeof value === "string" ? value : JSON.stringify(value)],
      })),
  };
}

function several(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}

function svgs(figures: readonly Figure[]): string[] {
  return figures.map(({ svg }) => svg);
}
