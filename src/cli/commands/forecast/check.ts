// `gflownet forecast check`: describes a file of time series and warns about problems.

import { writeFileAtomically } from "../../../disk/atomic-file.ts";
import type { TableDescription } from "../../../forecast/data/describe-table.ts";
import { describePanelFile } from "../../../forecast/data/panel-file.ts";
import { seasonsText } from "../../../forecast/data/seasons.ts";
import {
  type DecompositionStrength,
  decompositionCsv,
  decompositionStrengths,
} from "../../../forecast/report/decomposition-report.ts";
import { formatCount, formatCountOf, formatNumber, textTable } from "../../../report/text-format.ts";
import { printJson } from "../../output.ts";
import { type DataCommand, readData } from "./command-data.ts";
import { checkOutputFiles } from "./output-files.ts";
import { print, runCommand } from "./run-command.ts";

export interface CheckCommand extends DataCommand {
  readonly parts?: string;
}

export async function check(path: string | undefined, command: CheckCommand): Promise<void> {
  await runCommand(async (signal) => {
    const file = await readData(path, command, signal);
    const { parts } = command;
    await checkOutputFiles({ parts }, file.path);
    signal.throwIfAborted();
    const description = describePanelFile(file);
    const strengths = decompositionStrengths(file.panel);
    if (parts !== undefined) await writeFileAtomically(parts, decompositionCsv(file.panel));
    if (command.json) printJson({ ...description, strengths });
    print(command, `${file.name}\n${factLines(description)}`);
    if (description.covariates.length > 0) print(command, `\n${covariateTable(description)}`);
    if (strengths.length > 0) print(command, `\n${strengthTable(strengths, description.season)}`);
    for (const { series, notes = [] } of strengths) {
      for (const note of notes) print(command, `Series ${JSON.stringify(series)}: ${note}.`);
    }
    for (const warning of description.warnings) print(command, `\n${warning}`);
    if (parts !== undefined) print(command, `\nWrote trend, season and residual to ${parts}.`);
  });
}

function factLines(description: TableDescription): string {
  const { series, rows, targets, from, to, frequency, season, shortest, longest, missing } = description;
  const missingPercent = (100 * description.missingShare).toFixed(1);
  const facts: [string, string][] = [
    ["series", formatCount(series)],
    ["rows", formatCount(rows)],
    ["targets", targets.join(", ")],
    ["times", `${from} to ${to}`],
    ["step", frequency ?? "irregular"],
    ["season", season === 1 ? "none" : `${seasonsText(description)} steps`],
    [
      "steps",
      shortest === longest ? formatCount(longest) : `${formatCount(shortest)} to ${formatCount(longest)}`,
    ],
    [
      "missing",
      `${formatCountOf(missing, "value")} (${missingPercent} %), longest gap ${formatCount(description.longestGap)}`,
    ],
  ];
  if (description.future > 0) facts.push(["future rows", formatCount(description.future)]);
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, fact]) => `  ${name.padEnd(width)}  ${fact}`).join("\n");
}

function strengthTable(strengths: readonly DecompositionStrength[], season: number): string {
  const seasonHeading = season > 1 ? `strength of season ${season}` : "strength of season";
  return textTable([
    ["series", "target", "strength of trend", seasonHeading],
    ...strengths.map((one) => [one.series, one.target, formatNumber(one.trend), formatNumber(one.season)]),
  ]);
}

function covariateTable({ covariates }: TableDescription): string {
  const rows = covariates.map(({ name, kind, role, levels, missing }) => [
    ...[name, kind, role, levels === null ? "–" : formatCount(levels), formatCount(missing)],
  ]);
  return textTable([["column", "kind", "role", "levels", "missing"], ...rows]);
}
