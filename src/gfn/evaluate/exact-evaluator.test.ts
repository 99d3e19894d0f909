// Exact evaluation of models whose networks are known tables, against sums over all episodes one by one.

import { describe, expect, test } from "vitest";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Enumeration } from "../enumeration.ts";
import type { EnumerableEnvironment } from "../environment.ts";
import { hypergridEnvironment } from "../environments/hypergrid.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { type LogZOptions, type Model, model } from "../model.ts";
import { BALANCES } from "../objectives/choice.ts";
import { entropy, normalise, totalVariation } from "./distances.ts";
import { uniformPolicy, visitation } from "./exact.ts";
import { type ExactEvaluatorOptions, exactEvaluator } from "./exact-evaluator.ts";
import { limitByFilling, limitBySearch } from "./limit.ts";
import { measuresOf } from "./measures.ts";

const environments = {
  "fixed strings": sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.25 }),
  "strings with a stop": sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.5, variable: true }),
  "a grid": hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 }),
  "a grid without noise": hypergridEnvironment({ dimensions: 3, side: 2, stick: 0 }),
} satisfies Record<string, EnumerableEnvironment>;

/** Logits of what cannot happen: nothing may depend on them. */
const JUNK = 5;

/** A model that consists of tables: the perceptrons are zero, and every state has a row in the memories. */
function tables(environment: EnumerableEnvironment, logZ?: LogZOptions): Model {
  const network = { hidden: [2], memoryRows: environment.states };
  return model(environment, { policy: network, dynamics: network, ...(logZ && { logZ }) });
}

interface Written {
  /** π(a|s), [states · actions]. */
  readonly policy: Float64Array;
  /** log F of every state. */
  readonly logFlow?: number;
  /** Logits of outcomes, [states · outcomes · outcomes]. */
  readonly dynamics?: ArrayLike<number>;
  readonly logZ?: number;
}

function parametersOf({ environment, policyLayout, dynamicsLayout }: Model, written: Written) {
  const { states, actions, backwardClasses } = environment;
  const parameters = {
    policy: new Float32Array(policyLayout.size),
    dynamics: new Float32Array(dynamicsLayout.size),
  };
  const { network, logZ } = policyLayout.view(parameters.policy);
  const width = actions + backwardClasses + 1;
  for (let state = 0; state < states; state++) {
    const row = network.memory!.table.subarray(state * width, (state + 1) * width).fill(JUNK);
    for (let action = 0; action < actions; action++) {
      const p = written.policy[state * actions + action];
      if (p > 0) row[action] = Math.log(p);
    }
    row[width - 1] = written.logFlow ?? 0;
  }
  if (written.logZ !== undefined) logZ!.fill(written.logZ);
  if (written.dynamics) dynamicsLayout.view(parameters.dynamics).memory!.table.set(written.dynamics);
  return parameters;
}

/** log K(c | s, a), [states · outcomes · outcomes], as far as it is finite. */
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

/** Ends of all episodes, and Σ log(K / P̂) along them, one episode after the other. */
function everyEpisode(listed: Enumeration, policy: Float64Array, logModel: ArrayLike<number>) {
  const { actions, outcomes: C, offsets, targets, outcome, probabilities } = listed;
  const terminals = new Float64Array(listed.terminals);
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

async function evaluated(options: ExactEvaluatorOptions, written: Written) {
  const evaluator = await exactEvaluator(options);
  const evaluation = await evaluator.evaluate(parametersOf(options.model, written));
  await evaluator.dispose();
  return { ...evaluator, ...evaluation };
}

describe.each(Object.entries(environments))("on %s, evaluation", (_, environment) => {
  const listed = environment.enumerate();
  const policy = randomPolicy(listed, RandomStream.fromSeed(1));

  test("finds where all episodes end, and measures that", async () => {
    const options = optionsFor(environment);
    const { target, reached, table, terminals } = await evaluated(options, { policy });
    const expected = everyEpisode(listed, policy, kernelOf(listed)).terminals;
    expect(totalVariation(terminals, expected)).toBeLessThan(1e-6);
    table.forEach((p, row) => {
      expect(p).toBeCloseTo(policy[row], 6);
    });
    const { logZError, dynamicsKl, ...measures } = reached;
    for (const [name, value] of Object.entries(measuresOf(target, options.reward, expected))) {
      expect(measures[name as keyof typeof measures], name).toBeCloseTo(value, 4);
    }
  });

  test("finds a model of the dynamics right when it is the kernel", async () => {
    const { reached } = await evaluated(optionsFor(environment), { policy, dynamics: kernelOf(listed) });
    expect(Math.abs(reached.dynamicsKl!)).toBeLessThan(1e-6);
  });

  test("weighs what a wrong model says of legal outcomes by how often it matters", async () => {
    const { states, outcomes: C } = listed;
    const logits = draws(states * C * C, 6);
    const kernel = kernelOf(listed);
    // An outcome is legal in a state if some intention leads to it.
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
    const expected = everyEpisode(listed, policy, logModel).dynamicsKl;
    expect(expected).toBeGreaterThan(0.1);
    expect(reached.dynamicsKl).toBeCloseTo(expected, 5);
  });

  test("knows the limit and the uniform policy before anything is trained", async () => {
    const options = optionsFor(environment, { usesDynamics: false });
    const { target, limit, uniform, logZ } = await evaluated(options, { policy });
    const other = environment.tree
      ? limitBySearch(listed, target)
      : limitBySearch(listed, target, { tolerance: 1e-10 });
    expect(limit.kl).toBeCloseTo(other.kl, 6);
    expect(limit.tv).toBeCloseTo(other.tv, 3);
    const alike = visitation(listed, uniformPolicy(listed)).terminals;
    expect(uniform).toEqual(measuresOf(target, options.reward, alike));
    expect(uniform.kl).toBeGreaterThan(limit.kl);
    expect(logZ).toBeCloseTo(Math.log(options.reward.reduce((a, b) => a + b)), 12);
  });

  test("says the same on the jax engine", async () => {
    const written = { policy, dynamics: kernelOf(listed) };
    const jax = await evaluated(optionsFor(environment, { engine: "jax" }), written);
    const native = await evaluated(optionsFor(environment), written);
    expect(jax.reached.kl).toBeCloseTo(native.reached.kl, 4);
    expect(jax.reached.dynamicsKl).toBeCloseTo(0, 4);
  });
});

describe("the divergence of a model of the dynamics", () => {
  const environment = environments["fixed strings"];
  const listed = environment.enumerate();

  test("that expects all letters alike is what the noise leaves to know", async () => {
    const dynamics = new Float64Array(listed.states * 9);
    const { reached } = await evaluated(optionsFor(environment), { policy: uniformPolicy(listed), dynamics });
    const kernel = Float64Array.of(0.75 + 0.25 / 3, 0.25 / 3, 0.25 / 3);
    expect(reached.dynamicsKl).toBeCloseTo(Math.log(3) - entropy(kernel), 6);
  });

  test("is not there if the objective uses none", async () => {
    const { reached } = await evaluated(optionsFor(environment, { usesDynamics: false }), {
      policy: uniformPolicy(listed),
    });
    expect(reached.dynamicsKl).toBeNull();
  });
});

describe("the error of log Z", () => {
  const environment = environments["strings with a stop"];
  const policy = uniformPolicy(environment.enumerate());
  const reward = draws(environment.states, 5).map(Math.exp);
  const { logZ } = normalise(reward);
  const errorOf = async (changes: Partial<ExactEvaluatorOptions>, written: Partial<Written>) =>
    (await evaluated(optionsFor(environment, changes), { policy, logFlow: 1.5, ...written })).reached
      .logZError;

  test("is that of the model's own log Z if it has one", async () => {
    expect(await errorOf({ balance: "tb", model: tables(environment, {}) }, { logZ: 2.5 })).toBeCloseTo(
      2.5 - logZ,
      6,
    );
  });

  test.each(["db", "tb", "subtb"] as const)("is that of the start's flow for %s", async (balance) => {
    expect(await errorOf({ balance }, {})).toBeCloseTo(1.5 - logZ, 6);
  });

  test("is that of the start's flow and of stopping there for fl-db", async () => {
    expect(await errorOf({ balance: "fl-db" }, {})).toBeCloseTo(1.5 + Math.log(reward[0]) - logZ, 6);
  });

  test("is not there for vargrad", async () => {
    expect(await errorOf({ balance: "vargrad" }, {})).toBeNull();
    expect(await errorOf({ balance: "vargrad", model: tables(environment, {}) }, { logZ: 1 })).toBeNull();
  });

  test("is zero for every balance that learned it", async () => {
    for (const balance of BALANCES) {
      if (balance === "vargrad") continue;
      const logFlow = balance === "fl-db" ? logZ - Math.log(reward[0]) : logZ;
      expect(await errorOf({ balance, usesDynamics: false }, { logFlow })).toBeCloseTo(0, 6);
    }
  });
});

test("more states than fit in one call are read one chunk after the other", async () => {
  const environment = sequenceEnvironment({ alphabet: "ACGT", length: 7, stick: 0.25 });
  const listed = environment.enumerate();
  expect(listed.states).toBeGreaterThan(4096);
  const policy = randomPolicy(listed, RandomStream.fromSeed(2));
  const written = { policy, dynamics: kernelOf(listed) };
  const { table, terminals, reached } = await evaluated(optionsFor(environment), written);
  expect(totalVariation(table, policy)).toBeLessThan(1e-3); // summed over 21,844 entries
  expect(totalVariation(terminals, visitation(listed, policy).terminals)).toBeLessThan(1e-6);
  expect(Math.abs(reached.dynamicsKl!)).toBeLessThan(1e-6);
});

test("one evaluator evaluates one model after the other", async () => {
  const environment = environments["a grid"];
  const listed = environment.enumerate();
  const options = optionsFor(environment);
  const evaluator = await exactEvaluator(options);
  for (const seed of [1, 2, 1]) {
    const policy = randomPolicy(listed, RandomStream.fromSeed(seed));
    const { terminals } = await evaluator.evaluate(parametersOf(options.model, { policy }));
    expect(totalVariation(terminals, visitation(listed, policy).terminals)).toBeLessThan(1e-6);
  }
  await evaluator.dispose();
});

describe("an evaluator refuses", () => {
  const environment = environments["fixed strings"];

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "a reward of %d, and says whose",
    async (wrong) => {
      const reward = new Float64Array(27).fill(1);
      reward[13] = wrong;
      await expect(exactEvaluator(optionsFor(environment, { reward }))).rejects.toThrow(
        `exactEvaluator: the reward of terminal 13 is ${wrong}; rewards must be positive and finite`,
      );
    },
  );

  test("too few rewards", async () => {
    const reward = new Float64Array(26).fill(1);
    await expect(exactEvaluator(optionsFor(environment, { reward }))).rejects.toThrow(
      "exactEvaluator: strings of 3 letters out of ABC are 27 objects, got 26 rewards",
    );
  });

  test("fl-db where episodes cannot stop at once", async () => {
    await expect(exactEvaluator(optionsFor(environment, { balance: "fl-db" }))).rejects.toThrow(
      "exactEvaluator: fl-db rewards every state, but strings of 3 letters out of ABC cannot stop early",
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

test("the limit of a tree is the closed form", async () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 });
  const options = optionsFor(environment, { usesDynamics: false });
  const evaluator = await exactEvaluator(options);
  await evaluator.dispose();
  const closed = limitByFilling(evaluator.listed, evaluator.target, 0.5);
  const measures = measuresOf(evaluator.target, options.reward, closed.terminals);
  expect(evaluator.limit).toEqual({ ...measures, gap: 0 });
});
