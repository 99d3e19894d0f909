// `gflownet compare`: runs a grid of methods, levels of noise and seeds, and writes what came of it.

import { availableParallelism } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { Comparison } from "../../compare/comparison.ts";
import { figuresOf } from "../../compare/figures.ts";
import {
  COMPARISON_FILES,
  type ComparisonFolder,
  type FinishedCell,
  openComparison,
  readComparison,
} from "../../compare/folder.ts";
import { type Cell, cellFile, cellsOf, cellTitle } from "../../compare/grid.ts";
import { comparisonPage } from "../../compare/page.ts";
import { type PoolEvent, runPool } from "../../compare/pool.ts";
import {
  type Outcome,
  outcomesOf,
  summaryCsv,
  summaryMarkdown,
  summaryNotes,
  summaryRows,
  summaryTables,
} from "../../compare/summary.ts";
import { htmlPage } from "../../report/page.ts";
import { mean } from "../../report/series.ts";
import { sparkline } from "../../report/sparkline.ts";
import { plainTable } from "../../report/tables.ts";
import { nextRunFolder } from "../../run/folder.ts";
import { CompareDisplay } from "../compare-display.ts";
import { type ComparisonFlags, cellOptionsOf, comparisonOf } from "../compare-settings.ts";
import type { CellOrder } from "../compare-worker.ts";
import type { Config } from "../config.ts";
import { EXIT_CODES, UsageError } from "../fail.ts";
import { printJson } from "../output.ts";
import { Stop } from "../stop.ts";

export interface CompareCommand extends ComparisonFlags {
  readonly jobs?: number;
  readonly out?: string;
  readonly resume?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface Failure extends Cell {
  readonly message: string;
}

export async function compare(config: Config, command: CompareCommand): Promise<void> {
  const stop = new Stop();
  const comparison = await toldBy(config, command);
  // What cannot begin leaves no folder.
  const { task } = await cellOptionsOf(comparison, cellsOf(comparison)[0]);
  const path = command.resume ?? command.out ?? (await nextRunFolder("comparisons", task.name));
  const folder = await openComparison(resolve(path), comparison);
  try {
    const failures = await stop.whileListening(() => runCells(folder, comparison, command, stop.signal));
    if (stop.reason) {
      sayStopped(folder, stop, command);
      return;
    }
    await finish(folder, comparison, { command, failures, scores: scoresOf(comparison, task.label) });
    if (failures.length > 0) process.exitCode = EXIT_CODES.failed;
  } finally {
    await folder.close();
  }
}

async function toldBy(config: Config, command: CompareCommand): Promise<Comparison> {
  const { resume, jobs: _, json: __, quiet: ___, ...flags } = command;
  if (resume === undefined) return comparisonOf(config, flags);
  const { task, ...settings } = config;
  const names = [...Object.keys(settings), ...Object.keys(flags)];
  const all: Readonly<Record<string, unknown>> = { ...settings, ...flags };
  if (names.some((name) => all[name] !== undefined)) {
    throw new UsageError("--resume goes on with a comparison as it was told; give no other settings");
  }
  const comparison = await readComparison(resume);
  if (task !== undefined && task !== comparison.settings.task) {
    throw new UsageError(`${resolve(resume)} compares on ${comparison.settings.task}, not on ${task}`);
  }
  return comparison;
}

/** Runs what is not finished, writes each cell as it ends, and gives those that failed. */
async function runCells(
  folder: ComparisonFolder,
  comparison: Comparison,
  command: CompareCommand,
  signal: AbortSignal,
): Promise<Failure[]> {
  const { finished, damaged } = await folder.readCells();
  for (const file of damaged) process.stderr.write(`gflownet: ${file} is damaged; its cell runs again\n`);
  const kept = new Set(finished.map(cellFile));
  const all = cellsOf(comparison);
  const cells = all.filter((cell) => !kept.has(cellFile(cell)));
  say(command, headline(comparison, kept.size, all.length));
  const screen = command.json || command.quiet ? undefined : process.stdout;
  const display = screen && new CompareDisplay(screen, { total: all.length, kept: kept.size });
  const failures: Failure[] = [];
  const handle = async (event: PoolEvent) => {
    if (event.kind === "finished") await folder.writeCell(event.cell, event.records);
    display?.handle(event);
    if (event.kind === "failed") {
      failures.push({ ...event.cell, message: event.message });
      if (!display) process.stderr.write(`gflownet: ${cellTitle(event.cell)} failed: ${event.message}\n`);
    }
    if (command.json) printEvent(event);
  };
  try {
    await runPool(
      {
        cells,
        jobs: command.jobs ?? availableParallelism(),
        worker: new URL(`../compare-worker${import.meta.url.slice(-3)}`, import.meta.url),
        orderFor: (cell) => ({ comparison, cell }) satisfies CellOrder,
        signal,
      },
      handle,
    );
  } finally {
    display?.clear();
  }
  return failures;
}

function headline({ methods, sticks, seeds, settings }: Comparison, kept: number, total: number): string {
  const several = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`;
  const grid = [
    several(methods.length, "method"),
    `${several(sticks.length, "level")} of noise`,
    several(seeds.length, "seed"),
  ].join(", ");
  return `${settings.task}: ${grid}: ${several(total, "cell")}${kept > 0 ? `, ${kept} of them finished before` : ""}.`;
}

function printEvent(event: PoolEvent): void {
  const { cell } = event;
  if (event.kind === "record") printJson({ kind: "record", ...cell, ...event.record });
  if (event.kind === "failed") printJson({ kind: "failed", ...cell, message: event.message });
}

/** What the scores are; of a file its name alone, for the page may be sent to others. */
function scoresOf({ settings: { table } }: Comparison, label: string): string {
  return typeof table === "string" && isAbsolute(table) ? `scores from ${basename(table)}` : label;
}

/** Writes tables, figures and the page, and prints what a person wants to see at once. */
async function finish(
  folder: ComparisonFolder,
  comparison: Comparison,
  about: { readonly command: CompareCommand; readonly failures: readonly Failure[]; readonly scores: string },
): Promise<void> {
  const { command, failures, scores } = about;
  const { finished } = await folder.readCells();
  const outcomes = outcomesOf(comparison, finished, failures);
  const progress = comparison.calls === null ? "seconds" : "oracle calls";
  const figures = figuresOf({ ...comparison, finished, progress });
  const name = basename(folder.path);
  const page = comparisonPage({ name, comparison, outcomes, figures, scores });
  await folder.writeResult(COMPARISON_FILES.csv, summaryCsv(outcomes));
  await folder.writeResult(COMPARISON_FILES.markdown, summaryMarkdown(outcomes));
  await folder.writeResult(COMPARISON_FILES.report, htmlPage(page));
  for (const { name: file, svg } of Object.values(figures).flat()) {
    await folder.writeResult(join(COMPARISON_FILES.figures, `${file}.svg`), `${svg}\n`);
  }
  if (command.json) printJson({ kind: "end", comparison: folder.path, table: summaryRows(outcomes) });
  const tables = summaryTables(outcomes).map(plainTable).join("\n\n");
  say(command, `\n${tables}\n\n${summaryNotes(outcomes)}\n\n${sparklines(outcomes, finished)}\n`);
  for (const failure of failures) {
    say(command, `${cellTitle(failure)} failed: ${failure.message}`);
  }
  say(command, `The report is ${join(folder.path, COMPARISON_FILES.report)}; open it in a browser.`);
}

/** How each method came nearer, as the mean over seeds: its TV, or the modes it found where no TV is known. */
function sparklines(outcomes: readonly Outcome[], finished: readonly FinishedCell[]): string {
  const rows = outcomes.flatMap(({ method, stick }) => {
    const runs = finished.filter((cell) => cell.method === method && cell.stick === stick);
    const records = runs.map((cell) => cell.records);
    if (records.length === 0) return [];
    const field = records[0].at(-1)?.tv === null ? "modesFound" : "tv";
    const course = records[0].map((_, i) =>
      mean(records.flatMap((each) => each[Math.min(i, each.length - 1)][field] ?? [])),
    );
    return [
      { name: `${method}, stick ${stick}: ${field === "tv" ? "TV" : "modes"}`, line: sparkline(course) },
    ];
  });
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, line }) => `${name.padEnd(width)}  ${line}`).join("\n");
}

function sayStopped(folder: ComparisonFolder, { reason }: Stop, command: CompareCommand): void {
  process.exitCode = reason?.exitCode;
  const onward = `gflownet compare --resume ${folder.path}`;
  if (command.json && !reason?.closed) printJson({ kind: "stopped", comparison: folder.path });
  if (reason?.closed || reason?.failure) {
    const why = reason.failure ?? "nobody reads the output any more";
    process.stderr.write(`gflownet: ${why}; stopped, go on with: ${onward}\n`);
    return;
  }
  say(command, `Stopped; finished cells are in ${folder.path}.\nGo on with: ${onward}`);
}

/** For people, unless they want none of it. */
function say({ json, quiet }: CompareCommand, text: string): void {
  if (!json && !quiet) process.stdout.write(`${text}\n`);
}
