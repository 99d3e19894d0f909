import { expect, test } from "vitest";
import { parseCsv } from "../formats/csv.ts";
import { csvTable, escapeLatex, latexTable, TABLE_FORMATS } from "./table-files.ts";
import type { Table } from "./tables.ts";

const TABLE: Table = {
  caption: "100 % of\nthe methods",
  columns: ["method, at stick 0.5", "TV", "note"],
  rows: [
    { name: 'the "best"', cells: [[0.25, 0.5, 0.75], "a & b"] },
    { name: "one_seed", cells: [{ seeds: [1 / 3], digits: 1 }, "50 %"] },
    { name: "none", cells: [null, ""] },
  ],
};

test("CSV has full numbers, with means and standard deviations in columns of their own", () => {
  const [head, ...rows] = parseCsv(csvTable(TABLE));
  expect(head).toEqual(["method, at stick 0.5", "TV", "TV standard deviation", "note"]);
  expect(rows).toEqual([
    ['the "best"', "0.5", "0.25", "a & b"],
    ["one_seed", String(1 / 3), "", "50 %"],
    ["none", "", "", ""],
  ]);
});

test("CSV has one column where no cell has several seeds", () => {
  const table: Table = { columns: ["a", "b"], rows: [{ name: "x", cells: [1e-300] }] };
  expect(csvTable(table)).toBe("a,b\nx,1e-300\n");
});

test("CSV has no text that a spreadsheet would compute", () => {
  const rows = ["=1+1", "-AB", "-1.5"].map((text) => ({ name: text, cells: [text] }));
  expect(csvTable({ columns: ["a", "b"], rows })).toBe("a,b\n'=1+1,'=1+1\n'-AB,'-AB\n-1.5,-1.5\n");
});

test("LaTeX has one tabular with escaped texts, numbers to the right and the caption as a comment", () => {
  expect(latexTable(TABLE).split("\n")).toEqual([
    "% 100 % of the methods",
    "\\begin{tabular}{lrl}",
    "\\hline",
    "method, at stick 0.5 & TV & note \\\\",
    "\\hline",
    "the ''best'' & 0.5000 $\\pm$ 0.2500 & a \\& b \\\\",
    "one\\_seed & 0.3 & 50 \\% \\\\",
    "none & -- &  \\\\",
    "\\hline",
    "\\end{tabular}",
    "",
  ]);
});

test("LaTeX escapes every character with a meaning, and writes symbols as formulas", () => {
  expect(escapeLatex("\\{}$&#%_~^")).toBe(
    "\\textbackslash{}\\{\\}\\$\\&\\#\\%\\_\\textasciitilde{}\\textasciicircum{}",
  );
  expect(escapeLatex("KL(P ‖ P̂) ≤ β")).toBe("KL(P $\\|$ $\\hat{P}$) $\\le$ $\\beta$");
  expect(escapeLatex("Zürich\n\\input{x}")).toBe("Zürich \\textbackslash{}input\\{x\\}");
});

test("every format writes an empty table", () => {
  for (const write of Object.values(TABLE_FORMATS)) {
    expect(write({ columns: ["only"], rows: [] })).toContain("only");
  }
});
