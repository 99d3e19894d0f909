// The distribution that training converges to with each use of the entropy ratio, computed exactly on a small space of
// sequences.

import { describe, expect, test } from "vitest";
import { stepsOf } from "../../../../test/support/tabular.ts";
import { entropy, normaliseRewards, totalVariation } from "../../../math/distances.ts";
import { sequenceEnvironment } from "../../environment/sequence.ts";
import { enumeratedStates } from "../../evaluate/enumerated-states.ts";
import { type PolicyTable, visitation } from "../../evaluate/exact.ts";
import { networkTabulator } from "../../evaluate/network-tables.ts";
import { defaultSettings } from "../../training/defaults.ts";
import type { Settings } from "../../training/settings.ts";
import { modelTrainer } from "../../training/trainer.ts";
import { OBJECTIVES } from "../objective.ts";
import { CLAMP_LEVEL } from "./ratio.ts";

const LETTERS = 3;
const ITERATIONS = 450;
const GAMMA = 0.3;

/** Policies by the state index modulo 3, with a high, a low and a medium entropy, so that ratios differ. */
const POLICIES = [
  [1 / 3, 1 / 3, 1 / 3],
  [0.98, 0.01, 0.01],
  [0.6, 0.3, 0.1],
];

/** Sequences with a target that a policy can reach: the distribution of a fixed policy. */
function problem(stick: number) {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick });
  const enumeration = environment.enumerate();
  const policy = Float64Array.from(
    { length: enumeration.states * LETTERS },
    (_, i) => POLICIES[Math.floor(i / LETTERS) % 3][i % LETTERS],
  );
  const target = visitation(enumeration, policy).terminals;
  return { environment, enumeration, target };
}
type Problem = ReturnType<typeof problem>;

/** Trains, and evaluates the policy exactly. */
async function trained({ environment, enumeration, target }: Problem, changes: Partial<Settings>) {
  const trainer = await modelTrainer({
    ...defaultSettings(environment),
    environment,
    scores: target,
    batch: 128,
    hidden: [32],
    stateTableRows: enumeration.states,
    stateTableRateScale: 5,
    dynamicsHidden: [],
    learningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    rewardFloor: 0,
    uniformShare: { from: 0.5, to: 0, until: 0.6 },
    seed: 0,
    engine: "native",
    ...changes,
  });
  const ratios: number[] = [];
  for (let t = 0; t < ITERATIONS; t++) {
    const { entropyRatio } = await trainer.step(t, t / ITERATIONS);
    if (entropyRatio !== undefined) ratios.push(entropyRatio);
  }
  const reader = await networkTabulator({
    model: trainer.model,
    states: enumeratedStates(trainer.model)!,
    usesDynamics: false,
    engine: "native",
  });
  const { policy: table } = await reader.tabulate(await trainer.parameters());
  await reader.dispose();
  await trainer.dispose();
  const { terminals, states } = visitation(enumeration, table);
  const h = entropiesOf(table);
  const visits = states.reduce((a, b) => a + b);
  return {
    table,
    terminals,
    ratios,
    tv: totalVariation(target, terminals),
    entropy: states.reduce((sum, visited, state) => sum + (visited * h[state]) / visits, 0),
  };
}

/** Normalised entropy of the policy in every state. */
function entropiesOf(table: PolicyTable): number[] {
  return Array.from(
    { length: table.length / LETTERS },
    (_, state) => entropy(table.subarray(state * LETTERS, (state + 1) * LETTERS)) / Math.log(LETTERS),
  );
}

/** R·∏r over the states of a trajectory, normalised, with the entropies of the trained policy. */
function fixedPoint({ enumeration, target }: Problem, table: PolicyTable): Float64Array {
  const h = entropiesOf(table);
  const product = new Float64Array(enumeration.states).fill(1);
  const ends = Float64Array.from(target);
  for (const { state, target: to } of stepsOf(enumeration)) {
    const low = Math.min(h[state], CLAMP_LEVEL);
    const r = product[state] * (h[state] / (GAMMA * h[state] + (1 - GAMMA) * low));
    if (to >= 0) product[to] = r;
    else ends[-1 - to] = target[-1 - to] * r;
  }
  return normaliseRewards(ends).target;
}

describe.each([0, 0.25])("for a reachable target at stick %f,", (stick) => {
  const strings = problem(stick);
  const clamp = { entropyEstimator: "clamp", entropyGamma: GAMMA, entropyQuantile: 0.25 } as const;

  test.each([
    ["behaviour", "quantile"],
    ["potential", "state"],
  ] as const)("%s with the estimator %s preserves the target", async (entropyRatio, entropyEstimator) => {
    const { tv, ratios } = await trained(strings, { ...clamp, entropyRatio, entropyEstimator });
    expect(tv).toBeLessThan(0.02);
    // The ratio was not trivial.
    expect(ratios.at(-1)).toBeGreaterThan(1.5);
    expect(ratios.at(-1)).toBeLessThan(1 / GAMMA);
  });

  test("a margin changes the target to R·∏r", async () => {
    const { tv, table, terminals } = await trained(strings, { ...clamp, entropyRatio: "margin" });
    expect(totalVariation(fixedPoint(strings, table), terminals)).toBeLessThan(0.03);
    expect(tv).toBeGreaterThan(0.15);
  });

  test("a margin whose γ ends at 1 preserves the target", async () => {
    const entropyGamma = { from: GAMMA, to: 1, until: 0.4 };
    const { tv, ratios } = await trained(strings, { ...clamp, entropyGamma, entropyRatio: "margin" });
    expect(tv).toBeLessThan(0.02);
    expect(ratios[0]).toBeGreaterThan(2);
    expect(ratios.at(-1)).toBeCloseTo(1, 5);
  });

  test("the regulariser changes the target, and a coefficient that ends at 0 preserves it", async () => {
    const constant = await trained(strings, { entropyRegulariser: 0.3 });
    const falling = await trained(strings, { entropyRegulariser: { from: 0.3, to: 0, until: 0.4 } });
    expect(constant.tv).toBeGreaterThan(0.03);
    expect(constant.entropy).toBeGreaterThan(falling.entropy + 0.03);
    expect(falling.tv).toBeLessThan(0.02);
  });
});

test("under noise, kl-literal makes the policy deterministic and wrong, and kl converges to the target", async () => {
  const strings = problem(0.25);
  const literal = await trained(strings, { ...OBJECTIVES["kl-literal"], uniformShare: 0 });
  expect(literal.entropy).toBeLessThan(0.01);
  expect(literal.tv).toBeGreaterThan(0.4);
  const kl = await trained(strings, { ...OBJECTIVES.kl, uniformShare: 0 });
  expect(kl.entropy).toBeGreaterThan(0.5);
  expect(kl.tv).toBeLessThan(0.03);
});
