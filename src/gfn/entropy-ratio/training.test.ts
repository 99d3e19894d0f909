// Where training ends with the entropy ratio in it, exactly, on strings so few that dynamic programming tells.

import { describe, expect, test } from "vitest";
import { stepsOf } from "../../../test/support/tabular.ts";
import { defaultSettings } from "../defaults.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { entropy, normalise, totalVariation } from "../evaluate/distances.ts";
import { type PolicyTable, visitation } from "../evaluate/exact.ts";
import { networkReader } from "../evaluate/network-tables.ts";
import { OBJECTIVES } from "../objectives/choice.ts";
import type { Settings } from "../settings.ts";
import { createTrainer } from "../trainer.ts";
import { CLAMPED_TO } from "./ratio.ts";

const LETTERS = 3;
const ITERATIONS = 400;
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
async function trained({ environment, listed, target }: Problem, changes: Partial<Settings>, seed = 0) {
  const trainer = await createTrainer({
    ...defaultSettings(environment),
    environment,
    scores: target,
    batch: 128,
    policy: { hidden: [32], memoryRows: listed.states },
    learningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    dynamicsLearningRate: { from: 2e-2, to: 1e-4, shape: "cosine" },
    reward: { floor: 0 },
    mixture: { uniform: 0, offline: 0, replay: 0 },
    seed,
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
    environment,
    listed,
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

test.each([0, 0.25])("explore stick %f", async (stick) => {
  const p = problem(stick);
  const clamp = { estimator: "clamp", gamma: GAMMA, quantile: 0.25 } as const;
  for (const [name, changes] of Object.entries({
    none: {},
    behaviour: { entropyRatio: { ...clamp, use: "behaviour" } },
    behaviourQ: { entropyRatio: { ...clamp, estimator: "quantile", use: "behaviour" } },
    potential: { entropyRatio: { ...clamp, use: "potential" } },
    potentialS: { entropyRatio: { ...clamp, estimator: "state", use: "potential" } },
    potentialSubtb: { objective: OBJECTIVES.ssubtb, entropyRatio: { ...clamp, estimator: "state", use: "potential" } },
    margin: { entropyRatio: { ...clamp, use: "margin" } },
    marginTb: { objective: OBJECTIVES.stb, entropyRatio: { ...clamp, use: "margin" } },
    marginS: { entropyRatio: { ...clamp, estimator: "state", use: "margin" } },
    margin1: { entropyRatio: { ...clamp, gamma: { from: GAMMA, to: 1, until: 0.5 }, use: "margin" } },
    reg: { entropyRegulariser: { coefficient: 0.3 } },
    reg0: { entropyRegulariser: { coefficient: { from: 0.3, to: 0, until: 0.7 } } },
    ...(stick > 0 && { literal: { objective: OBJECTIVES["kl-literal"] } }),
  } as Record<string, Partial<Settings>>)) {
    const before = performance.now();
    const { tv, entropy, ratios, table, terminals } = await trained(p, changes);
    const fixed = fixedPoint(p, table, GAMMA);
    console.log(stick, name, { tv, entropy, ratio: [ratios[0], ratios.at(-1)], toFixed: totalVariation(fixed, terminals), ms: Math.round(performance.now() - before) });
  }
});

/** R·∏r over the states on the way, normalised, by the trained policy's own entropies. */
function fixedPoint({ listed, target }: Problem, table: PolicyTable, gamma: number): Float64Array {
  const h = entropiesOf(table);
  const product = new Float64Array(listed.states).fill(1);
  const ends = Float64Array.from(target);
  for (const { state, target: to } of stepsOf(listed)) {
    const low = Math.min(h[state], CLAMPED_TO);
    const r = product[state] * (h[state] / (gamma * h[state] + (1 - gamma) * low));
    if (to >= 0) product[to] = r;
    else ends[-1 - to] = target[-1 - to] * r;
  }
  return normalise(ends).target;
}
