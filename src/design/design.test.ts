// `design` in one call: budgets, constraints, exact mode, failures, goals and known strings.

import { describe, expect, test } from "vitest";
import { UserError } from "../issues.ts";
import { type DesignOptions, design } from "./design.ts";

const SMALL: DesignOptions = {
  alphabet: "DNA",
  length: 5,
  score: (string) => string.split("A").length - 1,
  budget: 60,
  iterations: 30,
  training: { hidden: [8], batch: 16 },
};

/** Runs a design, and records the strings that its function was asked for. */
async function recorded(options: Partial<DesignOptions>) {
  const asked: string[] = [];
  const given = { ...SMALL, ...options };
  const result = await design({
    ...given,
    score: (string) => {
      asked.push(string);
      return given.score?.(string) ?? 0;
    },
  });
  await result.trained.dispose();
  return { ...result, asked };
}

describe("design", () => {
  test("asks at most the budget, each string once, and returns the best of them", async () => {
    const { asked, calls, scored, candidates } = await recorded({});
    expect(asked.length).toBe(60);
    expect(new Set(asked).size).toBe(60);
    expect([calls, scored.length]).toEqual([60, 60]);
    const best = Math.max(...scored.map(({ score }) => score));
    expect(candidates[0].score).toBe(best);
    expect(candidates.length).toBe(60);
  });

  test("asks only for legal strings", async () => {
    const { asked } = await recorded({ constraints: { homopolymer: 1, forbid: ["GC"] } });
    expect(asked.length).toBeGreaterThan(30);
    for (const string of asked) expect(string).not.toMatch(/(.)\1|GC/);
  });

  test("samples after the budget is spent, with the scores that were paid for", async () => {
    const { trained, scored, calls } = await design({ ...SMALL, score: (string) => -string.indexOf("A") });
    const samples = await trained.sample(100);
    const scores = new Map(scored.map(({ string, score }) => [string, score]));
    expect(samples.map(({ score }) => score)).toEqual(
      samples.map(({ object }) => scores.get(object) ?? null),
    );
    expect(samples.some(({ score }) => score === null)).toBe(true);
    expect(calls).toBe(60);
    await trained.dispose();
  });

  test("says why strings have no score if none has one", async () => {
    const score = () => {
      throw new Error("no licence");
    };
    await expect(design({ ...SMALL, score })).rejects.toThrow(
      /gave no score for any of \d+ strings; .*no licence/,
    );
  });

  test("scores every string and evaluates exactly if the budget covers all", async () => {
    const result = await design({ ...SMALL, length: 3, budget: 64, iterations: 600 });
    const evaluation = await result.trained.evaluate();
    expect(result.calls).toBe(64);
    expect(evaluation.exact && evaluation.reached.tv).toBeLessThan(0.1);
    await result.trained.dispose();
  });

  test("skips strings that fail, or gives them the floor", async () => {
    const score = (string: string) => {
      if (string.startsWith("A")) throw new Error("no");
      return 1;
    };
    const skipped = await recorded({ score });
    expect(skipped.scored.length).toBeLessThan(60);
    expect(skipped.scored.every(({ string }) => !string.startsWith("A"))).toBe(true);
    expect((await recorded({ score, failures: "floor" })).calls).toBe(60);
    await expect(recorded({ score, failures: "stop" })).rejects.toThrow("gave no score for");
  });

  test("finds low and negative scores if they are minimised", async () => {
    const { candidates } = await recorded({
      score: (string) => -string.split("T").length,
      reward: { goal: "minimise" },
    });
    expect(candidates[0].score).toBeLessThan(candidates[candidates.length - 1].score);
  });

  test("starts from known strings, which are neither asked for nor candidates", async () => {
    const known = [{ string: "AAAAA", score: 5 }];
    const { asked, candidates } = await recorded({ known });
    expect(asked).not.toContain("AAAAA");
    expect(candidates.map(({ string }) => string)).not.toContain("AAAAA");
    expect(candidates.every(({ distanceToKnown }) => (distanceToKnown ?? 0) > 0)).toBe(true);
  });

  test("reports all mistakes at once", async () => {
    const wrong = design({ ...SMALL, alphabet: "AAC", length: 0, constraints: { forbid: ["X"] } });
    await expect(wrong).rejects.toThrow(/2 problems:\n.*length:.*\n.*alphabet:/);
  });

  test("refuses wrong options together with mistakes in the problem, and calls nothing", async () => {
    const score = () => {
      throw new Error("called");
    };
    const wrong = {
      ...{ ...SMALL, score, length: 0, candidates: -1, radius: Number.NaN, lenght: 3 },
      ...{ iterations: 0, seconds: -1, threads: 0.5, engine: "gpu", acquisition: "best", onEvent: 7 },
    } as unknown as DesignOptions;
    const error = await design(wrong).catch((reason) => reason);
    expect(error).toBeInstanceOf(UserError);
    const paths = (error as UserError).issues.map(({ path }) => path);
    expect(paths.sort()).toEqual(
      [
        ...["acquisition", "candidates", "engine", "iterations", "length", "lenght", "onEvent", "radius"],
        ...["seconds", "threads"],
      ].sort(),
    );
    expect(error.message).toContain("lenght: there is no such option of design; did you mean `length`?");
    expect(error.message).toContain("candidates: must be a whole number");
  });

  test("says what is missing or too much of its score functions", async () => {
    await expect(design({ ...SMALL, score: undefined })).rejects.toThrow(
      "score: must be a function that scores a string; or give `scores`, which scores a list of them",
    );
    await expect(design({ ...SMALL, scores: () => [] })).rejects.toThrow("scores: excludes `score`");
    await expect(design({ ...SMALL, budget: undefined })).rejects.toThrow("budget: must be given, or both");
  });

  test("a function of a batch that throws fails for the strings of this batch", async () => {
    let calls = 0;
    const scores = (strings: readonly string[]) => {
      if (calls++ === 1) throw new Error("server\nbusy");
      return strings.map((string) => string.split("A").length - 1);
    };
    const training = { ...SMALL.training, collectBatch: 16 };
    const options = { ...SMALL, training, score: undefined, scores };
    const { trained, scored, calls: sent } = await design(options);
    await trained.dispose();
    expect(sent).toBe(60);
    expect(scored.length).toBeGreaterThan(0);
    expect(scored.length).toBeLessThan(60);
    calls = 0;
    await expect(design({ ...options, failures: "stop" })).rejects.toThrow(
      /gave no score for "[ACGT]{5}": server busy$/,
    );
  });

  test.each(["score", "scores"])("ends soon after the signal even if `%s` never answers", async (name) => {
    const controller = new AbortController();
    const never = () => {
      setTimeout(() => controller.abort(), 20);
      return new Promise<never>(() => {});
    };
    const options = { ...SMALL, score: undefined, [name]: never, signal: controller.signal };
    await expect(design(options)).rejects.toThrow("the design was stopped before its training began");
    await expect(design({ ...options, length: 2, signal: AbortSignal.timeout(50) })).rejects.toThrow(
      "stopped",
    );
    await expect(design({ ...options, rounds: 2, signal: AbortSignal.timeout(50) })).rejects.toThrow(
      "stopped",
    );
  });

  test("has the candidates of what was scored before the signal, if a later call never answers", async () => {
    const controller = new AbortController();
    let asked = 0;
    const score = (string: string) => {
      if (++asked <= 40) return string.split("A").length - 1;
      controller.abort();
      return new Promise<never>(() => {});
    };
    const training = { ...SMALL.training, collectBatch: 16 };
    const options = { ...SMALL, training, score, signal: controller.signal };
    const { trained, scored, candidates } = await design(options);
    await trained.dispose();
    expect(scored.length).toBeGreaterThan(10);
    expect(scored.length).toBeLessThanOrEqual(40);
    expect(candidates.length).toBe(scored.length);
  });
});

describe("design with several objectives", () => {
  const objectives = [
    { name: "many", best: 5 },
    { name: "cost", goal: "minimise", worst: 5, best: 0, atMost: 3 },
  ];
  const values = (string: string) => ({
    many: string.split("A").length - 1,
    cost: string.split("C").length - 1,
  });

  test("scores by the weighted mean, and the candidates have the values", async () => {
    const known = [{ string: "CCCCC", scores: { many: 0, cost: 5 } }];
    const { candidates, scored, calls, trained } = await design({
      ...SMALL,
      objectives,
      score: values,
      known,
    });
    await trained.dispose();
    expect(calls).toBe(60);
    expect(scored.find(({ string }) => string === "CCCCC")?.score).toBeCloseTo(0.05 / 1.4, 12);
    for (const { string, score, values: given } of candidates) {
      const { many, cost } = values(string);
      expect(given).toEqual([many, cost]);
      const mean = (many / 5 + (5 - cost) / 5) / 2;
      expect(score).toBeCloseTo(cost > 3 ? 0.05 / (1 + (cost - 3) / 5) : 0.1 + 0.9 * mean, 12);
    }
  });

  test("has a uniform target for all weights if all values are 0", async () => {
    const score = () => ({ many: 0, cost: 0 });
    const zero = [{ name: "many" }, { name: "cost" }];
    const options = { ...SMALL, length: 3, budget: 64, objectives: zero, score, iterations: 2 } as const;
    const { trained, calls } = await design({ ...options, preferences: "conditioned" });
    expect(calls).toBe(64);
    const evaluation = await trained.evaluate({ preference: [1, 0] });
    if (!evaluation.exact) throw new Error("every legal string is scored");
    expect(evaluation.uniform.tv).toBeCloseTo(0, 6);
    await trained.dispose();
  });

  test("trains one policy for all weights if preferences are conditioned and the budget covers all strings", async () => {
    const options = { ...SMALL, length: 3, budget: 64, objectives, score: values } as const;
    const { trained } = await design({ ...options, preferences: "conditioned", iterations: 400 });
    for (const preference of [
      [1, 0],
      [0, 1],
    ]) {
      const evaluation = await trained.evaluate({ preference });
      if (!evaluation.exact) throw new Error("every legal string is scored");
      expect(evaluation.reached.tv).toBeLessThan(0.1);
      expect(evaluation.reached.tv).toBeLessThan(evaluation.uniform.tv);
    }
    const [{ string, score }] = (await trained.sample(1, { preference: [1, 0] })).map(
      ({ object, score }) => ({
        string: object,
        score,
      }),
    );
    const { many, cost } = values(string);
    expect(score).toBeCloseTo(cost > 3 ? 0.05 / (1 + (cost - 3) / 5) : 0.1 + (0.9 * many) / 5, 12);
    expect(trained.export().length).toBeGreaterThan(1000);
    await trained.dispose();
    await expect(design({ ...options, preferences: "conditioned", budget: 10 })).rejects.toThrow(
      /conditioned needs a score of every legal string/,
    );
  });
});
