// Tests of the exact solutions for dynamics `expected`, against closed forms and against the residual of the training
// objective.

import { describe, expect, test } from "vitest";
import {
  type Combination,
  inFloat64,
  nodesOf,
  stepsOf,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards, totalVariation } from "../../math/distances.ts";
import { enumerationFrom, terminalTarget } from "../environment/enumeration.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { uniformPolicy, visitation } from "./exact.ts";
import { type FlowSolution, solveExpectedFlows, solveSoftQ } from "./expected-dynamics.ts";
import { limitOf } from "./limit.ts";

const LETTERS = 3;
const environments: Record<string, (stick: number) => EnumerableEnvironment> = {
  "strings of fixed length": (stick) => sequenceEnvironment({ alphabet: "ABC", length: 2, stick }),
  "strings that stop": (stick) => sequenceEnvironment({ alphabet: "AB", length: 2, stick, variable: true }),
  "a grid": (stick) => hypergridEnvironment({ dimensions: 2, side: 3, stick }),
};

/** Random rewards from a fixed seed. */
function rewardsOf(count: number): Float64Array {
  const stream = RandomStream.fromSeed(5);
  return Float64Array.from({ length: count }, () => Math.exp(2 * stream.normal()));
}

describe.each(Object.entries(environments))("on %s", (_, make) => {
  test.each([
    ["soft values", solveSoftQ],
    ["expected flows", solveExpectedFlows],
  ])("without noise %s reach the target and its log Z", (_, solve) => {
    const enumeration = make(0).enumerate();
    const reward = rewardsOf(enumeration.terminals);
    const { target, logZ } = normaliseRewards(reward);
    const { policy, logFlow } = solve(enumeration, reward);
    expect(totalVariation(visitation(enumeration, policy).terminals, target)).toBeLessThan(1e-12);
    expect(logFlow[0]).toBeCloseTo(logZ, 12);
  });

  test("with noise the two solutions differ from each other and from the limit", () => {
    const environment = make(0.5);
    const enumeration = environment.enumerate();
    const reward = rewardsOf(enumeration.terminals);
    const { target } = normaliseRewards(reward);
    const ends = [
      visitation(enumeration, solveSoftQ(enumeration, reward).policy).terminals,
      visitation(enumeration, solveExpectedFlows(enumeration, reward).policy).terminals,
      limitOf(environment, enumeration, target).terminals,
    ];
    for (const [i, j] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      expect(totalVariation(ends[i], ends[j])).toBeGreaterThan(0.02);
    }
  });

  test.each<[string, typeof solveSoftQ, (d: number) => number]>([
    ["squared loss of soft values", solveSoftQ, (d) => 2 * d],
    ["kl loss of expected flows", solveExpectedFlows, (d) => 1 - Math.exp(-d)],
  ])("with noise the expected derivative of the %s is 0 for every action", (_, solve, derivative) => {
    const environment = make(0.5);
    const enumeration = environment.enumerate();
    const reward = rewardsOf(enumeration.terminals);
    const residuals = residualsAt(environment, reward, solve(enumeration, reward));
    const expected = new Map<string, number>();
    for (const { state, action, outcome, probability } of stepsOf(enumeration)) {
      const d = residuals.get(`${state} ${action} ${outcome}`);
      expect(d, `state ${state}, action ${action}, outcome ${outcome}`).toBeDefined();
      const key = `${state} ${action}`;
      expected.set(key, (expected.get(key) ?? 0) + probability * derivative(d as number));
    }
    expect(expected.size).toBe(uniformPolicy(enumeration).filter((p) => p > 0).length);
    for (const sum of expected.values()) expect(sum).toBeCloseTo(0, 9);
    // The residuals of single outcomes are not 0, only their expectation is.
    expect(Math.max(...[...residuals.values()].map(Math.abs))).toBeGreaterThan(0.1);
  });
});

/** Residuals of the objective at a solution, by state, action and outcome, on trajectories of the uniform policy. */
function residualsAt(environment: EnumerableEnvironment, reward: Float64Array, solution: FlowSolution) {
  const enumeration = environment.enumerate();
  const { actions, outcomes: C, backwardActions: backwardClasses } = environment;
  const nodes = nodesOf(environment, enumeration);
  const filled = (size: number, values: Float64Array) => {
    const table = new Float64Array(size);
    table.set(values);
    return table;
  };
  const tables = {
    forward: filled(
      nodes * actions,
      solution.policy.map((p) => (p > 0 ? Math.log(p) : 0)),
    ),
    // No result may depend on the backward logits.
    backward: Float64Array.from({ length: nodes * backwardClasses }, (_, i) => Math.sin(i)),
    logKernel: new Float64Array(nodes * C * C),
    logZ: Float64Array.of(3),
    logFlow: filled(nodes, solution.logFlow),
    logReward: reward.map(Math.log),
  };
  const inputs = tabularInputs(environment, tables, 512, RandomStream.fromSeed(6));
  const combination: Combination = { balance: "db", dynamics: "expected" };
  const { forward } = inputs;
  const behaviour = { ...forward, data: new Float64Array(forward.data.length) };
  const found = inFloat64(
    ({ behaviour, ...all }) => {
      const batch = tabularBatch(environment, behaviour, all.uniform);
      const { index, running, actions, outcomes } = batch;
      return {
        ...tabularResiduals(combination, batch, all),
        index,
        running,
        actions,
        outcomes,
      };
    },
    { ...inputs, behaviour },
  );
  const residuals = new Map<string, number>();
  found.residual.forEach((d, row) => {
    if (found.running[row] === 0) return;
    const action = found.actions.subarray(row * actions, (row + 1) * actions).indexOf(1);
    const outcome = found.outcomes.subarray(row * C, (row + 1) * C).indexOf(1);
    residuals.set(`${found.index[row]} ${action} ${outcome}`, d);
  });
  return residuals;
}

test("soft values of one letter with noise agree with values computed by hand", () => {
  const enumeration = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.5 }).enumerate();
  // Action A has outcome A with probability 3/4: Q(A) = ¾ log 16, Q(B) = ¼ log 16, so π(A) = 8 / (8 + 2).
  const { policy, logFlow } = solveSoftQ(enumeration, Float64Array.of(16, 1));
  expect([...policy]).toEqual([expect.closeTo(0.8, 12), expect.closeTo(0.2, 12)]);
  expect(logFlow[0]).toBeCloseTo(Math.log(10), 12);
});

test("expected flows of one letter with noise agree with values computed by hand", () => {
  const enumeration = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.5 }).enumerate();
  // Action A has expected flow ¾ · 16 + ¼ · 1 = 12.25, action B 4.75.
  const { policy, logFlow } = solveExpectedFlows(enumeration, Float64Array.of(16, 1));
  expect([...policy]).toEqual([expect.closeTo(12.25 / 17, 12), expect.closeTo(4.75 / 17, 12)]);
  expect(logFlow[0]).toBeCloseTo(Math.log(17), 12);
});

test("two actions that lead to one state by outcomes of their own share its flow", () => {
  const sizes = { states: 1, terminals: 2, actions: 3, outcomes: 3 };
  const fork = enumerationFrom(sizes, (_, action) => [
    { target: terminalTarget(action === 2 ? 1 : 0), outcome: action, probability: 1 },
  ]);
  for (const solve of [solveSoftQ, solveExpectedFlows]) {
    const { policy, logFlow } = solve(fork, Float64Array.of(6, 2));
    expect([...policy]).toEqual([3 / 8, 3 / 8, 1 / 4].map((p) => expect.closeTo(p, 12)));
    expect(logFlow[0]).toBeCloseTo(Math.log(8), 12);
  }
});

test("expected flows of strings are sums of rewards, and noise flattens their policy", () => {
  const stick = 0.5;
  const enumeration = environments["strings of fixed length"](stick).enumerate();
  const reward = rewardsOf(enumeration.terminals);
  const { policy, logFlow } = solveExpectedFlows(enumeration, reward);
  const below = Array.from({ length: LETTERS }, (_, first) =>
    reward.subarray(first * LETTERS, (first + 1) * LETTERS).reduce((a, b) => a + b),
  );
  const all = below.reduce((a, b) => a + b);
  expect(Math.exp(logFlow[0])).toBeCloseTo(all, 9);
  below.forEach((sum, first) => {
    expect(Math.exp(logFlow[1 + first])).toBeCloseTo(sum, 9);
    expect(policy[first]).toBeCloseTo(((1 - stick) * sum) / all + stick / LETTERS, 9);
  });
});
