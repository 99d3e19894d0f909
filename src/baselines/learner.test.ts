// Tests that learners report the terminals of their policies, and that a GFlowNet learner trains exactly like a
// trainer.

import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../test/support/chi-square.ts";
import { ask, ITERATIONS, randomScores, smallRun, strings } from "../../test/support/small-run.ts";
import { exactEvaluator } from "../gfn/evaluate/exact-evaluator.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { modelTrainer } from "../gfn/training/trainer.ts";
import { gflownetLearner, type Learner } from "./learner.ts";
import { ppoLearner } from "./ppo.ts";
import { defaultPpoSettings } from "./ppo-settings.ts";

const BATCH = 128;
const STEPS = 40;
const network = { hidden: [8], stateTableRows: 40, stateTableRateScale: 1 };

const frozen: Record<string, () => Promise<Learner>> = {
  "a GFlowNet": () => gflownetLearner(smallRun({ batch: BATCH, ...network, learningRate: 0 })),
  PPO: () =>
    ppoLearner({
      environment: strings,
      scores: randomScores(27),
      settings: defaultPpoSettings(strings, { batch: BATCH, ...network, learningRate: 0, epochs: 1 }),
      seed: 3,
      engine: "native",
    }),
};

describe.each(Object.entries(frozen))("%s at learning rate 0", (_, create) => {
  test("reports terminals with the frequencies of its policy", async () => {
    const learner = await create();
    const counts = new Float64Array(27);
    const reports: Int32Array[] = [];
    for (let t = 0; t < STEPS; t++) reports.push((await learner.step(t, 0)).terminals);
    // Terminals are counted after all steps, to show that later steps do not change earlier reports.
    for (const terminals of reports) for (const terminal of terminals) counts[terminal]++;
    const evaluator = await exactEvaluator({
      model: learner.model,
      reward: rewardTable(randomScores(27)),
      balance: "db",
      usesDynamics: false,
      engine: "native",
    });
    const { terminals } = await evaluator.evaluate(await learner.parameters());
    await evaluator.dispose();
    await learner.dispose();
    expect(reports.every(({ length }) => length === BATCH)).toBe(true);
    expect(chiSquare(counts, terminals)).toBeLessThan(chiSquareLimit(terminals));
    expect(chiSquare(counts, new Float64Array(27).fill(1 / 27))).toBeGreaterThan(chiSquareLimit(terminals));
  });
});

describe("a GFlowNet that reports objects", () => {
  test("trains bit-identically to a trainer that does not report them", async () => {
    const [learner, trainer] = [await gflownetLearner(smallRun()), await modelTrainer(smallRun())];
    for (let t = 0; t < ITERATIONS; t++) {
      const { loss, dynamicsLoss, entropyRatio, terminals } = await learner.step(t, t / ITERATIONS);
      const report = await trainer.step(t, t / ITERATIONS);
      expect({ loss, dynamicsLoss }).toEqual({ loss: report.loss, dynamicsLoss: report.dynamicsLoss });
      expect(dynamicsLoss).toBeGreaterThan(0);
      expect(entropyRatio).toBeNull();
      expect(terminals).toHaveLength(16);
      expect(report).not.toHaveProperty("terminals");
    }
    expect(learner.programs).toEqual(trainer.programs);
    expect(await learner.parameters()).toEqual(await trainer.parameters());
    await learner.dispose();
    await trainer.dispose();
  });

  test("reports the entropy ratio if it is used", async () => {
    const learner = await gflownetLearner(smallRun({ entropyRatio: "observe" }));
    const { entropyRatio } = await learner.step(0, 0);
    await learner.dispose();
    expect(entropyRatio).toBeGreaterThanOrEqual(1);
    expect(entropyRatio).toBeLessThanOrEqual(2); // 1/γ
  });

  test("requires scores in a table, not from a function", async () => {
    await expect(gflownetLearner(smallRun({ scores: ask }))).rejects.toThrow(
      "reportObjects needs a table of scores, because a score function gives objects no indices",
    );
  });
});
