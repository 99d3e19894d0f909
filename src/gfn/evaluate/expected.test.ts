// The two dynamic programmes of the dynamics `expected`: against closed forms, and against the residual that trains.

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
import type { EnumerableEnvironment } from "../environment.ts";
import { hypergridEnvironment } from "../environments/hypergrid.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { normalise, totalVariation } from "./distances.ts";
import { uniformPolicy, visitation } from "./exact.ts";
import { type ExpectedSolution, expectedFlows, softValues } from "./expected.ts";
import { limitOf } from "./limit.ts";

const LETTERS = 3;
const environments: Record<string, (stick: number) => EnumerableEnvironment> = {
  "strings of fixed length": (stick) => sequenceEnvironment({ alphabet: "ABC", length: 2, stick }),
  "strings that stop": (stick) => sequenceEnvironment({ alphabet: "AB", length: 2, stick, variable: true }),
  "a grid": (stick) => hypergridEnvironment({ dimensions: 2, side: 3, stick }),
};

/** Rewards that are uneven, the same for every run. */
function rewardsOf(count: number): Float64Array {
  const stream = RandomStream.fromSeed(5);
  return Float64Array.from({ length: count }, () => Math.exp(2 * stream.normal()));
}

describe.each(Object.entries(environments))("on %s", (_, make) => {
  test.each([
    ["soft values", softValues],
    ["expected flows", expectedFlows],
  ])("without noise %s end at the target and know its log Z", (_, solve) => {
    const listed = make(0).enumerate();
    const reward = rewardsOf(listed.terminals);
    const { target, logZ } = normalise(reward);
    const { policy, logFlow } = solve(listed, reward);
    expect(totalVariation(visitation(listed, policy).terminals, target)).toBeLessThan(1e-12);
    expect(logFlow[0]).toBeCloseTo(logZ, 12);
  });

  test("with noise they end in two places, and neither is the best reachable policy's", () => {
    const environment = make(0.5);
    const listed = environment.enumerate();
    const reward = rewardsOf(listed.terminals);
    const { target } = normalise(reward);
    const ends = [
      visitation(listed, softValues(listed, reward).policy).terminals,
      visitation(listed, expectedFlows(listed, reward).policy).terminals,
      limitOf(environment, listed, target).terminals,
    ];
    for (const [i, j] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      expect(totalVariation(ends[i], ends[j])).toBeGreaterThan(0.02);
    }
  });

  test.each<[string, typeof softValues, (d: number) => number]>([
    ["squared loss of soft values", softValues, (d) => 2 * d],
    ["kl loss of expected flows", expectedFlows, (d) => 1 - Math.exp(-d)],
  ])("with noise the expected slope of the %s is 0 for every intention", (_, solve, slope) => {
    const environment = make(0.5);
    const listed = environment.enumerate();
    const reward = rewardsOf(listed.terminals);
    const residuals = residualsAt(environment, reward, solve(listed, reward));
    const expected = new Map<string, number>();
    for (const { state, action, outcome, probability } of stepsOf(listed)) {
      const d = residuals.get(`${state} ${action} ${outcome}`);
      expect(d, `state ${state}, intention ${action}, outcome ${outcome}`).toBeDefined();
      const key = `${state} ${action}`;
      expected.set(key, (expected.get(key) ?? 0) + probability * slope(d as number));
    }
    expect(expected.size).toBe(uniformPolicy(listed).filter((p) => p > 0).length);
    for (const sum of expected.values()) expect(sum).toBeCloseTo(0, 9);
    // Single outcomes do not balance: only their expectation does.
    expect(Math.max(...[...residuals.values()].map(Math.abs))).toBeGreaterThan(0.1);
  });
});

/** Residuals of the objective at a solution, by state, intention and outcome, on episodes that intend uniformly. */
function residualsAt(environment: EnumerableEnvironment, reward: Float64Array, solution: ExpectedSolution) {
  const listed = environment.enumerate();
  const { actions, outcomes: C, backwardClasses } = environment;
  const nodes = nodesOf(environment, listed);
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
    // No result may depend on these.
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

test("soft values of one letter with noise are those worked out by hand", () => {
  const listed = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.5 }).enumerate();
  // Intending A gives A with 3/4: Q(A) = ¾ log 16, Q(B) = ¼ log 16, so π(A) = 8 / (8 + 2).
  const { policy, logFlow } = softValues(listed, Float64Array.of(16, 1));
  expect([...policy]).toEqual([expect.closeTo(0.8, 12), expect.closeTo(0.2, 12)]);
  expect(logFlow[0]).toBeCloseTo(Math.log(10), 12);
});

test("expected flows of one letter with noise are those worked out by hand", () => {
  const listed = sequenceEnvironment({ alphabet: "AB", length: 1, stick: 0.5 }).enumerate();
  // Intending A is worth ¾ · 16 + ¼ · 1 = 12.25, intending B 4.75.
  const { policy, logFlow } = expectedFlows(listed, Float64Array.of(16, 1));
  expect([...policy]).toEqual([expect.closeTo(12.25 / 17, 12), expect.closeTo(4.75 / 17, 12)]);
  expect(logFlow[0]).toBeCloseTo(Math.log(17), 12);
});

test("expected flows on strings are sums of rewards, and noise blurs the intended shares before it blurs them again", () => {
  const stick = 0.5;
  const listed = environments["strings of fixed length"](stick).enumerate();
  const reward = rewardsOf(listed.terminals);
  const { policy, logFlow } = expectedFlows(listed, reward);
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
