// Rows as text, as JSON and as files.

import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Row, RunOptions } from "./benchmark.ts";
import type { Load, Machine } from "./machine.ts";

/** Everything worth keeping of one run. */
export interface Report {
  readonly bench: string;
  /** When it began, ISO 8601. */
  readonly date: string;
  /** What was typed. */
  readonly command: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string | null>>;
  readonly load: { readonly before: Load; readonly after: Load };
  readonly options: Omit<RunOptions, "only"> & { readonly only: string | null };
  readonly rows: readonly Row[];
}

/** Aligned columns for a terminal. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column], column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The page kept in bench/results. */
export function formatMarkdown(report: Report): string {
  const { bench, date, command, options, rows } = report;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `# Benchmark \`${bench}\``,
    "",
    `Measured on ${date.slice(0, 10)} by \`${command}\`: rounds ${options.rounds}, seconds per process ${options.seconds}.`,
    `Machine: ${describeMachine(report)}.`,
    "",
    "Values are medians over rounds; the ratio is the median of the rounds' own ratios, ours / rival (above 1 we are",
    "faster), with the smallest and the largest in brackets.",
    "",
    line(HEADINGS),
    line(HEADINGS.map((_, column) => (NUMERIC.has(column) ? "--:" : "---"))),
    ...rows.map((row) => line(cellsOf(row))),
    "",
  ].join("\n");
}

/** Processor, versions and load in one line. */
export function describeMachine({ machine, versions, load }: Report): string {
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version ?? "absent"}`);
  return [
    machine.cpu,
    `${machine.cores} cores`,
    `${machine.memoryGigabytes} GB`,
    machine.platform,
    `Node ${machine.node}`,
    ...installed,
    `load ${load.before[0].toFixed(2)} before and ${load.after[0].toFixed(2)} after`,
  ].join(", ");
}

/** Writes bench/output/<bench>-<time>.json and gives its path. */
export async function writeReport(report: Report): Promise<string> {
  const time = report.date.replace(/[:.]/g, "-");
  return write("output", `${report.bench}-${time}.json`, `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes bench/results/<bench>.md and gives its path. */
export async function writeRecord(report: Report): Promise<string> {
  return write("results", `${report.bench}.md`, formatMarkdown(report));
}

/** Three significant digits, or all digits of a larger whole part. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toPrecision(2);
}

const HEADINGS = ["setting", "unit", "ours", "rival", "rival's", "ratio", "note"];
/** Columns of numbers. */
const NUMERIC = new Set([2, 4, 5]);

function cellsOf({ setting, unit, ours, rival, rivalValue, ratio, rounds, note = "" }: Row): string[] {
  const ratios = rounds.flatMap((round) => (round.ratio === undefined ? [] : [round.ratio]));
  const range = [Math.min(...ratios), Math.max(...ratios)].map(formatNumber).join("-");
  return [
    setting,
    unit,
    formatNumber(ours),
    rival ?? "",
    rivalValue === null ? "" : formatNumber(rivalValue),
    ratio === null ? "" : `${formatNumber(ratio)} (${range})`,
    note,
  ];
}

function pad(cell: string, width: number, column: number): string {
  return NUMERIC.has(column) ? cell.padStart(width) : cell.padEnd(width);
}

async function write(folder: string, name: string, text: string): Promise<string> {
  const directory = new URL(`${folder}/`, import.meta.url);
  await mkdir(directory, { recursive: true });
  const file = new URL(name, directory);
  await writeFile(file, text);
  return fileURLToPath(file);
}
