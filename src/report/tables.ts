// Tables of names and numbers as Markdown, HTML or aligned text.

import { mean, standardDeviation } from "../math/statistics.ts";
import { escapeText, printable } from "./escape.ts";
import { formatNumber, textTable } from "./text-format.ts";

export interface Table {
  readonly caption?: string;
  /** Headings of all columns; the first column has the row names. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly name: string;
  readonly cells: readonly TableCell[];
}

/** A text, a number, the values of several seeds (written as mean ± standard deviation), or null for a missing value. */
export type TableCell = string | number | readonly number[] | SeedValues | null;

/** A table cell for the values of several seeds, with a number of decimals and a mark that follows the text. */
export interface SeedValues {
  readonly seeds: readonly number[];
  /** Decimals. Default: as in `formatNumber`. */
  readonly digits?: number;
  readonly mark?: string;
}

const MAX_DECIMALS = 8;

export function markdownTable(table: Table): string {
  const [heading, ...rows] = tableTexts(table).map((row) => row.map(escapeMarkdown));
  const rule = heading.map((_, i) => (i === 0 ? "---" : "---:"));
  const lines = [heading, rule, ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [...(table.caption ? [`${escapeMarkdown(table.caption)}\n`] : []), ...lines, ""].join("\n");
}

export function htmlTable(table: Table): string {
  const [heading, ...rows] = tableTexts(table).map((row) => row.map(escapeText));
  const isTextColumn = heading.map((_, j) => j > 0 && table.rows.every(({ cells }) => isText(cells[j - 1])));
  const head = heading
    .map((text, j) => `<th scope="col"${isTextColumn[j] ? ' class="text"' : ""}>${text}</th>`)
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
  const lines = textTable(tableTexts(table).map((row) => row.map(printable)));
  return table.caption ? `${printable(table.caption)}\n${lines}` : lines;
}

/**
 * Mean and standard deviation as text, such as "0.0123 ± 0.0004". Values that are not finite are omitted; the text then
 * ends with a count such as "(2 of 3)".
 */
export function meanAndDeviation(
  values: readonly number[],
  write: (value: number) => string = formatNumber,
): string {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return values.length === 0 ? "–" : `– (0 of ${values.length})`;
  const deviation = finite.length > 1 ? ` ± ${write(standardDeviation(finite))}` : "";
  const finiteCount = finite.length < values.length ? ` (${finite.length} of ${values.length})` : "";
  return write(mean(finite)) + deviation + finiteCount;
}

/** Number of decimals that shows the largest value with `digits` significant digits. */
export function decimalsFor(values: readonly number[], digits: number): number {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const after = largest > 0 ? digits - 1 - Math.floor(Math.log10(largest)) : 0;
  return Math.min(MAX_DECIMALS, Math.max(0, after));
}

/** A table with one row per setting. Settings that are null or undefined are omitted. */
export function settingsTable(settings: readonly (readonly [string, unknown])[]): Table {
  return {
    columns: ["setting", "value"],
    rows: settings
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => ({ name, cells: [settingText(value)] })),
  };
}

/** A setting as its flag would be written: lists with commas, schedules as `from:to:shape:until`; JSON for anything else,
 * and a dash for a missing value. */
export function settingText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "–";
  if (isPlainList(value)) return value.length === 0 ? "none" : value.join(",");
  return scheduleText(value) ?? JSON.stringify(value);
}

function isPlainList(value: unknown): value is readonly (string | number)[] {
  return Array.isArray(value) && value.every((each) => ["string", "number"].includes(typeof each));
}

/** Null for a value that is no schedule. */
function scheduleText(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { from, to, shape, until, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof from !== "number" || typeof to !== "number" || Object.keys(rest).length > 0) return null;
  const given = shape ?? (until === undefined ? undefined : "linear");
  return [from, to, given, until].filter((part) => part !== undefined).join(":");
}

/** All cells as text, headings first. */
export function tableTexts({ columns, rows }: Table): string[][] {
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

function textOf(cell: TableCell): string {
  if (typeof cell === "string") return cell;
  if (cell === null || typeof cell === "number") return numberText(cell);
  if ("seeds" in cell) return seedText(cell);
  return meanAndDeviation(cell);
}

function seedText({ seeds, digits, mark = "" }: SeedValues): string {
  const fixed = {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "negative",
  } as const;
  const write = (value: number) => value.toLocaleString("en-US", fixed);
  const text = meanAndDeviation(seeds, digits === undefined ? formatNumber : write);
  return mark && seeds.length > 0 ? `${text} ${mark}` : text;
}

function numberText(value: number | null): string {
  if (value !== null && Number.isInteger(value)) return value.toLocaleString("en-US");
  return value === Number.POSITIVE_INFINITY
    ? "∞"
    : value === Number.NEGATIVE_INFINITY
      ? "−∞"
      : formatNumber(value);
}

function isText(cell: TableCell): boolean {
  return typeof cell === "string";
}

/** Escapes all characters with a meaning in Markdown or HTML. */
function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]|~#]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
