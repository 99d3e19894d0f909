// The sections of a page as data in a file, so that a report can be made of a folder again.

import { type Page, plainFigure, type Section } from "./page.ts";
import type { Table, TableCell, TableRow } from "./tables.ts";

const FORMAT = "gflownet page";
const VERSION = 1;

export function pageText({ title, intro, sections }: Page): string {
  // JSON has no infinities, so they are written as tables show them.
  const write = (_: string, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? "∞" : value === Number.NEGATIVE_INFINITY ? "−∞" : value;
  return `${JSON.stringify({ format: FORMAT, version: VERSION, title, intro, sections }, write, 1)}\n`;
}

/** The page of a file; null if it is not one. It may come from anywhere: figures with anything but shapes are left out. */
export function parsePage(text: string): Page | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(given) || given.format !== FORMAT || given.version !== VERSION) return null;
  const { title, intro, sections } = given;
  if (!isText(title) || !isText(intro) || !Array.isArray(sections) || !sections.every(isSection)) return null;
  return {
    title,
    intro,
    sections: sections.map((section) => ({ ...section, figures: section.figures?.filter(plainFigure) })),
  };
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isSection(value: unknown): value is Section {
  if (!isObject(value) || !isText(value.heading)) return false;
  const { text = "", figures = [], tables = [] } = value;
  return isText(text) && isListOf(figures, isText) && isListOf(tables, isTable);
}

function isTable(value: unknown): value is Table {
  if (!isObject(value) || !isText(value.caption ?? "") || !isListOf(value.columns, isText)) return false;
  const cells = value.columns.length - 1;
  return isListOf(value.rows, isRow) && value.rows.every((row) => row.cells.length === cells);
}

function isRow(value: unknown): value is TableRow {
  return isObject(value) && isText(value.name) && isListOf(value.cells, isCell);
}

function isCell(value: unknown): value is TableCell {
  if (isText(value) || isNumber(value)) return true;
  if (isListOf(value, isNumber)) return true;
  if (!isObject(value) || !isListOf(value.seeds, isNumber)) return false;
  const { digits, mark } = value;
  const isDigits = Number.isInteger(digits) && (digits as number) >= 0 && (digits as number) <= 20;
  return (digits === undefined || isDigits) && (mark === undefined || isText(mark));
}

/** NaN is null in JSON. */
function isNumber(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}
