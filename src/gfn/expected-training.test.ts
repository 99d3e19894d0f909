// Soft Q-learning and expected flows, trained: they end where dynamic programming says.

import { describe, expect, test } from "vitest";
import { RandomStream } from "../engine/index.ts";
import { defaultSettings } from "./defaults.ts";
import type { EnumerableEnvironment } from "./environment.ts";
import { hypergridEnvironment } from "./environments/hypergrid.ts";
import { sequenceEnvironment } from "./environments/sequence.ts";
import { normalise, totalVariation } from "./evaluate/distances.ts";
import { visitation } from "./evaluate/exact.ts";
import { exactEvaluator } from "./evaluate/exact-evaluator.ts";
import { expectedFlows, softValues } from "./evaluate/expected.ts";
import { limitOf } from "./evaluate/limit.ts";
import { OBJECTIVES } from "./objectives/choice.ts";
import { checkSettings, type Settings } from "./settings.ts";
import { createTrainer, type TrainerOptions } from "./trainer.ts";

const ITERATIONS = 700;
const PROGRAMMES = { "soft-q": softValues, eflow: expectedFlows } as const;
type Name = keyof typeof PROGRAMMES;

const environments: Record<string, EnumerableEnvironment> = {
  "strings of fixed length": sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0.5 }),
  "strings that stop": sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.5, variable: true }),
  "a grid": hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.5 }),
};

function rewardsOf({ terminals }: { terminals: number }): Float64Array {
  const stream = RandomStream.fromSeed(5);
  return Float64Array.from({ length: terminals }, () => Math.exp(2 * stream.normal()));
}

function optionsOf(environment: EnumerableEnvironment, name: Name): TrainerOptions {
  const settings = defaultSettings(environment, { objective: OBJECTIVES[name] });
  return {
    ...settings,
    policy: { ...settings.policy, hidden: [32] },
    learningRate: { from: 2e-2, to: 1e-5, shape: "cosine" },
    environment,
    scores: rewardsOf(environment.enumerate()),
    reward: { floor: 0 },
    seed: 1,
    engine: "native",
  };
}

/** Where a trained policy ends, and its log F of the start. */
async function trained(options: TrainerOptions) {
  const trainer = await createTrainer(options);
  for (let t = 0; t < ITERATIONS; t++) await trainer.step(t, t / ITERATIONS);
  const reward = trainer.reward as Float64Array;
  const evaluator = await exactEvaluator({
    model: trainer.model,
    reward,
    balance: "db",
    usesDynamics: false,
    engine: "native",
  });
  const { terminals, reached } = await evaluator.evaluate(await trainer.parameters());
  await evaluator.dispose();
  await trainer.dispose();
  return { terminals, logFlow: (reached.logZError as number) + evaluator.logZ };
}

describe.each(Object.entries(environments))("on %s", (_, environment) => {
  const listed = environment.enumerate();
  const reward = rewardsOf(listed);
  const { target } = normalise(reward);
  const limit = limitOf(environment, listed, target).terminals;

  test.each<[Name, Name]>([
    ["soft-q", "eflow"],
    ["eflow", "soft-q"],
  ])(
    "%s ends where its dynamic programme does, and neither at the limit nor where %s does",
    async (name, other) => {
      const { policy, logFlow } = PROGRAMMES[name](listed, reward);
      const reached = await trained(optionsOf(environment, name));
      const elsewhere = visitation(listed, PROGRAMMES[other](listed, reward).policy).terminals;
      expect(totalVariation(reached.terminals, visitation(listed, policy).terminals)).toBeLessThan(0.01);
      expect(reached.logFlow).toBeCloseTo(logFlow[0], 1);
      expect(totalVariation(reached.terminals, elsewhere)).toBeGreaterThan(0.02);
      expect(totalVariation(reached.terminals, limit)).toBeGreaterThan(0.02);
    },
  );
});

test("episodes played before teach the same, for their outcomes are the environment's own", async () => {
  const environment = environments["strings that stop"];
  const listed = environment.enumerate();
  const { policy } = softValues(listed, rewardsOf(listed));
  const options = {
    ...optionsOf(environment, "soft-q"),
    mixture: { uniform: 0, offline: 0, replay: 0.5 },
    exploration: { epsilon: 0.5, temperature: 1 },
  };
  const { terminals } = await trained(options);
  expect(totalVariation(terminals, visitation(listed, policy).terminals)).toBeLessThan(0.01);
});

test("eflow with the default network, which learns from its own word, does not talk itself up without end", async () => {
  const environment = sequenceEnvironment({ alphabet: "ABC", length: 7, stick: 0.5 });
  const listed = environment.enumerate();
  const scores = rewardsOf(listed);
  const settings = defaultSettings(environment, { objective: OBJECTIVES.eflow, reward: { floor: 0 } });
  const { logFlow } = await trained({ ...settings, environment, scores, seed: 0, engine: "native" });
  expect(Math.abs(logFlow - expectedFlows(listed, scores).logFlow[0])).toBeLessThan(1);
});

describe("the dynamics expected refuse", () => {
  const environment = environments["strings of fixed length"];
  const { objective, mixture, replay } = optionsOf(environment, "soft-q");

  test.each<[string, Partial<Settings>, string]>([
    ["a balance of whole episodes", { objective: { ...objective, balance: "tb" } }, "go with db, got tb"],
    ["a loss with no such meaning", { objective: { ...objective, loss: "huber" } }, "got huber"],
    ["objects drawn uniformly", { mixture: { ...mixture, uniform: 0.1 } }, "mixture.uniform: such objects"],
    [
      "known objects",
      { mixture: { ...mixture, offline: { from: 0, to: 0.1 } } },
      "set it to 0 and use exploration.epsilon or mixture.replay",
    ],
    [
      "episodes picked by score",
      { mixture: { ...mixture, replay: 0.1 }, replay: { ...replay, priority: 1 } },
      "replay.priority: drawing episodes by score favours lucky outcomes",
    ],
  ])("%s", (_, changes, message) => {
    const settings = defaultSettings(environment, { objective });
    expect(() => checkSettings(settings)).not.toThrow();
    expect(() => checkSettings({ ...settings, ...changes })).toThrow(message);
  });

  test("nothing of it by default: exploration is by intentions instead of by objects", () => {
    const { exploration, mixture } = defaultSettings(environment, { objective });
    expect(exploration.epsilon).toEqual(defaultSettings(environment).mixture.uniform);
    expect(mixture.uniform).toBe(0);
  });
});
