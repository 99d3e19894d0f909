// A loss of zero proves nothing by itself: solutions that satisfy a careless balance and end in the wrong places.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { RandomStream } from "../src/engine/index.ts";
import type { Batch } from "../src/gfn/batch.ts";
import type { Enumeration } from "../src/gfn/enumeration.ts";
import type { EnumerableEnvironment } from "../src/gfn/environment.ts";
import { hypergridEnvironment } from "../src/gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import { normalise, totalVariation } from "../src/gfn/evaluate/distances.ts";
import { type PolicyTable, visitation } from "../src/gfn/evaluate/exact.ts";
import { peak } from "./support/difference.ts";
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
} from "./support/tabular.ts";

const SEED = RandomStream.fromSeed(5);

/**
 * Flows F(s) = Σ share · F(s') over the steps of an environment without noise, and the shares of each state's steps in
 * its flow: the policy that such flows mean.
 */
function flowsBackFrom(
  listed: Enumeration,
  reward: Float64Array,
  shareOf: (step: Step) => number,
): { flows: Float64Array; policy: PolicyTable } {
  const flows = new Float64Array(listed.states);
  const policy = new Float64Array(listed.states * listed.actions);
  for (const step of [...stepsOf(listed)].reverse()) {
    const { state, action, target } = step;
    const flow = shareOf(step) * (target >= 0 ? flows[target] : reward[-1 - target]);
    policy[state * listed.actions + action] = flow;
    flows[state] += flow;
  }
  return { flows, policy: policy.map((flow, row) => flow / flows[Math.floor(row / listed.actions)]) };
}

/** The intentions whose outcomes, after stick noise on moves, have the given probabilities. */
function intentionsFor(listed: Enumeration, outcomes: PolicyTable, stick: number): PolicyTable {
  const intentions = outcomes.slice();
  for (let state = 0; state < listed.states; state++) {
    const moves = [...stepsOf(listed)].filter((step) => step.state === state && step.outcome >= 0);
    const rows = moves.map(({ action }) => state * listed.actions + action);
    const moving = rows.reduce((sum, row) => sum + outcomes[row], 0);
    for (const row of rows) intentions[row] = (outcomes[row] - (moving * stick) / rows.length) / (1 - stick);
  }
  return intentions;
}

/** Largest residual over the episodes of the policy itself. */
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
  return peak(residual);
}

describe("without noise, a backward policy that may name intentions that cannot have been", () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
  const listed = environment.enumerate();
  const stream = SEED.split("strings");
  const reward = Float64Array.from({ length: listed.terminals }, () => 0.1 + stream.uniform());
  const { target } = normalise(reward);
  // What the backward policy says of the letter that stands there; the rest goes to letters that do not.
  const truth = Float64Array.from(
    { length: listed.states + listed.terminals },
    () => 0.1 + 0.8 * stream.uniform(),
  );
  const { flows, policy } = flowsBackFrom(listed, reward, (step) => truth[nodeAfter(listed, step)]);
  const balanced = balancedTables(environment, listed, policy, 0);
  const backward = balanced.backward.slice();
  for (const step of stepsOf(listed)) {
    const node = nodeAfter(listed, step);
    for (let letter = 0; letter < 3; letter++) {
      backward[node * 3 + letter] = Math.log(letter === step.outcome ? truth[node] : (1 - truth[node]) / 2);
    }
  }
  const tables: Tables = {
    ...balanced,
    backward,
    logFlow: balanced.logFlow.map((_, node) =>
      Math.log(node < listed.states ? flows[node] : reward[node - listed.states]),
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
    "has residual zero with the wrong policy: $balance with $dynamics",
    (combination) => {
      expect(residualOf(environment, tables, combination, unmasked)).toBeLessThan(1e-9);
      expect(totalVariation(target, visitation(listed, policy).terminals)).toBeGreaterThan(0.1);
      expect(Math.abs(Math.log(flows[0]) - normalise(reward).logZ)).toBeGreaterThan(1);
    },
  );

  test.each(combinations)("is found out by the mask: $balance with $dynamics", (combination) => {
    expect(residualOf(environment, tables, combination)).toBeGreaterThan(0.5);
  });
});

describe.each([0, 0.25])("on a grid at stick %f, the marginal form", (stick) => {
  const environment = hypergridEnvironment({ dimensions: 2, side: 5, stick });
  const listed = environment.enumerate();
  const free = hypergridEnvironment({ dimensions: 2, side: 5, stick: 0 }).enumerate();
  const reward = new Float64Array(listed.terminals).fill(2);
  const { target, logZ } = normalise(reward);
  const parents = new Float64Array(listed.states);
  for (const { target: to } of stepsOf(free)) if (to >= 0) parents[to]++;

  const solution = (shareOf: (step: Step) => number) => {
    const { flows, policy: outcomes } = flowsBackFrom(free, reward, shareOf);
    const policy = intentionsFor(listed, outcomes, stick);
    const tables: Tables = {
      ...balancedTables(environment, listed, policy, 0),
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

  test.each(combinations)("of $balance without P_B has residual zero far from the target", (combination) => {
    expect(Math.min(...counted.policy)).toBeGreaterThanOrEqual(0);
    expect(residualOf(environment, counted.tables, combination, withoutParents)).toBeLessThan(1e-9);
    expect(totalVariation(target, visitation(listed, counted.policy).terminals)).toBeGreaterThan(0.3);
    expect(counted.logZ - logZ).toBeGreaterThan(1);
  });

  test.each(combinations)("of $balance with P_B finds that out", (combination) => {
    expect(residualOf(environment, counted.tables, combination)).toBeGreaterThan(0.5);
  });

  test.each(combinations)("of $balance with P_B has residual zero at the target", (combination) => {
    expect(residualOf(environment, shared.tables, combination)).toBeLessThan(1e-9);
    expect(totalVariation(target, visitation(listed, shared.policy).terminals)).toBeLessThan(1e-12);
    expect(shared.logZ).toBeCloseTo(logZ, 12);
  });
});
