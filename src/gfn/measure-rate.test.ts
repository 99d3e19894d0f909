import { describe, expect, test } from "vitest";
import { ask, smallRun } from "../../test/support/small-run.ts";
import { iterationsWithin, measureRate } from "./measure-rate.ts";

describe("iterationsWithin", () => {
  const rate = { perIteration: 0.25, perEvaluation: 0.5, setup: 1 };

  test.each<[string, number, number, number]>([
    ["what is left after setting up and evaluating", 10, 2, 32],
    ["whole iterations only", 10.2, 2, 32],
    ["fewer where there are more evaluations", 10, 6, 24],
    ["one at least", 1, 2, 1],
    ["one at least, however little time there is", 0.001, 100, 1],
  ])("counts %s", (_, seconds, evaluations, iterations) => {
    expect(iterationsWithin(seconds, rate, evaluations)).toBe(iterations);
  });

  test("takes an evaluation at the start and one at the end if not told", () => {
    expect(iterationsWithin(10, rate)).toBe(iterationsWithin(10, rate, 2));
  });

  test("gives whole numbers for any rate, and none for what is no number", () => {
    expect(iterationsWithin(10, { ...rate, perIteration: 0 })).toBe(Number.MAX_SAFE_INTEGER);
    expect(iterationsWithin(2, { ...rate, perIteration: 0 })).toBe(1);
    expect(() => iterationsWithin(Number.NaN, rate)).toThrow("must be numbers");
  });
});

describe("measureRate", () => {
  test("takes about the time it is given, and finds times that add up", async () => {
    const started = performance.now();
    const { perIteration, perEvaluation, setup } = await measureRate(smallRun(), 0.2);
    const took = (performance.now() - started) / 1000;
    expect(perIteration).toBeGreaterThan(0);
    expect(perEvaluation).toBeGreaterThan(0);
    expect(setup).toBeGreaterThan(0);
    expect(setup + perIteration + perEvaluation).toBeLessThan(took);
    expect(took).toBeGreaterThan(setup + 0.2);
  });

  test("counts what a score function takes", async () => {
    const slow = async (texts: readonly string[]) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return ask(texts);
    };
    const { perEvaluation } = await measureRate(smallRun({ scores: slow }), 0.1);
    expect(perEvaluation).toBeGreaterThan(0.025);
  });

  test("refuses no time", async () => {
    await expect(measureRate(smallRun(), 0)).rejects.toThrow("seconds must be positive, got 0");
  });
});
