// A cell's file gives back its records, and is known for damaged whatever part of it is missing or changed.

import { describe, expect, test } from "vitest";
import { cellFileText, readCell } from "./cell-file.ts";
import type { CellRecord } from "./record.ts";

const cell = { method: "kl-entropy:0.25", stick: 0.5, seed: 3 };
const records = [
  { calls: 0, tv: 0.5, kl: Number.POSITIVE_INFINITY, best: null },
  { calls: 128, tv: 0.1 + 0.2, kl: 1e-9, best: 0.75 },
] as CellRecord[];
const text = cellFileText(cell, records);

test("records come back to the bit, infinities and nothing included", () => {
  expect(readCell(text, cell)).toEqual(records);
});

describe("it is damaged", () => {
  test("wherever it was cut", () => {
    for (let length = 0; length < text.length; length++)
      expect(readCell(text.slice(0, length), cell)).toBeNull();
  });

  test("if any letter is another one", () => {
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === "7" ? "8" : "7";
      expect(readCell(text.slice(0, i) + other + text.slice(i + 1), cell)).toBeNull();
    }
  });

  test("if it is the file of another cell", () => {
    expect(readCell(text, { ...cell, seed: 4 })).toBeNull();
    expect(readCell(text, { ...cell, method: "kl" })).toBeNull();
  });
});
