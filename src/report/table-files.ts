// Tables as files: CSV with full numbers, Markdown, and LaTeX that needs no package.

import { type CsvValue, csvLine, spreadsheetText } from "../formats/csv.ts";
import { mean, standardDeviation } from "../math/statistics.ts";
import { markdownTable, type Table, type TableCell, tableTexts } from "./tables.ts";

/** The formats of a table, with the ending of its file. */
export const TABLE_FORMATS: Readonly<Record<"csv" | "md" | "tex", (table: Table) => string>> = {
  csv: csvTable,
  md: markdownTable,
  tex: latexTable,
};

/** The heading of the column of standard deviations beside a column of means. */
const DEVIATION = "standard deviation";

/** Numbers in full precision. A column with values of several seeds becomes two: means and standard deviations. */
export function csvTable({ columns, rows }: Table): string {
  const hasSeeds = columns.map((_, j) => j > 0 && rows.some(({ cells }) => seedsOf(cells[j - 1]).length > 1));
  const spread = <T>(first: T, rest: readonly T[], deviations: readonly T[]): T[] => [
    first,
    ...rest.flatMap((value, j) => (hasSeeds[j + 1] ? [value, deviations[j]] : [value])),
  ];
  const [name, ...headings] = columns;
  const head = spread(
    name,
    headings,
    headings.map((heading) => `${heading} ${DEVIATION}`),
  );
  return [
    csvLine(head),
    ...rows.map(({ name: row, cells }) =>
      csvLine(spread<CsvValue>(csvText(row), cells.map(csvValue), cells.map(deviationOf))),
    ),
  ].join("");
}

/** A tabular environment. The caption is a comment, because a document has captions of its own. */
export function latexTable(table: Table): string {
  const [heading, ...rows] = tableTexts(table).map((row) => row.map(escapeLatex));
  const isText = heading.map(
    (_, j) => j === 0 || table.rows.every(({ cells }) => typeof cells[j - 1] === "string"),
  );
  const line = (cells: readonly string[]) => `${cells.join(" & ")} \\\\`;
  return [
    ...(table.caption ? [`% ${table.caption.replaceAll(/\s+/g, " ")}`] : []),
    `\\begin{tabular}{${isText.map((text) => (text ? "l" : "r")).join("")}}`,
    "\\hline",
    line(heading),
    "\\hline",
    ...rows.map(line),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** The text as LaTeX writes it, in text and not in a formula. */
export function escapeLatex(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/([A-Za-z])\u0302/g, "\0$1\0") // a letter with a hat is a formula
    .normalize("NFC")
    .replaceAll(/[\\{}$&#%_~^<>|"\u0080-\uffff]/g, (letter) => LATEX[letter] ?? letter)
    .replaceAll(/\0([A-Za-z])\0/g, "$\\hat{$1}$");
}

const LATEX: Readonly<Record<string, string>> = {
  ...{ "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", "%": "\\%" },
  ...{ _: "\\_", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$" },
  ...{ '"': "''", "‖": "$\\|$", "±": "$\\pm$", "−": "$-$", "×": "$\\times$", "·": "$\\cdot$" },
  ...{ "≤": "$\\le$", "≥": "$\\ge$", "≈": "$\\approx$", "∞": "$\\infty$", "→": "$\\to$", "∝": "$\\propto$" },
  ...{ α: "$\\alpha$", β: "$\\beta$", γ: "$\\gamma$", δ: "$\\delta$", ε: "$\\varepsilon$", λ: "$\\lambda$" },
  ...{ μ: "$\\mu$", π: "$\\pi$", σ: "$\\sigma$", τ: "$\\tau$", Σ: "$\\Sigma$", "…": "\\ldots{}" },
  ...{ "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "\u00a0": "~" },
};

/** Values of several seeds; none for other cells. */
function seedsOf(cell: TableCell): readonly number[] {
  if (cell === null || typeof cell !== "object") return [];
  return ("seeds" in cell ? cell.seeds : cell).filter(Number.isFinite);
}

function csvValue(cell: TableCell): CsvValue {
  if (typeof cell === "string") return csvText(cell);
  if (cell === null || typeof cell !== "object") return cell;
  const seeds = seedsOf(cell);
  return seeds.length > 0 ? mean(seeds) : null;
}

/** A text that no spreadsheet takes for a formula; a number in a text stays one. */
function csvText(text: string): string {
  return Number.isFinite(Number(text)) ? text : spreadsheetText(text);
}

function deviationOf(cell: TableCell): CsvValue {
  const seeds = seedsOf(cell);
  return seeds.length > 1 ? standardDeviation(seeds) : null;
}
