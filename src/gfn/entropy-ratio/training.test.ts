// Where training ends with the entropy ratio in it, exactly, on strings so few that dynamic programming tells.

import { describe, expect, test } from "vitest";
import { stepsOf } from "../../../test/support/tabular.ts";
import { defaultSettings } from "../defaults.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { entropy, normalise, totalVariation } from "../evaluate/distances.ts";
import { type PolicyTable, visitation } from "../evaluate/exact.ts";
import { listedStates } from "../evaluate/listed-states.ts";
import { networkReader } from "../evaluate/network-tables.ts";
import { OBJECTIVES } from "../objectives/choice.ts";
import type { Settings } from "../settings.ts";
import { createTrainer } from "../trainer.ts";
import { CLAMPED_TO } from "./ratio.ts";

const LETTERS = 3;
const ITERATIONS = 300;
const GAMMA = 0.3;

/** By number of the state modulo 3: some states leave everything open, some almost nothing, so that ratios differ. */
const INTENTIONS = [
  [1 / 3, 1 / 3, 1 / 3],
  [0.98, 0.01, 0.01],
  [0.6, 0.3, 0.1],
];

/** Strings with a target that is in reach: where some policy ends. */
function problem(stick: number) {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick });
  const listed = environment.enumerate();
  const policy = Float64Array.from(
    { length: listed.states * LETTERS },
    (_, i) => INTENTIONS[Math.floor(i / LETTERS) % 3][i % LETTERS],
  );
  const target = visitation(listed, policy).terminals;
  return { environment, listed, target };
}
type Problem = ReturnType<typeof problem>;

/** The policy after training. */
async function trained({ environment, listed, target }: Problem, changes: Partial<Settings>) {
  const trainer = await createTrainer({
    ...defaultSettings(environment),
    environment,
    scores: target,
    batch: 128,
    policy: { hidden: [32], memoryRows: listed.states, memoryRateScale: 5 },
    dynamics: { hidden: [] },
    learningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    reward: { floor: 0 },
    mixture: { uniform: { from: 0.5, to: 0, until: 0.6 }, offline: 0, replay: 0 },
    seed: 0,
    engine: "native",
    ...changes,
  });
  const ratios: number[] = [];
  for (let t = 0; t < ITERATIONS; t++) {
    const { entropyRatio } = await trainer.step(t, t / ITERATIONS);
    if (entropyRatio !== undefined) ratios.push(entropyRatio);
  }
  const reader = await networkReader({
    model: trainer.model,
    states: listedStates(trainer.model)!,
    usesDynamics: false,
    engine: "native",
  });
  const { table } = await reader.read(await trainer.parameters());
  await reader.dispose();
  await trainer.dispose();
  const { terminals, states } = visitation(listed, table);
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

/** h of every state. */
function entropiesOf(table: PolicyTable): number[] {
  return Array.from(
    { length: table.length / LETTERS },
    (_, state) => entropy(table.subarray(state * LETTERS, (state + 1) * LETTERS)) / Math.log(LETTERS),
  );
}

/** R·∏r over the states on the way, normalised, by the trained policy's own entropies. */
function fixedPoint({ listed, target }: Problem, table: PolicyTable): Float64Array {
  const h = entropiesOf(table);
  const product = new Float64Array(listed.states).fill(1);
  const ends = Float64Array.from(target);
  for (const { state, target: to } of stepsOf(listed)) {
    const low = Math.min(h[state], CLAMPED_TO);
    const r = product[state] * (h[state] / (GAMMA * h[state] + (1 - GAMMA) * low));
    if (to >= 0) product[to] = r;
    else ends[-1 - to] = target[-1 - to] * r;
  }
  return normalise(ends).target;
}

describe.each([0, 0.25])("with a target in reach, at stick %f,", (stick) => {
  const strings = problem(stick);
  const clamp = { estimator: "clamp", gamma: GAMMA, quantile: 0.25 } as const;

  test.each([
    ["behaviour", "quantile"],
    ["potential", "state"],
  ] as const)("%s by %s leaves the target where it is", async (use, estimator) => {
    const { tv, ratios } = await trained(strings, { entropyRatio: { ...clamp, use, estimator } });
    expect(tv).toBeLessThan(0.02);
    // It was not idle.
    expect(ratios.at(-1)).toBeGreaterThan(1.5);
    expect(ratios.at(-1)).toBeLessThan(1 / GAMMA);
  });

  test("a margin moves it to R·∏r, far from R", async () => {
    const { tv, table, terminals } = await trained(strings, { entropyRatio: { ...clamp, use: "margin" } });
    expect(totalVariation(fixedPoint(strings, table), terminals)).toBeLessThan(0.03);
    expect(tv).toBeGreaterThan(0.15);
  });

  test("a margin whose γ ends at 1 brings it back", async () => {
    const gamma = { from: GAMMA, to: 1, until: 0.4 };
    const { tv, ratios } = await trained(strings, { entropyRatio: { ...clamp, gamma, use: "margin" } });
    expect(tv).toBeLessThan(0.02);
    expect(ratios[0]).toBeGreaterThan(2);
    expect(ratios.at(-1)).toBeCloseTo(1, 5);
  });

  test("the regulariser moves it, unless its coefficient ends at 0", async () => {
    const moved = await trained(strings, { entropyRegulariser: { coefficient: 0.3 } });
    const falling = { from: 0.3, to: 0, until: 0.4 };
    const back = await trained(strings, { entropyRegulariser: { coefficient: falling } });
    expect(moved.tv).toBeGreaterThan(0.03);
    expect(moved.entropy).toBeGreaterThan(back.entropy + 0.03);
    expect(back.tv).toBeLessThan(0.02);
  });
});

test("with noise kl-literal makes the policy certain of what is wrong, where kl ends at the target", async () => {
  const strings = problem(0.25);
  const mixture = { uniform: 0, offline: 0, replay: 0 };
  const literal = await trained(strings, { objective: OBJECTIVES["kl-literal"], mixture });
  expect(literal.entropy).toBeLessThan(0.01);
  expect(literal.tv).toBeGreaterThan(0.4);
  const kl = await trained(strings, { objective: OBJECTIVES.kl, mixture });
  expect(kl.entropy).toBeGreaterThan(0.5);
  expect(kl.tv).toBeLessThan(0.03);
});
