// Incorrect balances that have zero loss although the policy does not sample from the target.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { largestMagnitude } from "../../../test/support/difference.ts";
import {
  balancedTables,
  type Combination,
  inFloat64,
  nodeAfter,
  type Step,
  stepsOf,
  type Tables,
  tabularBatch,
  tabularInputs,
  tabularResiduals,
} from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { normaliseRewards, totalVariation } from "../../math/distances.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import type { EnumerableEnvironment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { type PolicyTable, visitation } from "../evaluate/exact.ts";
import type { Batch } from "../sampling/batch.ts";

const SEED = RandomStream.fromSeed(5);

/** Flows F(s) = Σ share · F(s') of an environment without noise, and the policy that follows from them. */
function flowsBackFrom(
  enumeration: Enumeration,
  reward: Float64Array,
  shareOf: (step: Step) => number,
): { flows: Float64Array; policy: PolicyTable } {
  const flows = new Float64Array(enumeration.states);
  const policy = new Float64Array(enumeration.states * enumeration.actions);
  for (const step of [...stepsOf(enumeration)].reverse()) {
    const { state, action, target } = step;
    const flow = shareOf(step) * (target >= 0 ? flows[target] : reward[-1 - target]);
    policy[state * enumeration.actions + action] = flow;
    flows[state] += flow;
  }
  return { flows, policy: policy.map((flow, row) => flow / flows[Math.floor(row / enumeration.actions)]) };
}

/** The policy whose outcomes under stick noise have the given probabilities. */
function policyForOutcomes(enumeration: Enumeration, outcomes: PolicyTable, stick: number): PolicyTable {
  const policy = outcomes.slice();
  for (let state = 0; state < enumeration.states; state++) {
    const moves = [...stepsOf(enumeration)].filter((step) => step.state === state && step.outcome >= 0);
    const rows = moves.map(({ action }) => state * enumeration.actions + action);
    const moving = rows.reduce((sum, row) => sum + outcomes[row], 0);
    for (const row of rows) policy[row] = (outcomes[row] - (moving * stick) / rows.length) / (1 - stick);
  }
  return policy;
}

/** Largest residual over on-policy trajectories. */
function residualOf(
  environment: EnumerableEnvironment,
  tables: Tables,
  combination: Combination,
  careless: (batch: Batch) => Batch = (batch) => batch,
): number {
  const { residual } = inFloat64(
    (arrays) => ({
      residual: tabularResiduals(
        combination,
        careless(tabularBatch(environment, arrays.forward, arrays.uniform)),
        arrays,
      ).residual,
    }),
    tabularInputs(environment, tables, 64, SEED.split("uniform")),
  );
  return largestMagnitude(residual);
}

describe("without noise, a backward policy over impossible actions", () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
  const enumeration = environment.enumerate();
  const stream = SEED.split("strings");
  const reward = Float64Array.from({ length: enumeration.terminals }, () => 0.1 + stream.uniform());
  const { target } = normaliseRewards(reward);
  // Backward probability of the true action; the rest is on impossible actions.
  const truth = Float64Array.from(
    { length: enumeration.states + enumeration.terminals },
    () => 0.1 + 0.8 * stream.uniform(),
  );
  const { flows, policy } = flowsBackFrom(enumeration, reward, (step) => truth[nodeAfter(enumeration, step)]);
  const balanced = balancedTables(environment, enumeration, policy, 0);
  const backward = balanced.backward.slice();
  for (const step of stepsOf(enumeration)) {
    const node = nodeAfter(enumeration, step);
    for (let letter = 0; letter < 3; letter++) {
      backward[node * 3 + letter] = Math.log(letter === step.outcome ? truth[node] : (1 - truth[node]) / 2);
    }
  }
  const tables: Tables = {
    ...balanced,
    backward,
    logFlow: balanced.logFlow.map((_, node) =>
      Math.log(node < enumeration.states ? flows[node] : reward[node - enumeration.states]),
    ),
    logReward: reward.map(Math.log),
    logZ: Float64Array.of(Math.log(flows[0])),
  };
  const unmasked = (batch: Batch): Batch => ({
    ...batch,
    backwardAllowed: np.ones(batch.backwardAllowed.shape, { dtype: np.bool }),
  });
  const combinations: Combination[] = (["joint", "none-intended"] as const).flatMap((dynamics) =>
    (["db", "tb", "subtb"] as const).map((balance) => ({ balance, dynamics })),
  );

  test.each(combinations)(
    "has a zero residual for a wrong policy: $balance with $dynamics",
    (combination) => {
      expect(residualOf(environment, tables, combination, unmasked)).toBeLessThan(1e-9);
      expect(totalVariation(target, visitation(enumeration, policy).terminals)).toBeGreaterThan(0.1);
      expect(Math.abs(Math.log(flows[0]) - normaliseRewards(reward).logZ)).toBeGreaterThan(1);
    },
  );

  test.each(combinations)("is prevented by the mask: $balance with $dynamics", (combination) => {
    expect(residualOf(environment, tables, combination)).toBeGreaterThan(0.5);
  });
});

describe.each([0, 0.25])("on a grid at stick %f, the marginal form", (stick) => {
  const environment = hypergridEnvironment({ dimensions: 2, side: 5, stick });
  const enumeration = environment.enumerate();
  const free = hypergridEnvironment({ dimensions: 2, side: 5, stick: 0 }).enumerate();
  const reward = new Float64Array(enumeration.terminals).fill(2);
  const { target, logZ } = normaliseRewards(reward);
  const parents = new Float64Array(enumeration.states);
  for (const { target: to } of stepsOf(free)) if (to >= 0) parents[to]++;

  const solution = (shareOf: (step: Step) => number) => {
    const { flows, policy: outcomes } = flowsBackFrom(free, reward, shareOf);
    const policy = policyForOutcomes(enumeration, outcomes, stick);
    const tables: Tables = {
      ...balancedTables(environment, enumeration, policy, 0),
      logFlow: flows.map(Math.log),
      logReward: reward.map(Math.log),
      logZ: Float64Array.of(Math.log(flows[0])),
    };
    return { tables, policy, logZ: Math.log(flows[0]) };
  };
  const counted = solution(() => 1);
  const shared = solution(({ target: to }) => (to >= 0 ? 1 / parents[to] : 1));
  const withoutParents = (batch: Batch): Batch => ({ ...batch, sameParent: null });
  const combinations: Combination[] = (["db", "tb", "subtb"] as const).map((balance) => ({
    balance,
    dynamics: "marginal",
  }));

  test.each(combinations)(
    "of $balance without P_B has a zero residual far from the target",
    (combination) => {
      expect(Math.min(...counted.policy)).toBeGreaterThanOrEqual(0);
      expect(residualOf(environment, counted.tables, combination, withoutParents)).toBeLessThan(1e-9);
      expect(totalVariation(target, visitation(enumeration, counted.policy).terminals)).toBeGreaterThan(0.3);
      expect(counted.logZ - logZ).toBeGreaterThan(1);
    },
  );

  test.each(combinations)("of $balance with P_B has a non-zero residual there", (combination) => {
    expect(residualOf(environment, counted.tables, combination)).toBeGreaterThan(0.5);
  });

  test.each(combinations)("of $balance with P_B has a zero residual at the target", (combination) => {
    expect(residualOf(environment, shared.tables, combination)).toBeLessThan(1e-9);
    expect(totalVariation(target, visitation(enumeration, shared.policy).terminals)).toBeLessThan(1e-12);
    expect(shared.logZ).toBeCloseTo(logZ, 12);
  });
});
