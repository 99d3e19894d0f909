// Tests that training in strings under constraints reaches the limit, also with off-policy rows that are illegal strings.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fit, openRun } from "gflownet";
import { RandomStream } from "gflownet/engine";
import {
  constrainedSequenceEnvironment,
  type EnumerableConstrainedEnvironment,
  illegalProbability,
  type LetterNoise,
  limitOf,
  rewardTable,
} from "gflownet/gfn";
import { describe, expect, test } from "vitest";

const ALLOWED = ["1101", "1110", "0111", "1011"].map((row) => [...row].map((value) => value === "1"));

/** Strings with allowed pairs, and scores that prefer strings with two B and C at the end. */
function problem(noise: LetterNoise) {
  const environment = constrainedSequenceEnvironment({
    space: { tokens: ["A", "B", "C", "D"], length: { min: 4, max: 4 } },
    constraints: [{ kind: "pairs", allowed: ALLOWED }],
    noise,
  }) as EnumerableConstrainedEnvironment;
  const { terminals } = environment.enumerate();
  const illegal = environment.illegalObjects();
  const scores = Float64Array.from({ length: terminals }, (_, terminal) => {
    const letters = environment.sampleTrajectoryTo(terminal, RandomStream.fromSeed(0));
    if (illegal[terminal] === 1) return 0;
    return 2 ** letters.filter((letter) => letter === 1).length * (letters[3] === 2 ? 3 : 1);
  });
  const reward = rewardTable(scores);
  const sum = reward.reduce((a, b) => a + b);
  const target = reward.map((value) => value / sum);
  return { environment, scores, limit: limitOf(environment, environment.enumerate(), target) };
}

async function evaluationOf(options: Parameters<typeof fit>[0]) {
  const trained = await fit({ hidden: [32], iterations: 500, evaluateEvery: 0, ...options });
  const evaluation = trained.events.filter((event) => event.kind === "evaluation").at(-1);
  await trained.dispose();
  if (!evaluation?.exact) throw new Error("the evaluation must be exact");
  return evaluation;
}

describe("the default settings reach the limit", () => {
  test.each<[string, LetterNoise]>([
    ["without noise", { kind: "none" }],
    ["with noise within", { kind: "stick", stick: 0.25, mode: "within" }],
    ["with free noise", { kind: "stick", stick: 0.25, mode: "free" }],
  ])("%s", async (_, noise) => {
    const { environment, scores, limit } = problem(noise);
    const { tv, kl } = (await evaluationOf({ environment, scores })).reached;
    expect(kl).toBeLessThan(limit.kl + 0.02);
    expect(tv).toBeLessThan(limit.tv + 0.05);
  });
});

test("rows that follow illegal strings train the joint form too", async () => {
  const { environment, scores, limit } = problem({ kind: "stick", stick: 0.25, mode: "free" });
  expect(environment.isLegal("ACAC")).toBe(false);
  const { reached, uniform } = await evaluationOf({
    environment,
    scores,
    objective: "sdb",
    offlineObjects: ["ACAC", "DBDB", "BBBC"],
    uniformShare: 0.2,
    offlineShare: { from: 0.3, to: 0, until: 0.5 },
    replayShare: 0.2,
  });
  // The squared loss on such rows ends near the limit, not at it.
  expect(reached.kl - limit.kl).toBeLessThan((uniform.kl - limit.kl) / 3);
  expect(illegalProbability(environment, limit.policy)).toBeGreaterThan(0.1);
});

test("a saved run builds its environment again, and its samples are legal", async () => {
  const { environment, scores } = problem({ kind: "stick", stick: 0.25, mode: "within" });
  const trained = await fit({ environment, scores, hidden: [8], batch: 8, iterations: 5 });
  const folder = mkdtempSync(join(tmpdir(), "constrained-"));
  try {
    await trained.save(join(folder, "run"));
    const again = await openRun(join(folder, "run"));
    const samples = await again.sample(20, { seed: 1 });
    expect(samples).toEqual(await trained.sample(20, { seed: 1 }));
    for (const { object } of samples) expect(environment.problemWith(object)).toBeNull();
    await again.dispose();
  } finally {
    await trained.dispose();
    rmSync(folder, { recursive: true });
  }
});
