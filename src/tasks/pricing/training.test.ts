// Policies that set premiums, trained: whole paths end at the limit, expectations where dynamic programming says.

import { expect, test } from "vitest";
import { defaultSettings } from "../../gfn/defaults.ts";
import { listingOf } from "../../gfn/environment.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { uniformPolicy, visitation } from "../../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../../gfn/evaluate/exact-evaluator.ts";
import { expectedFlows } from "../../gfn/evaluate/expected.ts";
import { OBJECTIVES, type Objective } from "../../gfn/objectives/choice.ts";
import { rewardTable } from "../../gfn/reward.ts";
import { createTrainer } from "../../gfn/trainer.ts";
import { pricingTask } from "./index.ts";

const ITERATIONS = 500;
// Prices matter more than usual, and profit too, so that the policies that are compared lie far apart.
const { environment, scores } = pricingTask({
  stick: 0.1,
  months: 2,
  priceSensitivity: 0.1,
  profitScale: 30,
});
const listed = listingOf(environment);
const reward = rewardTable(scores);

/** What a table of all states has learned. */
async function trained(objective: Objective) {
  const settings = defaultSettings(environment, { objective });
  const policy = { ...settings.policy, hidden: [] };
  const trainer = await createTrainer({
    ...settings,
    policy,
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

test("kl over whole paths comes to the limit, with dynamics that are learned on the way", async () => {
  const { before, after, limit } = await trained({ ...OBJECTIVES.kl, balance: "tb" });
  expect(before.reached.kl - limit.kl).toBeGreaterThan(0.15);
  expect(after.reached.kl - limit.kl).toBeLessThan(0.06);
  expect(before.reached.dynamicsKl).toBeGreaterThan(0.4);
  expect(after.reached.dynamicsKl).toBeLessThan(0.03);
});

test("expected flows end where their dynamic programme does", async () => {
  const { before, after } = await trained(OBJECTIVES.eflow);
  const { policy } = expectedFlows(listed, reward);
  const law = visitation(listed, policy).terminals;
  const uniform = visitation(listed, uniformPolicy(listed)).terminals;
  expect(totalVariation(uniform, law)).toBeGreaterThan(0.07);
  expect(totalVariation(before.terminals, law)).toBeGreaterThan(0.1);
  expect(totalVariation(after.terminals, law)).toBeLessThan(0.03);
});
