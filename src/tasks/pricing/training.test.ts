// Tests of training on the task `pricing`: trajectory balance approaches the limit, and expected flows approach their
// exact solution.

import { expect, test } from "vitest";
import { enumerationOf } from "../../gfn/environment/environment.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../../gfn/evaluate/exact-evaluator.ts";
import { solveExpectedFlows } from "../../gfn/evaluate/expected-dynamics.ts";
import { OBJECTIVES, type Objective } from "../../gfn/objectives/objective.ts";
import { rewardTable } from "../../gfn/reward/reward.ts";
import { defaultSettings } from "../../gfn/training/defaults.ts";
import { modelTrainer } from "../../gfn/training/trainer.ts";
import { totalVariation } from "../../math/distances.ts";
import { pricingTask } from "./index.ts";

const ITERATIONS = 500;
// A higher price sensitivity and a lower profit scale than by default, so that the compared policies differ more.
const { environment, scores } = pricingTask({
  stick: 0.1,
  months: 2,
  priceSensitivity: 0.1,
  profitScale: 30,
});
const enumeration = enumerationOf(environment);
const reward = rewardTable(scores);

/** Trains a tabular policy, and returns its evaluations before and after training. */
async function trained(objective: Objective) {
  const trainer = await modelTrainer({
    ...defaultSettings(environment, objective),
    hidden: [],
    environment,
    scores,
    seed: 3,
    engine: "native",
  });
  const evaluator = await exactEvaluator({
    ...{ model: trainer.model, reward, balance: objective.balance, engine: "native" },
    usesDynamics: objective.dynamics === "marginal",
  });
  const before = await evaluator.evaluate(await trainer.parameters());
  for (let t = 0; t < ITERATIONS; t++) await trainer.step(t, t / ITERATIONS);
  const after = await evaluator.evaluate(await trainer.parameters());
  await evaluator.dispose();
  await trainer.dispose();
  return { before, after, limit: evaluator.limit };
}

test("the kl objective with trajectory balance approaches the limit, and learns the dynamics", async () => {
  const { before, after, limit } = await trained({ ...OBJECTIVES.kl, balance: "tb" });
  expect(before.reached.kl - limit.kl).toBeGreaterThan(0.15);
  expect(after.reached.kl - limit.kl).toBeLessThan(0.06);
  expect(before.reached.dynamicsKl).toBeGreaterThan(0.4);
  expect(after.reached.dynamicsKl).toBeLessThan(0.03);
});

test("expected flows approach their exact solution", async () => {
  const { before, after } = await trained(OBJECTIVES.eflow);
  const { policy } = solveExpectedFlows(enumeration, reward);
  const solution = visitation(enumeration, policy).terminals;
  const uniform = visitation(enumeration, uniformPolicy(enumeration)).terminals;
  expect(totalVariation(uniform, solution)).toBeGreaterThan(0.07);
  expect(totalVariation(before.terminals, solution)).toBeGreaterThan(0.1);
  expect(totalVariation(after.terminals, solution)).toBeLessThan(0.03);
});
