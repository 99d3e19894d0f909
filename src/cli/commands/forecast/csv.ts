// Rows as CSV: numbers as they are, nothing for what is missing, texts in quotes where they need them.

export type Value = string | number | null;

/** A whole CSV file, piece by piece: its head, then its rows. */
export function* csvLines(
  columns: readonly string[],
  rows: Iterable<Readonly<Record<string, Value>>>,
): Generator<string> {
  yield `${columns.map(cell).join(",")}\n`;
  for (const row of rows) yield `${columns.map((column) => cell(row[column] ?? null)).join(",")}\n`;
}

/** The same as one text. */
export function csvText(columns: readonly string[], rows: Iterable<Readonly<Record<string, Value>>>): string {
  return [...csvLines(columns, rows)].join("");
}

function cell(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
