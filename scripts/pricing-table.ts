// Writes the table in docs/pricing.md: npx tsx scripts/pricing-table.ts [iterations] [stick]
//
// Exact figures of trained policies on the task `pricing`, beside those that dynamic programming gives.

import {
  createTrainer,
  defaultSettings,
  divergence,
  exactEvaluator,
  expectedFlows,
  largestExpectedReward,
  limitOf,
  normalise,
  OBJECTIVES,
  type Objective,
  rewardTable,
  softValues,
  totalVariation,
  uniformPolicy,
  visitation,
} from "../src/gfn/index.ts";
import { expectedProfit, pricingTask } from "../src/tasks/index.ts";

const SEEDS = [0, 1, 2];
const [iterations = 2000, stick = 0.25] = process.argv.slice(2).map(Number);
const LEARNED: Readonly<Record<string, Objective>> = {
  "`kl --balance tb`": { ...OBJECTIVES.kl, balance: "tb" },
  "`kl`": OBJECTIVES.kl,
  "`sdb-marginal`": OBJECTIVES["sdb-marginal"],
  "`eflow`": OBJECTIVES.eflow,
  "`soft-q`": OBJECTIVES["soft-q"],
};

const task = pricingTask({ stick });
const { environment, scores } = task;
const listed = environment.enumerate();
const reward = rewardTable(scores);
const { target } = normalise(reward);
const lawOf = (policy: Float64Array) => visitation(listed, policy).terminals;

console.log("| policy | expected profit | leave | TV | KL | KL(K ‖ P̂) |\n|---|---|---|---|---|---|");
show("target, out of reach", [{ law: target }]);
show("limit: nearest in KL", [{ law: limitOf(environment, listed, target).terminals }]);
for (const [name, objective] of Object.entries(LEARNED)) {
  const runs: Run[] = [];
  for (const seed of SEEDS) runs.push(await trained(objective, seed));
  show(name, runs);
}
show("expected flows, by dynamic programming", [{ law: lawOf(expectedFlows(listed, reward).policy) }]);
show("soft Q-values, by dynamic programming", [{ law: lawOf(softValues(listed, reward).policy) }]);
show("uniform", [{ law: lawOf(uniformPolicy(listed)) }]);
const most = largestExpectedReward(listed, task.profits);
console.log(`| most that any policy earns | ${most.toFixed(1)} | – | – | – | – |`);

interface Run {
  /** Probability of every path. */
  readonly law: Float64Array;
  readonly dynamicsKl?: number | null;
}

/** A policy without hidden layers: one row of memory for each state, on top of what is linear in its features. */
async function trained(objective: Objective, seed: number): Promise<Run> {
  const settings = defaultSettings(environment, { objective });
  const policy = { ...settings.policy, hidden: [] };
  const trainer = await createTrainer({ ...settings, policy, environment, scores, seed, threads: 1 });
  for (let t = 0; t < iterations; t++) await trainer.step(t, t / iterations);
  const evaluator = await exactEvaluator({
    ...{ model: trainer.model, reward, balance: objective.balance },
    usesDynamics: objective.dynamics === "marginal",
  });
  const { terminals, reached } = await evaluator.evaluate(await trainer.parameters());
  await evaluator.dispose();
  await trainer.dispose();
  return { law: terminals, dynamicsKl: reached.dynamicsKl };
}

/** A row: what the runs have, with the smallest and the largest if there are several. */
function show(name: string, runs: readonly Run[]): void {
  const leave = (law: Float64Array) =>
    law.reduce((sum, p, path) => sum + (task.decode(path).endsWith("l") ? p : 0), 0);
  const column = (digits: number, of: (run: Run) => number) => {
    const values = runs.map(of).sort((a, b) => a - b);
    const text = values.map((value) => value.toFixed(digits));
    const middle = text[Math.floor(text.length / 2)];
    return text.length > 1 ? `${middle} (${text[0]}–${text.at(-1)})` : middle;
  };
  const dynamics = runs.every(({ dynamicsKl }) => typeof dynamicsKl === "number");
  const columns = [
    column(1, ({ law }) => expectedProfit(task, law)),
    column(2, ({ law }) => leave(law)),
    column(3, ({ law }) => totalVariation(target, law)),
    column(3, ({ law }) => divergence(target, law)),
    dynamics ? column(4, ({ dynamicsKl }) => dynamicsKl as number) : "–",
  ];
  console.log(`| ${name} | ${columns.join(" | ")} |`);
}
