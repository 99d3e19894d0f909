// Tests of the exact evaluation of models whose networks are tables, against sums over all trajectories.

import { describe, expect, test } from "vitest";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { entropy, normaliseRewards, totalVariation } from "../../math/distances.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { BALANCES } from "../objectives/objective.ts";
import { type Model, model } from "../policy/model.ts";
import { defaultSettings } from "../training/defaults.ts";
import { distributionMetrics } from "./distribution-metrics.ts";
import { uniformPolicy, visitation } from "./exact.ts";
import { type ExactEvaluatorOptions, exactEvaluator } from "./exact-evaluator.ts";
import { limitByExpectationMaximisation, limitByWaterFilling } from "./limit.ts";

const environments = {
  "fixed strings": sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 }),
  "strings with a stop": sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.5, variable: true }),
  "a grid": hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }),
  "a grid without noise": hypergridEnvironment({ dimensions: 3, side: 2, stick: 0 }),
} satisfies Record<string, EnumerableEnvironment>;

/** Logits of illegal actions and outcomes. No result may depend on them. */
const JUNK = 5;

/** A model that consists of state tables: the weights of its networks are 0. */
function tables(environment: EnumerableEnvironment, { learnLogZ = false } = {}): Model {
  const rows = environment.states;
  return model(environment, {
    ...{ ...defaultSettings(environment), learnLogZ },
    ...{ hidden: [2], stateTableRows: rows, dynamicsHidden: [2], dynamicsStateTableRows: rows },
  });
}

interface TableContent {
  /** π(a|s), [states · actions]. */
  readonly policy: Float64Array;
  /** log F, the same for all states. */
  readonly logFlow?: number;
  /** Logits of the dynamics model, [states · outcomes · outcomes]. */
  readonly dynamics?: ArrayLike<number>;
  readonly logZ?: number;
}

function parametersOf({ environment, policyLayout, dynamicsLayout }: Model, written: TableContent) {
  const { states, actions } = environment;
  const parameters = {
    policy: new Float32Array(policyLayout.size),
    dynamics: new Float32Array(dynamicsLayout.size),
  };
  const { network, logZ } = policyLayout.view(parameters.policy);
  const width = network.stateTable!.table.length / states;
  for (let state = 0; state < states; state++) {
    const row = network.stateTable!.table.subarray(state * width, (state + 1) * width).fill(JUNK);
    for (let action = 0; action < actions; action++) {
      const p = written.policy[state * actions + action];
      if (p > 0) row[action] = Math.log(p);
    }
    row[width - 1] = written.logFlow ?? 0;
  }
  if (written.logZ !== undefined) logZ!.fill(written.logZ);
  if (written.dynamics) dynamicsLayout.view(parameters.dynamics).stateTable!.table.set(written.dynamics);
  return parameters;
}

/** log K(c | s, a), [states · outcomes · outcomes], with −1e9 for log 0. */
function kernelOf({ states, actions, outcomes: C, offsets, outcome, probabilities }: Enumeration) {
  const logs = new Float64Array(states * C * C).fill(-1e9);
  for (let row = 0; row < states * actions; row++) {
    const [state, action] = [Math.floor(row / actions), row % actions];
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      if (outcome[i] >= 0) logs[(state * C + action) * C + outcome[i]] = Math.log(probabilities[i]);
    }
  }
  return logs;
}

/** Terminal distribution and mean of log(K / P̂) per step, by enumerating all trajectories. */
function sumOverTrajectories(enumeration: Enumeration, policy: Float64Array, logModel: ArrayLike<number>) {
  const { actions, outcomes: C, offsets, targets, outcome, probabilities } = enumeration;
  const terminals = new Float64Array(enumeration.terminals);
  let [surprise, noisySteps] = [0, 0];
  const go = (at: number, probability: number, sum: number, steps: number) => {
    if (at < 0) {
      terminals[-1 - at] += probability;
      surprise += probability * sum;
      noisySteps += probability * steps;
      return;
    }
    for (let action = 0; action < actions; action++) {
      const row = at * actions + action;
      for (let i = offsets[row]; i < offsets[row + 1]; i++) {
        const noisy = outcome[i] >= 0;
        const ratio = noisy ? Math.log(probabilities[i]) - logModel[(at * C + action) * C + outcome[i]] : 0;
        go(targets[i], probability * policy[row] * probabilities[i], sum + ratio, steps + (noisy ? 1 : 0));
      }
    }
  };
  go(0, 1, 0, 0);
  return { terminals, dynamicsKl: surprise / noisySteps };
}

function draws(count: number, seed: number): Float64Array {
  const stream = RandomStream.fromSeed(seed);
  return Float64Array.from({ length: count }, () => stream.normal());
}

function optionsFor(
  environment: EnumerableEnvironment,
  changes: Partial<ExactEvaluatorOptions> = {},
): ExactEvaluatorOptions {
  return {
    model: tables(environment),
    reward: draws(environment.enumerate().terminals, 5).map(Math.exp),
    balance: "db",
    usesDynamics: true,
    engine: "native",
    ...changes,
  };
}

async function evaluated(options: ExactEvaluatorOptions, written: TableContent) {
  const evaluator = await exactEvaluator(options);
  const evaluation = await evaluator.evaluate(parametersOf(options.model, written));
  await evaluator.dispose();
  return { ...evaluator, ...evaluation };
}

describe.each(Object.entries(environments))("on %s, evaluation", (_, environment) => {
  const enumeration = environment.enumerate();
  const policy = randomPolicy(enumeration, RandomStream.fromSeed(1));

  test("has the terminal distribution of all trajectories, and its metrics", async () => {
    const options = optionsFor(environment);
    const { target, reached, policy: table, terminals } = await evaluated(options, { policy });
    const expected = sumOverTrajectories(enumeration, policy, kernelOf(enumeration)).terminals;
    expect(totalVariation(terminals, expected)).toBeLessThan(1e-6);
    table.forEach((p, row) => {
      expect(p).toBeCloseTo(policy[row], 6);
    });
    const { logZError, dynamicsKl, ...metrics } = reached;
    for (const [name, value] of Object.entries(distributionMetrics(target, options.reward, expected))) {
      expect(metrics[name as keyof typeof metrics], name).toBeCloseTo(value, 4);
    }
  });

  test("has a dynamics KL of 0 for the true kernel", async () => {
    const { reached } = await evaluated(optionsFor(environment), { policy, dynamics: kernelOf(enumeration) });
    expect(Math.abs(reached.dynamicsKl!)).toBeLessThan(1e-6);
  });

  test("weights the errors of a dynamics model by how often a trajectory meets them", async () => {
    const { states, outcomes: C } = enumeration;
    const logits = draws(states * C * C, 6);
    const kernel = kernelOf(enumeration);
    // An outcome is legal in a state if some action can have it.
    const legal = (state: number, c: number) =>
      Array.from({ length: C }, (_, a) => kernel[(state * C + a) * C + c]).some((log) => log > -1e8);
    const logModel = logits.map((logit, i) => {
      const start = i - (i % C);
      const state = Math.floor(i / (C * C));
      let sum = 0;
      for (let c = 0; c < C; c++) if (legal(state, c)) sum += Math.exp(logits[start + c]);
      return logit - Math.log(sum);
    });
    const { reached } = await evaluated(optionsFor(environment), { policy, dynamics: logits });
    const expected = sumOverTrajectories(enumeration, policy, logModel).dynamicsKl;
    expect(expected).toBeGreaterThan(0.1);
    expect(reached.dynamicsKl).toBeCloseTo(expected, 5);
  });

  test("has the metrics of the limit and of the uniform policy", async () => {
    const options = optionsFor(environment, { usesDynamics: false });
    const { target, limit, uniform, logZ } = await evaluated(options, { policy });
    const other = environment.tree
      ? limitByExpectationMaximisation(enumeration, target)
      : limitByExpectationMaximisation(enumeration, target, { tolerance: 1e-10 });
    expect(limit.kl).toBeCloseTo(other.kl, 6);
    expect(limit.tv).toBeCloseTo(other.tv, 3);
    const uniformTerminals = visitation(enumeration, uniformPolicy(enumeration)).terminals;
    expect(uniform).toEqual(distributionMetrics(target, options.reward, uniformTerminals));
    expect(uniform.kl).toBeGreaterThan(limit.kl);
    expect(logZ).toBeCloseTo(Math.log(options.reward.reduce((a, b) => a + b)), 12);
  });

  test("gives the same numbers on the jax engine", async () => {
    const written = { policy, dynamics: kernelOf(enumeration) };
    const jax = await evaluated(optionsFor(environment, { engine: "jax" }), written);
    const native = await evaluated(optionsFor(environment), written);
    expect(jax.reached.kl).toBeCloseTo(native.reached.kl, 4);
    expect(jax.reached.dynamicsKl).toBeCloseTo(0, 4);
  });
});

describe("the dynamics KL", () => {
  const environment = environments["fixed strings"];
  const enumeration = environment.enumerate();

  test("of a uniform dynamics model is log 3 minus the kernel entropy", async () => {
    const dynamics = new Float64Array(enumeration.states * 9);
    const { reached } = await evaluated(optionsFor(environment), {
      policy: uniformPolicy(enumeration),
      dynamics,
    });
    const kernel = Float64Array.of(0.75 + 0.25 / 3, 0.25 / 3, 0.25 / 3);
    expect(reached.dynamicsKl).toBeCloseTo(Math.log(3) - entropy(kernel), 6);
  });

  test("is null if the objective uses no dynamics model", async () => {
    const { reached } = await evaluated(optionsFor(environment, { usesDynamics: false }), {
      policy: uniformPolicy(enumeration),
    });
    expect(reached.dynamicsKl).toBeNull();
  });
});

describe("the error of log Z", () => {
  const environment = environments["strings with a stop"];
  const policy = uniformPolicy(environment.enumerate());
  const reward = draws(environment.states, 5).map(Math.exp);
  const { logZ } = normaliseRewards(reward);
  const errorOf = async (changes: Partial<ExactEvaluatorOptions>, written: Partial<TableContent>) =>
    (await evaluated(optionsFor(environment, changes), { policy, logFlow: 1.5, ...written })).reached
      .logZError;

  test("uses the learned log Z if the model has one", async () => {
    expect(
      await errorOf({ balance: "tb", model: tables(environment, { learnLogZ: true }) }, { logZ: 2.5 }),
    ).toBeCloseTo(2.5 - logZ, 6);
  });

  test.each(["db", "tb", "subtb"] as const)("uses the log flow of the start for %s", async (balance) => {
    expect(await errorOf({ balance }, {})).toBeCloseTo(1.5 - logZ, 6);
  });

  test("adds the log reward of stopping at the start for fl-db", async () => {
    expect(await errorOf({ balance: "fl-db" }, {})).toBeCloseTo(1.5 + Math.log(reward[0]) - logZ, 6);
  });

  test("is null for vargrad", async () => {
    expect(await errorOf({ balance: "vargrad" }, {})).toBeNull();
    expect(
      await errorOf({ balance: "vargrad", model: tables(environment, { learnLogZ: true }) }, { logZ: 1 }),
    ).toBeNull();
  });

  test("is 0 for every balance if log Z is correct", async () => {
    for (const balance of BALANCES) {
      if (balance === "vargrad") continue;
      const logFlow = balance === "fl-db" ? logZ - Math.log(reward[0]) : logZ;
      expect(await errorOf({ balance, usesDynamics: false }, { logFlow })).toBeCloseTo(0, 6);
    }
  });
});

test("more states than one call takes are evaluated in chunks", async () => {
  const environment = sequenceEnvironment({ alphabet: "ACGT", length: 7, stick: 0.25 });
  const enumeration = environment.enumerate();
  expect(enumeration.states).toBeGreaterThan(4096);
  const policy = randomPolicy(enumeration, RandomStream.fromSeed(2));
  const written = { policy, dynamics: kernelOf(enumeration) };
  const { policy: table, terminals, reached } = await evaluated(optionsFor(environment), written);
  expect(totalVariation(table, policy)).toBeLessThan(1e-3); // summed over 21,844 entries
  expect(totalVariation(terminals, visitation(enumeration, policy).terminals)).toBeLessThan(1e-6);
  expect(Math.abs(reached.dynamicsKl!)).toBeLessThan(1e-6);
});

test("one evaluator can evaluate several sets of parameters", async () => {
  const environment = environments["a grid"];
  const enumeration = environment.enumerate();
  const options = optionsFor(environment);
  const evaluator = await exactEvaluator(options);
  for (const seed of [1, 2, 1]) {
    const policy = randomPolicy(enumeration, RandomStream.fromSeed(seed));
    const { terminals } = await evaluator.evaluate(parametersOf(options.model, { policy }));
    expect(totalVariation(terminals, visitation(enumeration, policy).terminals)).toBeLessThan(1e-6);
  }
  await evaluator.dispose();
});

describe("an evaluator refuses", () => {
  const environment = environments["fixed strings"];

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "a reward of %d, and names the terminal",
    async (wrong) => {
      const reward = new Float64Array(27).fill(1);
      reward[13] = wrong;
      await expect(exactEvaluator(optionsFor(environment, { reward }))).rejects.toThrow(
        `exactEvaluator: rewards must be positive and finite, got ${wrong} for terminal 13`,
      );
    },
  );

  test("too few rewards", async () => {
    const reward = new Float64Array(26).fill(1);
    await expect(exactEvaluator(optionsFor(environment, { reward }))).rejects.toThrow(
      "exactEvaluator: there must be one reward for each of the 27 objects of strings of 3 letters out of ABC, got 26",
    );
  });

  test("fl-db for an environment without a stop", async () => {
    await expect(exactEvaluator(optionsFor(environment, { balance: "fl-db" }))).rejects.toThrow(
      "exactEvaluator: fl-db needs an environment with a stop action, got strings of 3 letters out of ABC without one",
    );
  });

  test("parameters that are not finite", async () => {
    const options = optionsFor(environment);
    const evaluator = await exactEvaluator(options);
    const policy = uniformPolicy(environment.enumerate());
    const parameters = parametersOf(options.model, { policy });
    parameters.policy.fill(Number.NaN);
    await expect(evaluator.evaluate(parameters)).rejects.toThrow("evaluate");
    await evaluator.dispose();
  });
});

test("the limit of a tree with stick noise is that of water-filling", async () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
  const options = optionsFor(environment, { usesDynamics: false });
  const evaluator = await exactEvaluator(options);
  await evaluator.dispose();
  const closed = limitByWaterFilling(evaluator.enumeration, evaluator.target, 0.5);
  const metrics = distributionMetrics(evaluator.target, options.reward, closed.terminals);
  expect(evaluator.limit).toEqual({ ...metrics, gap: 0 });
});
