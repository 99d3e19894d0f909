// Tables of names and numbers: one structure, written as Markdown, as HTML or as aligned text.

import { escapeText, printable } from "./escape.ts";
import { mean, standardDeviation } from "./series.ts";
import { figure, textTable } from "./text-table.ts";

export interface Table {
  readonly caption?: string;
  /** Above the names of the rows, and above each further column. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly cells: readonly Cell[];
}

/** A text, a number, the numbers of several seeds (written as mean ± standard deviation), or nothing. */
export type Cell = string | number | readonly number[] | SeedNumbers | null;

/** The numbers of several seeds, with so many digits after the point, and a mark behind them. */
export interface SeedNumbers {
  readonly seeds: readonly number[];
  /** As `figure` has it if not given. */
  readonly digits?: number;
  readonly mark?: string;
}

/** After the point. */
const MOST_DIGITS = 8;

export function markdownTable(table: Table): string {
  const [heading, ...rows] = textsOf(table).map((row) => row.map(escapeMarkdown));
  const rule = heading.map((_, i) => (i === 0 ? "---" : "---:"));
  const lines = [heading, rule, ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [...(table.caption ? [`${escapeMarkdown(table.caption)}\n`] : []), ...lines, ""].join("\n");
}

export function htmlTable(table: Table): string {
  const [heading, ...rows] = textsOf(table).map((row) => row.map(escapeText));
  const isWords = heading.map((_, j) => j > 0 && table.rows.every(({ cells }) => isText(cells[j - 1])));
  const head = heading
    .map((text, j) => `<th scope="col"${isWords[j] ? ' class="text"' : ""}>${text}</th>`)
    .join("");
  const body = rows.map(([name, ...cells], i) => {
    const rest = cells.map(
      (text, j) => `<td${isText(table.rows[i].cells[j]) ? ' class="text"' : ""}>${text}</td>`,
    );
    return `<tr><th scope="row">${name}</th>${rest.join("")}</tr>`;
  });
  const caption = table.caption ? `<caption>${escapeText(table.caption)}</caption>` : "";
  return `<table>${caption}<thead><tr>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

export function plainTable(table: Table): string {
  const lines = textTable(textsOf(table).map((row) => row.map(printable)));
  return table.caption ? `${printable(table.caption)}\n${lines}` : lines;
}

/** "0.0123 ± 0.0004"; values that are not finite are left out, and counted. */
export function meanAndDeviation(
  values: readonly number[],
  write: (value: number) => string = figure,
): string {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return values.length === 0 ? "–" : `– (0 of ${values.length})`;
  const spread = finite.length > 1 ? ` ± ${write(standardDeviation(finite))}` : "";
  const counted = finite.length < values.length ? ` (${finite.length} of ${values.length})` : "";
  return write(mean(finite)) + spread + counted;
}

/** How many digits after the point give the largest of some values so many digits in all. */
export function digitsFor(values: readonly number[], digits: number): number {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const after = largest > 0 ? digits - 1 - Math.floor(Math.log10(largest)) : 0;
  return Math.min(MOST_DIGITS, Math.max(0, after));
}

/** All cells as texts, the heading first. */
function textsOf({ columns, rows }: Table): string[][] {
  return [
    [...columns],
    ...rows.map(({ name, cells }) => {
      if (cells.length !== columns.length - 1) {
        throw new RangeError(
          `table: row ${JSON.stringify(name)} must have ${columns.length - 1} cells, got ${cells.length}`,
        );
      }
      return [name, ...cells.map(textOf)];
    }),
  ];
}

function textOf(cell: Cell): string {
  if (typeof cell === "string") return cell;
  if (cell === null || typeof cell === "number") return numberText(cell);
  if ("seeds" in cell) return seedText(cell);
  return meanAndDeviation(cell);
}

function seedText({ seeds, digits, mark = "" }: SeedNumbers): string {
  const fixed = {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "negative",
  } as const;
  const write = (value: number) => value.toLocaleString("en-US", fixed);
  const text = meanAndDeviation(seeds, digits === undefined ? figure : write);
  return mark && seeds.length > 0 ? `${text} ${mark}` : text;
}

function numberText(value: number | null): string {
  if (value !== null && Number.isInteger(value)) return value.toLocaleString("en-US");
  return value === Number.POSITIVE_INFINITY ? "∞" : value === Number.NEGATIVE_INFINITY ? "−∞" : figure(value);
}

function isText(cell: Cell): boolean {
  return typeof cell === "string";
}

/** Nothing in it begins a format, a link, an element or a cell. */
function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]|~#]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
