// The page of rounds with a laboratory: what it says, and the plate.

import { expect, test } from "vitest";
import { laboratoryPage } from "./laboratory-page.ts";

const page = (scored: readonly { readonly string: string; readonly score: number }[]) =>
  laboratoryPage({
    ...{ name: "enzyme", direction: "maximise", scored },
    environment: {
      name: "strings of 2 letters out of AC",
      space: { tokens: ["A", "C"], length: { min: 2, max: 2 } },
    },
    rounds: [
      {
        proposals: ["AA", "AC"].map((string) => ({ string, prediction: null })),
        ...{ tried: [], proxy: null, fitted: 0, proxyCalls: 0, motifs: null, told: 0 },
      },
    ],
  });

test("a first round is a plate of strings without predictions", () => {
  const { intro, sections } = page([]);
  expect(intro).toBe(
    "strings of 2 letters out of AC, scored by measurements. 0 strings have a result, 1 round was proposed.",
  );
  expect(sections.map(({ heading }) => heading)).toEqual(["The plate to order next", "Rounds"]);
  expect(sections[0].tables?.[0].rows).toEqual([
    { name: "AA", cells: [null, null, null] },
    { name: "AC", cells: [null, null, null] },
  ]);
});

test("strings with results are no longer on the plate", () => {
  const { intro, sections } = page([{ string: "AC", score: 3 }]);
  expect(intro).toContain("1 string has a result");
  expect(sections[0].tables?.[0].rows.map(({ name }) => name)).toEqual(["AA"]);
  expect(sections[1].tables?.[0].rows[0].cells.slice(-2)).toEqual([3, 3]);
});
