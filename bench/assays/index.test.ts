// Tests of the settings, requirements and rows of the assays benchmark.

import { describe, expect, test } from "vitest";
import { UsageError } from "../benchmark.ts";
import { formatTable } from "../report.ts";
import { type AssayCase, assayCases, measurementsOf, pairedDifference, RIVALS } from "./cases.ts";
import { assays, select } from "./index.ts";
import type { MeasurementResult } from "./measure.ts";
import { METHODS, OURS } from "./methods.ts";
import { type Results, rowsOf, TABLE } from "./rows.ts";

const full = { ...assays.full, quick: false };
const caseWith = (pattern: RegExp) =>
  assayCases({ quick: false }).find(({ setting }) => pattern.test(setting)) as AssayCase;

/** The result of one run, with the values of its only round. */
function result(values: {
  readonly best?: number;
  readonly topMean?: number;
  readonly circles?: number;
  readonly coverage?: MeasurementResult["coverage"];
}): MeasurementResult {
  const { best = 0, topMean = 0, circles = 0, coverage = null } = values;
  return { rounds: [{ calls: 10, best, topMean, circles, proxyCalls: 5 }], coverage, seconds: 1 };
}

/** Results in which all rivals are alike. */
function resultsOf(ours: readonly MeasurementResult[], rival: readonly MeasurementResult[]): Results {
  return new Map([[OURS, ours], ...RIVALS.map((name) => [name, rival] as const)]);
}

describe("a selection", () => {
  test("has every setting once, and all methods", () => {
    const { cases, methods } = select(full);
    expect(new Set(cases.map(({ setting }) => setting)).size).toBe(cases.length);
    expect(methods).toEqual(Object.keys(METHODS));
  });

  test("is made of the settings or the methods that match", () => {
    const ehrlich = select({ ...full, only: /L15 .*310 calls \(10 × 31\)$/ });
    expect(ehrlich.cases.map(({ setting }) => setting)).toEqual([
      "Ehrlich v20 L15 c2 k5, 310 calls (10 × 31)",
    ]);
    expect(ehrlich.methods).toEqual(Object.keys(METHODS));
    const genetic = select({ ...full, only: /^genetic algorithm$/ });
    expect(genetic.methods).toEqual(["genetic algorithm"]);
    expect(genetic.cases).toHaveLength(select(full).cases.length);
  });

  test("without matches fails and lists the settings and methods", () => {
    expect(() => select({ ...full, only: /nothing like it/ })).toThrow(UsageError);
    expect(() => select({ ...full, only: /nothing like it/ })).toThrow(/CRX 8-mers, 384 calls .*; random; /);
  });

  test("of a short run has few calls and problems, and no requirements", () => {
    for (const { rounds, batch, problems, check } of select({ ...full, quick: true }).cases) {
      expect(rounds * batch).toBeLessThan(500);
      expect(problems.length).toBeLessThan(3);
      expect(check("best", null, () => [0])).toBeNull();
    }
  });

  test("measures every problem with every seed", () => {
    const measurements = measurementsOf(caseWith(/L15 .*100 known/), "random", [0, 1]);
    expect(measurements).toHaveLength(10);
    expect(measurements[1]).toEqual({
      ...{ problem: "Ehrlich v20 L15 c2 k5, instance 5", method: "random", seed: 1 },
      ...{ rounds: 10, batch: 31, known: 100 },
    });
  });
});

test("the difference of pairs has the standard error of its mean", () => {
  // Differences 1, 2 and 3: mean 2, standard deviation 1.
  const { difference, standardError } = pairedDifference([2, 4, 6], [1, 2, 3]);
  expect(difference).toBe(2);
  expect(standardError).toBeCloseTo(1 / Math.sqrt(3), 12);
  expect(() => pairedDifference([1], [])).toThrow("there must be pairs of values, got 1 and 0");
});

describe("requirements", () => {
  const genetic = (rows: readonly { readonly rival: string | null; readonly metric: string }[]) =>
    rows.filter(({ rival }) => rival === "genetic algorithm");

  test("on Ehrlich functions: more than one standard error above the genetic algorithm", () => {
    const each = caseWith(/L15 .*310 calls \(10 × 31\)$/);
    const values = each.check.bind(null, "best", "genetic algorithm");
    // Differences 0.1 and 0.3: mean 0.2, standard error 0.1. Differences −0.1 and 0.3: mean 0.1, standard error 0.2.
    const of = (ours: number[]) => (method: string) => (method === OURS ? ours : [0.4, 0.4]);
    expect(values(of([0.5, 0.7]))?.met).toBe(true);
    expect(values(of([0.3, 0.7]))?.met).toBe(false);
    expect(each.check("best", null, of([0.6, 0.61]))).toEqual({ required: "goal: at least 0.60", met: true });
    expect(each.check("best", "random", of([0.6, 0.61]))).toBeNull();
  });

  test("on RNA: a mean, and no fewer circles than the genetic algorithm", () => {
    const each = caseWith(/RNA3 .*1,280/);
    const ours: Record<string, number[]> = { topMean: [0.95, 0.93], circles: [10, 10] };
    const of = (method: string, metric: string) => (method === OURS ? ours[metric] : [11, 9]);
    expect(each.check("topMean", null, of)).toEqual({ required: "mean at least 0.94", met: true });
    expect(each.check("circles", "genetic algorithm", of)?.met).toBe(true);
    expect(each.check("circles", "AdaLead", of)).toBeNull();
  });

  test("on the binding table: the highest mean, and no fewer circles than the next", () => {
    const each = caseWith(/CRX .*384 calls \(4 × 96\)$/);
    const values: Record<string, Record<string, number>> = {
      [OURS]: { topMean: 0.9, circles: 20 },
      AdaLead: { topMean: 0.88, circles: 21 },
    };
    const of = (method: string, metric: string) => [values[method]?.[metric] ?? 0.5];
    expect(each.check("topMean", "AdaLead", of)).toEqual({ required: "higher mean", met: true });
    expect(each.check("circles", "AdaLead", of)).toEqual({ required: "no fewer circles", met: false });
    expect(each.check("circles", "genetic algorithm", of)).toBeNull();
  });

  test("of intervals: 75 to 85 % of all scores of a setting", () => {
    const each = caseWith(/CRX .*2,000/);
    const rowFor = (...inside: number[]) =>
      rowsOf(
        each,
        resultsOf(
          inside.map((inside) => result({ coverage: { inside, total: 100 } })),
          inside.map(() => result({})),
        ),
      ).find(({ metric }) => metric === "scores inside 80 % intervals");
    expect(rowFor(60, 100)).toMatchObject({ ours: 0.8, required: "75 to 85 %", met: true });
    expect(rowFor(70, 70)?.met).toBe(false);
    expect(rowsOf(each, resultsOf([result({})], [result({})])).map(({ metric }) => metric)).not.toContain(
      "scores inside 80 % intervals",
    );
  });

  test("stand in rows with the ratio and the difference to each rival", () => {
    const each = caseWith(/CRX .*2,000/);
    const ours = [result({ topMean: 0.9, circles: 30 }), result({ topMean: 0.8, circles: 32 })];
    const rival = [result({ topMean: 0.8, circles: 20 }), result({ topMean: 0.6, circles: 20 })];
    const [row] = genetic(rowsOf(each, resultsOf(ours, rival)));
    expect(row).toMatchObject({ metric: "mean of the top 100", proxyCalls: 5, values: [0.8, 0.6] });
    expect(formatTable([row] as never, TABLE).split("\n")[1]).toMatch(
      /0\.850 +genetic algorithm +0\.700 +1\.21 +0\.150 ± 0\.050 +5/,
    );
  });

  test("are not checked for the rivals alone", () => {
    const rows = rowsOf(caseWith(/CRX .*2,000/), new Map([["random", [result({ topMean: 0.5 })]]]));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ ours: null, rivalValue: 0.5, ratio: null, difference: null, met: null });
  });
});

test("only complete results are recorded", () => {
  expect(assays.recordProblem?.(full)).toBeUndefined();
  for (const options of [
    { ...full, quick: true },
    { ...full, only: /L15/ },
    { ...full, rounds: 4 },
  ])
    expect(assays.recordProblem?.(options)).toMatch(/--record needs a complete result/);
});
