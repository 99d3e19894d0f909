// Writes and parses CSV (RFC 4180). Numbers are written in full precision; missing and non-finite values are empty cells.

export type CsvValue = string | number | boolean | null | undefined;
export type CsvRow = Readonly<Record<string, CsvValue>>;

/** Yields the lines of a CSV file, each with its line feed: the header, then one line per row. */
export function* csvLines(columns: readonly string[], rows: Iterable<CsvRow>): Generator<string> {
  yield csvLine(columns);
  for (const row of rows) yield csvLine(columns.map((column) => row[column]));
}

/** A complete CSV file as text. */
export function formatCsv(columns: readonly string[], rows: Iterable<CsvRow>): string {
  return [...csvLines(columns, rows)].join("");
}

/** One line of CSV with its line feed. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(",")}\n`;
}

/**
 * A text that no spreadsheet takes for a formula: if it begins with `=`, `+`, `-`, `@`, a tab or a line break, an apostrophe
 * is put before it. A text that looks as if this had been done gets another one, so that `fromSpreadsheetText` gives back
 * every text exactly. Use it for columns of texts that others chose, such as designed strings.
 */
export function spreadsheetText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text that `spreadsheetText` was given. */
export function fromSpreadsheetText(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** The start of a formula, after any number of apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n]/;

/** Parses CSV into rows of cells. Quoted cells may contain separators, quotes and line breaks. */
export function parseCsv(text: string, separator = ","): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endRow = () => {
    rows.push([...row, cell]);
    row = [];
    cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r" || text[i + 1] !== "\n") cell += character;
  }
  if (quoted) throw new SyntaxError(`CSV: a quoted cell must end with a quote, got ${JSON.stringify(cell)}`);
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
