// The results of a sweep: a table of its settings, the best one with its spread over seeds, and a figure of the effect of
// each key.

import { basename, join } from "node:path";
import type { Comparison } from "../compare/comparison.ts";
import { COMPARISON_FILES, type ComparisonFolder } from "../compare/comparison-folder.ts";
import type { FailedExperiment } from "../compare/run-comparison.ts";
import { methodResultsOf, rowsCsv, summaryRows, timeRows } from "../compare/summary.ts";
import { dotChart } from "../report/dot-chart.ts";
import type { Page } from "../report/page.ts";
import { pageText } from "../report/page-file.ts";
import { markdownTable, plainTable, type Table } from "../report/tables.ts";
import { formatCount, formatCountOf, formatNumber } from "../report/text-format.ts";
import type { SweepPoint } from "./points.ts";
import { type PointScore, ranked, scoresOf } from "./scores.ts";
import { type Sweep, variationsOf } from "./sweep.ts";
import { METRICS } from "./sweep-kinds.ts";
import { isRange, type Variation } from "./variation.ts";

export interface SweepResults {
  /** Best first. */
  readonly scores: readonly PointScore[];
  readonly table: Table;
  /** The best setting as one sentence. */
  readonly best: string;
}

/** Rows of the table that the text shows; the files have all. */
const SHOWN_ROWS = 20;
/** Groups of values in the figure of a range. */
const RANGE_GROUPS = 5;

export interface SweepOutcome {
  readonly folder: ComparisonFolder;
  readonly comparison: Comparison;
  readonly sweep: Sweep;
  readonly points: readonly SweepPoint[];
  readonly failures: readonly FailedExperiment[];
  readonly taskLabel: string;
}

/** Writes tables, figures and the page. */
export async function writeSweepResults(outcome: SweepOutcome): Promise<SweepResults> {
  const { folder, comparison, sweep, points, failures } = outcome;
  const { finished } = await folder.readExperiments();
  const scores = ranked(scoresOf(points, finished, sweep.metric), sweep.metric);
  const table = tableOf(scores, sweep);
  const best = bestText(scores, sweep);
  const results = methodResultsOf(comparison, finished, failures);
  const valuesOf = new Map(points.map(({ method, values }) => [method, values]));
  const rows = summaryRows(results).map((row) => {
    const settings = Object.entries(valuesOf.get(String(row.method)) ?? {});
    return { ...row, ...Object.fromEntries(settings.map(([key, value]) => [`setting.${key}`, value])) };
  });
  const figures = variationsOf(sweep).map((variation) => ({
    name: `effect-${variation.key}`,
    svg: effectChart(scores, variation, sweep),
  }));
  await folder.writeResult(COMPARISON_FILES.csv, rowsCsv(rows));
  await folder.writeResult(COMPARISON_FILES.times, rowsCsv(timeRows(results)));
  await folder.writeResult(COMPARISON_FILES.markdown, `${markdownTable(table)}\n${best}\n`);
  const page = pageOf(outcome, { table, best, figures: figures.map(({ svg }) => svg) });
  await folder.writeResult(COMPARISON_FILES.page, pageText(page));
  for (const { name, svg } of figures) {
    await folder.writeResult(join(COMPARISON_FILES.figures, `${name}.svg`), `${svg}\n`);
  }
  return { scores, table, best };
}

/** The first rows of the table, and the best setting, as plain text. */
export function sweepResultsText({ table, best }: SweepResults): string {
  const hidden = table.rows.length - SHOWN_ROWS;
  const shown = plainTable({ ...table, rows: table.rows.slice(0, SHOWN_ROWS) });
  return [
    shown,
    ...(hidden > 0 ? [`… and ${hidden} more in ${COMPARISON_FILES.markdown}.`] : []),
    "",
    best,
  ].join("\n");
}

function tableOf(scores: readonly PointScore[], { metric, vary, method }: Sweep): Table {
  const keys = variationsOf({ method, vary }).map(({ key }) => key);
  return {
    columns: ["rank", ...keys, metric, "seeds", "calls"],
    rows: scores.map(({ values, seeds, calls }, i) => ({
      name: `${i + 1}`,
      cells: [
        ...keys.map((key) => values[key]),
        seeds.length === 0 ? "–" : { seeds },
        seeds.length,
        formatCount(calls),
      ],
    })),
  };
}

function bestText([best]: readonly PointScore[], { metric }: Sweep): string {
  if (!best || best.mean === null) return "No setting has a result.";
  const settings = Object.entries(best.values).map(([key, value]) => `${key}=${value}`);
  const spread =
    best.deviation === null
      ? "one seed"
      : `${formatNumber(Math.min(...best.seeds))} to ${formatNumber(Math.max(...best.seeds))} over ${best.seeds.length} seeds, standard deviation ${formatNumber(best.deviation)}`;
  const aim = METRICS[metric] === "least" ? "least" : "largest";
  return `Best: ${settings.join(", ")} with the ${aim} mean ${metric} of ${formatNumber(best.mean)} (${spread}).`;
}

/** One row per value of the key, with a dot for each setting that has it; a range is cut into groups. */
function effectChart(
  scores: readonly PointScore[],
  { key, values }: Variation,
  { metric, strategy }: Sweep,
): string {
  const measured = scores.filter(({ mean }) => mean !== null);
  const names = [...new Set(measured.map((score) => score.values[key]))];
  const isNumeric = isRange(values);
  const sorted = isNumeric ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
  const size = isNumeric ? Math.ceil(sorted.length / RANGE_GROUPS) : 1;
  const groups = [];
  for (let i = 0; i < sorted.length; i += Math.max(size, 1)) {
    const members = sorted.slice(i, i + size);
    const name = members.length > 1 ? `${members[0]} to ${members.at(-1)}` : members[0];
    const means = measured
      .filter((score) => members.includes(score.values[key]))
      .map(({ mean }) => mean as number);
    groups.push({ name: `${key} ${name}`, values: means });
  }
  return dotChart({
    title: `Effect of ${key}`,
    value: { label: metric, scale: "auto" },
    panels: [{ groups }],
    notes: [
      "Dot: mean over settings. Line: ± one standard deviation. Small dots: settings, each the mean over its seeds.",
      ...(strategy === "halving" ? ["Settings that ended early count by their last rung."] : []),
    ],
  });
}

function pageOf(
  { folder, comparison, sweep, points, taskLabel }: SweepOutcome,
  {
    table,
    best,
    figures,
  }: { readonly table: Table; readonly best: string; readonly figures: readonly string[] },
): Page {
  const { settings, seeds, calls, seconds } = comparison;
  const budget = calls === null ? `${seconds} seconds` : `${formatCount(calls)} oracle calls`;
  const early =
    sweep.strategy === "halving"
      ? " Successive halving ended the worse settings early; their metric is that of their last rung."
      : "";
  return {
    title: `Sweep ${basename(folder.path)}`,
    intro: `${settings.task}: ${taskLabel}\n\n${sweep.method} with ${formatCountOf(points.length, "setting")} of ${sweep.vary.join(", ")} (${sweep.strategy}), ${formatCountOf(seeds.length, "seed")} each, ${budget} per experiment.${early}`,
    sections: [
      { heading: "Best setting", text: best },
      { heading: "Effect of each key", figures },
      { heading: "Settings", tables: [table] },
    ],
  };
}
