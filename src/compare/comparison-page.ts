// The tables and figures of a comparison that its report shows beside the curves of its experiments.

import type { Page, Section } from "../report/page.ts";
import { formatCount, formatCountOf, formatDuration } from "../report/text-format.ts";
import { type Comparison, noiseLevels } from "./comparison.ts";
import type { Figure, Figures } from "./figures.ts";
import { describeMethod } from "./method-names.ts";
import { parseMethod } from "./method-text.ts";
import { type MethodResult, summaryNotes, summaryTables } from "./summary.ts";

export interface ComparisonPageContents {
  /** Name of the comparison, for example the name of its folder. */
  readonly name: string;
  readonly comparison: Comparison;
  readonly results: readonly MethodResult[];
  readonly figures: Figures;
  /** Short description of the source of the scores. */
  readonly scores: string;
}

export function comparisonPage({ name, comparison, results, figures, scores }: ComparisonPageContents): Page {
  const { modes, distances, best, entropyRatio, dynamics } = figures;
  const sections: readonly (Section & { readonly figures: readonly string[] })[] = [
    {
      heading: "Modes found",
      text: "Modes among the objects that the method sampled itself. Every scored object is one oracle call, including the objects of off-policy rows, which are not counted here.",
      figures: svgs(modes),
    },
    {
      heading: "Distance from the target",
      text: "Exact, by dynamic programming under the noise of the environment. The limit is the best that any policy can reach. Methods whose distribution is unknown are omitted.",
      figures: svgs(distances),
    },
    { heading: "Best objects", figures: svgs(best) },
    {
      heading: "Entropy ratio",
      text: "Mean over the steps of all batches since the previous point. At 1 the behaviour policy is the policy; above 1 it is flatter.",
      figures: svgs(entropyRatio),
    },
    {
      heading: "Learned dynamics",
      text: "Cross-entropy of the dynamics model on sampled steps. Its floor is the entropy of the noise in the states that the final policies visit.",
      figures: svgs(dynamics),
    },
  ];
  return {
    title: `Comparison ${name}`,
    intro: introOf(comparison, results, scores),
    sections: [
      { heading: "Results", text: summaryNotes(results), tables: summaryTables(results) },
      ...sections.filter((section) => section.figures.length > 0),
      { heading: "Methods", tables: [methodsTable(comparison)] },
    ],
  };
}

function introOf(
  { calls, seconds, seeds, settings, onPolicy, methods, sticks }: Comparison,
  results: readonly MethodResult[],
  scores: string,
): string {
  const budget = calls === null ? formatDuration(seconds ?? 0) : `${formatCount(calls)} oracle calls`;
  const finished = results.reduce((sum, { finalRecords }) => sum + finalRecords.length, 0);
  const failed = results.reduce((sum, { failedSeeds }) => sum + failedSeeds, 0);
  const all = methods.length * sticks.length * seeds.length;
  return [
    `${settings.task}, reward exponent ${settings.rewardExponent}: ${scores}.`,
    [
      `${[formatCountOf(methods.length, "method"), ...noiseLevels(sticks)].join(" at ")}, ${formatCountOf(seeds.length, "seed")} each, ${budget} per experiment.`,
      onPolicy ? "Learned methods are trained on-policy." : "",
      failed > 0 ? `${failed} of ${all} experiments failed.` : "",
      finished + failed < all ? `${all - finished - failed} of ${all} experiments have not run yet.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  ].join("\n\n");
}

function methodsTable({ methods }: Comparison) {
  return {
    columns: ["method", "description"],
    rows: methods.map((method) => ({
      name: method,
      cells: [describeMethod(parseMethod(method))],
    })),
  };
}

function svgs(figures: readonly Figure[]): string[] {
  return figures.map(({ svg }) => svg);
}
