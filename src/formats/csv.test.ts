// Tests of CSV files: quoting, missing values, and the round trip through the parser.

import { describe, expect, test } from "vitest";
import { csvLine, formatCsv, fromSpreadsheetText, parseCsv, spreadsheetText } from "./csv.ts";

describe("formatCsv", () => {
  test("quotes texts where necessary, and writes missing and non-finite values as empty cells", () => {
    const rows = [
      { a: 'one "two", three', b: 0.1 },
      { a: null, b: Number.NaN },
      { b: Number.POSITIVE_INFINITY },
    ];
    expect(formatCsv(["a", "b"], rows)).toBe('a,b\n"one ""two"", three",0.1\n,\n,\n');
  });

  test("writes numbers in full precision", () => {
    expect(csvLine([0.1 + 0.2, 1e-300, -5, true])).toBe("0.30000000000000004,1e-300,-5,true\n");
  });
});

describe("parseCsv", () => {
  test("reverses csvLine for every text", () => {
    const rows = [
      ["plain", "a,b", 'say "x"', "two\nlines"],
      ["", "carriage\rreturn", " spaces ", '"'],
    ];
    expect(parseCsv(rows.map((row) => csvLine(row)).join(""))).toEqual(rows);
  });

  test("accepts line feeds, carriage returns with line feeds, and a last line without either", () => {
    expect(parseCsv("a,b\r\n1,2\n3,4")).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
    ]);
    expect(parseCsv("")).toEqual([]);
    expect(parseCsv("a,\n")).toEqual([["a", ""]]);
  });

  test("throws if a quoted cell has no closing quote", () => {
    expect(() => parseCsv('a\n"b')).toThrow('CSV: a quoted cell must end with a quote, got "b"');
  });
});

describe("texts for a spreadsheet", () => {
  const formulas = ["=1+1", "+A1", "-ACGT", "@SUM(A1)", "\tx", "\rx", "\nx"];
  const harmless = ["ACGT", "", "'quoted", "A=B", "1", "N", " =1", "'", "''A"];

  test("have an apostrophe before what would be a formula, and are otherwise unchanged", () => {
    for (const text of formulas) expect(spreadsheetText(text)).toBe(`'${text}`);
    for (const text of harmless) expect(spreadsheetText(text)).toBe(text);
  });

  test("are given back exactly, also if they begin with apostrophes, and after CSV", () => {
    const texts = [...formulas, ...harmless, ...formulas.map((text) => `'${text}`), "''=x", "'''-"];
    for (const text of texts) {
      const [[cell]] = parseCsv(csvLine([spreadsheetText(text), "end"]));
      expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      expect(fromSpreadsheetText(cell)).toBe(text);
    }
  });
});
