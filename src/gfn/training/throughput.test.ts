import { describe, expect, test } from "vitest";
import { ask, smallRun } from "../../../test/support/small-run.ts";
import { iterationsWithin, measureThroughput } from "./throughput.ts";

describe("iterationsWithin", () => {
  const throughput = { secondsPerIteration: 0.25, secondsPerEvaluation: 0.5, setupSeconds: 1 };

  test.each<[string, number, number, number]>([
    ["the time that remains after setup and evaluations", 10, 2, 32],
    ["whole iterations only", 10.2, 2, 32],
    ["fewer iterations if there are more evaluations", 10, 6, 24],
    ["at least one", 1, 2, 1],
    ["at least one, however short the time", 0.001, 100, 1],
  ])("counts %s", (_, seconds, evaluations, iterations) => {
    expect(iterationsWithin(seconds, throughput, evaluations)).toBe(iterations);
  });

  test("assumes two evaluations by default", () => {
    expect(iterationsWithin(10, throughput)).toBe(iterationsWithin(10, throughput, 2));
  });

  test("returns whole numbers for any throughput, and refuses NaN", () => {
    expect(iterationsWithin(10, { ...throughput, secondsPerIteration: 0 })).toBe(Number.MAX_SAFE_INTEGER);
    expect(iterationsWithin(2, { ...throughput, secondsPerIteration: 0 })).toBe(1);
    expect(() => iterationsWithin(Number.NaN, throughput)).toThrow("must be numbers");
  });
});

describe("measureThroughput", () => {
  test("takes about the given time, and returns times that add up", async () => {
    const started = performance.now();
    const { secondsPerIteration, secondsPerEvaluation, setupSeconds } = await measureThroughput(
      smallRun(),
      0.2,
    );
    const took = (performance.now() - started) / 1000;
    expect(secondsPerIteration).toBeGreaterThan(0);
    expect(secondsPerEvaluation).toBeGreaterThan(0);
    expect(setupSeconds).toBeGreaterThan(0);
    expect(setupSeconds + secondsPerIteration + secondsPerEvaluation).toBeLessThan(took);
    expect(took).toBeGreaterThan(setupSeconds + 0.2);
  });

  test("includes the time of the score function", async () => {
    const slow = async (texts: readonly string[]) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return ask(texts);
    };
    const { secondsPerEvaluation } = await measureThroughput(smallRun({ scores: slow }), 0.1);
    expect(secondsPerEvaluation).toBeGreaterThan(0.025);
  });

  test("refuses a time of 0", async () => {
    await expect(measureThroughput(smallRun(), 0)).rejects.toThrow("seconds must be positive, got 0");
  });
});
