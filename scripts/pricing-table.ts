// Writes the table in docs/pricing.md: npx tsx scripts/pricing-table.ts [iterations] [stick]
//
// The table has exact results of trained policies on the task `pricing`, beside those of dynamic programming.

import {
  defaultSettings,
  exactEvaluator,
  klDivergence,
  largestExpectedReward,
  limitOf,
  modelTrainer,
  normaliseRewards,
  OBJECTIVES,
  type Objective,
  rewardTable,
  solveExpectedFlows,
  solveSoftQ,
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
const enumeration = environment.enumerate();
const reward = rewardTable(scores);
const { target } = normaliseRewards(reward);
const distributionOf = (policy: Float64Array) => visitation(enumeration, policy).terminals;

console.log("| policy | expected profit | leave | TV | KL | KL(P ‖ P̂) |\n|---|---|---|---|---|---|");
show("target, out of reach", [{ distribution: target }]);
show("limit: nearest in KL", [{ distribution: limitOf(environment, enumeration, target).terminals }]);
for (const [name, objective] of Object.entries(LEARNED)) {
  const runs: Run[] = [];
  for (const seed of SEEDS) runs.push(await trained(objective, seed));
  show(name, runs);
}
show("expected flows, by dynamic programming", [
  { distribution: distributionOf(solveExpectedFlows(enumeration, reward).policy) },
]);
show("soft Q-values, by dynamic programming", [
  { distribution: distributionOf(solveSoftQ(enumeration, reward).policy) },
]);
show("uniform", [{ distribution: distributionOf(uniformPolicy(enumeration)) }]);
const most = largestExpectedReward(enumeration, task.profits);
console.log(`| most that any policy earns | ${most.toFixed(1)} | – | – | – | – |`);

interface Run {
  /** Probability of every path. */
  readonly distribution: Float64Array;
  readonly dynamicsKl?: number | null;
}

/** Trains a policy without hidden layers: a state table plus a linear function of the features. */
async function trained(objective: Objective, seed: number): Promise<Run> {
  const settings = defaultSettings(environment, { ...objective, hidden: [] });
  const trainer = await modelTrainer({ ...settings, environment, scores, seed, threads: 1 });
  for (let t = 0; t < iterations; t++) await trainer.step(t, t / iterations);
  const evaluator = await exactEvaluator({
    ...{ model: trainer.model, reward, balance: objective.balance },
    usesDynamics: objective.dynamics === "marginal",
  });
  const { terminals, reached } = await evaluator.evaluate(await trainer.parameters());
  await evaluator.dispose();
  await trainer.dispose();
  return { distribution: terminals, dynamicsKl: reached.dynamicsKl };
}

/** Prints a row: the median of the runs, with the smallest and the largest if there are several. */
function show(name: string, runs: readonly Run[]): void {
  const leave = (distribution: Float64Array) =>
    distribution.reduce((sum, p, path) => sum + (task.decode(path).endsWith("l") ? p : 0), 0);
  const column = (digits: number, of: (run: Run) => number) => {
    const values = runs.map(of).sort((a, b) => a - b);
    const text = values.map((value) => value.toFixed(digits));
    const middle = text[Math.floor(text.length / 2)];
    return text.length > 1 ? `${middle} (${text[0]}–${text.at(-1)})` : middle;
  };
  const dynamics = runs.every(({ dynamicsKl }) => typeof dynamicsKl === "number");
  const columns = [
    column(1, ({ distribution }) => expectedProfit(task, distribution)),
    column(2, ({ distribution }) => leave(distribution)),
    column(3, ({ distribution }) => totalVariation(target, distribution)),
    column(3, ({ distribution }) => klDivergence(target, distribution)),
    dynamics ? column(4, ({ dynamicsKl }) => dynamicsKl as number) : "–",
  ];
  console.log(`| ${name} | ${columns.join(" | ")} |`);
}
