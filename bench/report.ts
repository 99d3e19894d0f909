// Formats benchmark results as text tables and Markdown, and writes them to files.

import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AnyRow, Column, Row, RunOptions, Table } from "./benchmark.ts";
import type { Load, Machine } from "./machine.ts";

/** Results and conditions of one benchmark run. */
export interface Report<R extends AnyRow = Row> {
  readonly bench: string;
  /** Start time, ISO 8601. */
  readonly date: string;
  /** The command line. */
  readonly command: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string | null>>;
  readonly load: { readonly before: Load; readonly after: Load };
  readonly options: Omit<RunOptions, "only"> & { readonly only: string | null };
  readonly rows: readonly R[];
}

/** The rows as aligned columns for a terminal. */
export function formatTable<R extends AnyRow>(rows: readonly R[], { columns }: Table<R>): string {
  const cells = cellsOf(rows, columns);
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => widthOf(line[column]))));
  return cells
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column], columns[column].numeric))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The Markdown page for bench/results. */
export function formatMarkdown<R extends AnyRow>(report: Report<R>, table: Table<R>): string {
  const { bench, date, command, options, rows } = report;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const [headings, ...lines] = cellsOf(rows, table.columns);
  const budget = table.budget({ ...options, only: undefined }, rows);
  return [
    `# Benchmark \`${bench}\``,
    "",
    `Measured on ${date.slice(0, 10)} by \`${command}\`: ${budget}.`,
    `Machine: ${describeMachine(report)}.`,
    "",
    ...table.legend,
    "",
    line(headings),
    line(table.columns.map(({ numeric }) => (numeric ? "--:" : "---"))),
    ...lines.map(line),
    "",
  ].join("\n");
}

/** Processor, versions and load, as one line. */
export function describeMachine({ machine, versions, load }: Report<AnyRow>): string {
  const installed = Object.entries(versions).map(
    ([name, version]) => `${name} ${version ?? "not installed"}`,
  );
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

/** Writes bench/output/<bench>-<time>.json and returns its path. */
export async function writeReport(report: Report<AnyRow>): Promise<string> {
  const time = report.date.replace(/[:.]/g, "-");
  return write("output", `${report.bench}-${time}.json`, `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes bench/results/<bench>.md and returns its path. */
export async function writeRecord<R extends AnyRow>(report: Report<R>, table: Table<R>): Promise<string> {
  return write("results", `${report.bench}.md`, formatMarkdown(report, table));
}

/** About three significant digits; never cuts digits before the decimal point. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toPrecision(2);
}

/** The table of benchmarks that compare this library with rivals. */
export const COMPARISON_TABLE: Table = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "unit", cell: ({ unit }) => unit },
    { heading: "ours", numeric: true, cell: ({ ours }) => formatNumber(ours) },
    { heading: "rival", cell: ({ rival }) => rival ?? "" },
    {
      heading: "rival's",
      numeric: true,
      cell: ({ rivalValue }) => (rivalValue === null ? "" : formatNumber(rivalValue)),
    },
    {
      heading: "ratio",
      numeric: true,
      cell: ({ ratio, rounds }) =>
        ratio === null ? "" : `${formatNumber(ratio)} (${rangeOf(rounds.map((round) => round.ratio))})`,
    },
    { heading: "note", cell: ({ note = "" }) => note },
  ],
  budget: ({ rounds, seconds }) => `rounds ${rounds}, seconds per process ${seconds}`,
  legend: [
    "Values are medians over rounds. The ratio is the median of the ratios of all rounds, ours / rival, with the smallest and",
    "the largest in brackets; above 1, this library is faster.",
  ],
};

function rangeOf(ratios: readonly (number | undefined)[]): string {
  const defined = ratios.filter((ratio) => ratio !== undefined);
  return [Math.min(...defined), Math.max(...defined)].map(formatNumber).join("-");
}

function pad(cell: string, width: number, alignRight = false): string {
  const space = " ".repeat(width - widthOf(cell));
  return alignRight ? space + cell : cell + space;
}

/** Display width: combining marks have no width. */
function widthOf(cell: string): number {
  return cell.replace(/\p{Mark}/gu, "").length;
}

/** The headings, followed by the cells of each row. */
function cellsOf<R extends AnyRow>(rows: readonly R[], columns: readonly Column<R>[]): string[][] {
  return [columns.map(({ heading }) => heading), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
}

async function write(folder: string, name: string, text: string): Promise<string> {
  const directory = new URL(`${folder}/`, import.meta.url);
  await mkdir(directory, { recursive: true });
  const file = new URL(name, directory);
  await writeFile(file, text);
  return fileURLToPath(file);
}
