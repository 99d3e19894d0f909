// The Pareto front of a design: goals, constraints, hypervolume relative to the worst values, and the file.

import { describe, expect, test } from "vitest";
import { combinedScore, type DesignObjective } from "../oracle/design-objectives.ts";
import { paretoCsv, paretoOf, paretoText } from "./pareto.ts";

const objectives: readonly DesignObjective[] = [
  { name: "binding", goal: "maximise", weight: 1, worst: 0, best: 1 },
  { name: "cost", goal: "minimise", weight: 1, worst: 10, best: 0 },
];
const designs = (rows: Readonly<Record<string, readonly number[]>>, of = objectives) =>
  Object.entries(rows).map(([string, values]) => ({ string, values, score: combinedScore(of, values) }));
const rows = { AA: [0.9, 8], CC: [0.5, 2], GG: [0.4, 3], TT: [0.1, 0] };

describe("the Pareto front of a design", () => {
  test("has the strings that no other beats in every objective, best score first", () => {
    const { front, feasible, reference } = paretoOf(designs(rows), objectives);
    // Scores: AA 0.55, CC 0.65, TT 0.55.
    expect(front.map(({ string }) => string)).toEqual(["CC", "AA", "TT"]);
    expect({ feasible, reference }).toEqual({ feasible: 4, reference: [0, 10] });
  });

  test("has the hypervolume of its scaled values", () => {
    // Strips of the staircase: 0.9 · 0.2, then 0.5 · (0.8 − 0.2), then 0.1 · (1 − 0.8).
    expect(paretoOf(designs(rows), objectives).hypervolume).toBeCloseTo(0.18 + 0.3 + 0.02, 12);
  });

  test("leaves out strings that violate a constraint", () => {
    const limited = [objectives[0], { ...objectives[1], atMost: 5 }];
    const pareto = paretoOf(designs(rows, limited), limited);
    expect(pareto.front.map(({ string }) => string)).toEqual(["CC", "TT"]);
    expect(paretoText(pareto, limited)).toBe(
      "3 strings meet the constraints. The Pareto front has 2 strings; its hypervolume is 0.4200 relative to binding 0, cost 10.",
    );
  });

  test("is empty without strings, and its hypervolume is 0", () => {
    expect(paretoOf([], objectives)).toMatchObject({ front: [], hypervolume: 0 });
  });

  test("has no hypervolume if it is large and has four objectives, and says so", () => {
    const four = ["a", "b", "c", "d"].map((name) => ({ ...objectives[0], name }));
    const line = Array.from({ length: 101 }, (_, i) => [i / 100, 1 - i / 100, 0.5, 0.5]);
    const pareto = paretoOf(designs(Object.fromEntries(line.map((row, i) => [String(i), row])), four), four);
    expect(pareto.front).toHaveLength(101);
    expect(paretoText(pareto, four)).toBe(
      "The Pareto front has 101 strings; its hypervolume is not computed, because it has more than 100 strings in 4 objectives.",
    );
  });
});

test("the file has a column for each objective, and strings that no spreadsheet executes", () => {
  const pareto = paretoOf(designs({ "=A": [1, 0] }), objectives);
  expect(paretoCsv(pareto, objectives)).toBe("string,score,binding,cost\n'=A,1,1,0\n");
});
