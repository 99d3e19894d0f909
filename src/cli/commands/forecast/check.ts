// `gflownet forecast check`: what a file holds, and what is odd about it.

import { writtenTime } from "../../../forecast/data/index.ts";
import { type Decomposition, decompose } from "../../../forecast/decompose.ts";
import type { Panel, Series } from "../../../forecast/types.ts";
import { count, countOf, figure, textTable } from "../../../report/text-table.ts";
import { writeFileAtomically } from "../../../run/atomic-file.ts";
import { printJson } from "../../output.ts";
import { csvText, type Value } from "./csv.ts";
import { dataFlagsOf } from "./data-flags.ts";
import { checkPlaces } from "./places.ts";
import { describe, readSource } from "./source.ts";
import { type Printing, say, working } from "./working.ts";

export interface CheckCommand extends Printing {
  readonly demo?: boolean;
  readonly parts?: string;
}

/** Series that are taken apart unasked, and rows of one at most: it takes its time. */
const [SHOWN, LONGEST] = [5, 20_000];

export async function check(file: string | undefined, command: CheckCommand): Promise<void> {
  await working(async (signal) => {
    const source = await readSource(file, dataFlagsOf({ ...command }), command.demo);
    await checkPlaces({ "--parts": command.parts }, source.path);
    signal.throwIfAborted();
    const { panel } = source;
    const description = describe(source);
    const strengths = strengthsOf(panel);
    if (command.parts !== undefined) await writeFileAtomically(command.parts, partsCsv(panel));
    if (command.json) printJson({ ...description, strengths });
    const { series, rows, targets, from, to, frequency, season, shortest, longest } = description;
    const facts: [string, string][] = [
      ["series", count(series)],
      ["rows", count(rows)],
      ["targets", targets.join(", ")],
      ["times", `${from} to ${to}`],
      ["step", frequency ?? "irregular"],
      ["season", season === 1 ? "none" : `${count(season)} steps`],
      ["steps", shortest === longest ? count(longest) : `${count(shortest)} to ${count(longest)}`],
      [
        "missing",
        `${countOf(description.missing, "value")} (${(100 * description.missingShare).toFixed(1)} %), ` +
          `longest gap ${count(description.longestGap)}`,
      ],
      ...(description.future > 0 ? [["rows ahead", count(description.future)] as [string, string]] : []),
    ];
    const width = Math.max(...facts.map(([name]) => name.length));
    say(
      command,
      `${source.name}\n${facts.map(([name, fact]) => `  ${name.padEnd(width)}  ${fact}`).join("\n")}`,
    );
    if (description.covariates.length > 0) say(command, `\n${covariateTable(description.covariates)}`);
    if (strengths.length > 0) say(command, `\n${strengthTable(strengths, season)}`);
    for (const { series, notes = [] } of strengths) {
      for (const note of notes) say(command, `Series ${JSON.stringify(series)}: ${note}.`);
    }
    for (const warning of description.warnings) say(command, `\n${warning}`);
    if (command.parts !== undefined) say(command, `\nTrend, seasons and rest are in ${command.parts}.`);
  });
}

/** How much of a series its trend and its season are: from 0, nothing, to 1, everything. */
interface Strength {
  readonly series: string;
  readonly target: string;
  readonly trend: number | null;
  readonly season: number | null;
  /** Why one of them is not told. */
  readonly notes?: readonly string[];
}

function strengthsOf(panel: Panel): Strength[] {
  const short = panel.series.filter(({ times }) => times.length <= LONGEST).slice(0, SHOWN);
  return short.flatMap((one) =>
    partsOf(panel, one).map(({ target, parts }) => ({
      series: one.id,
      target,
      trend: parts.trendStrength,
      season: parts.seasons[0]?.strength ?? null,
      ...(parts.notes.length > 0 && { notes: parts.notes }),
    })),
  );
}

/** Each target of a series taken apart, those that are never there left out. */
export function partsOf(
  { targets, season }: Panel,
  series: Series,
): readonly { readonly target: string; readonly values: Float64Array; readonly parts: Decomposition }[] {
  return targets.flatMap((target, j) => {
    const values = series.targets[j];
    return values.some(Number.isFinite) ? [{ target, values, parts: decompose(values, [season]) }] : [];
  });
}

function partsCsv(panel: Panel): string {
  const rows = panel.series.flatMap((series) =>
    partsOf(panel, series).flatMap(({ target, values, parts }) =>
      Array.from(values, (y, t): Record<string, Value> => {
        const season = parts.seasons[0]?.values[t] ?? 0;
        const [trend, residual] = [parts.trend[t], parts.residual[t]];
        return {
          unique_id: series.id,
          target,
          ds: writtenTime(series.times[t], panel.frequency),
          y,
          trend,
          season,
          residual,
        };
      }),
    ),
  );
  const heads = panel.targets.length > 1 ? ["unique_id", "target"] : ["unique_id"];
  return csvText([...heads, "ds", "y", "trend", "season", "residual"], rows);
}

function strengthTable(strengths: readonly Strength[], season: number): string {
  const rows = strengths.map(({ series, target, trend, season: strength }) => [
    ...[series, target, figure(trend), figure(strength)],
  ]);
  return textTable([
    ["series", "target", "strength of trend", season > 1 ? `of the season of ${season}` : "of a season"],
    ...rows,
  ]);
}

function covariateTable(covariates: ReturnType<typeof describe>["covariates"]): string {
  const rows = covariates.map(({ name, kind, role, levels, missing }) => [
    ...[name, kind, role, levels === null ? "–" : count(levels), count(missing)],
  ]);
  return textTable([["column", "kind", "known", "levels", "missing"], ...rows]);
}
