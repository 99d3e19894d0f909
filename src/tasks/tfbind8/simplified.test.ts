import { expect, test } from "vitest";
import { sequenceAt, simplifiedScore, simplifiedTable } from "./simplified.ts";

test("the score adds up pairs, counted without overlap", () => {
  expect(simplifiedScore("CGCGCGCG")).toBeCloseTo(Math.min((4 * 0.7 + 3 * 0.6) / 3, 1), 12);
  expect(simplifiedScore("ATATATAT")).toBeCloseTo(Math.min((4 * 0.5 + 3 * 0.4 + 0.3) / 3, 1), 12);
  expect(simplifiedScore("AAAAAAAA")).toBeCloseTo(0.7 / 3, 12);
  expect(simplifiedScore("ACACACAT")).toBeCloseTo((0.5 + 0.3) / 3, 12);
});

test("the table is in alphabetical order", () => {
  const table = simplifiedTable();
  expect(table).toHaveLength(65536);
  expect(sequenceAt(0)).toBe("AAAAAAAA");
  expect(sequenceAt(1)).toBe("AAAAAAAC");
  expect(sequenceAt(65535)).toBe("TTTTTTTT");
  for (const index of [0, 1, 4711, 65535])
    expect(table[index]).toBeCloseTo(simplifiedScore(sequenceAt(index)), 6);
});
