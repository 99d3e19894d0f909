// Tests of PPO against the best policy (by dynamic programming) on small environments, and of its parts against closed
// forms.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { inFloat64 } from "../../test/support/tabular.ts";
import { RandomStream } from "../engine/index.ts";
import type { EnumerableEnvironment } from "../gfn/environment/environment.ts";
import { hypergridEnvironment } from "../gfn/environment/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environment/sequence.ts";
import { largestExpectedReward } from "../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../gfn/evaluate/exact-evaluator.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { ppoLearner } from "./ppo.ts";
import { clippedSurrogate, generalisedAdvantages } from "./ppo-iteration.ts";
import { defaultPpoSettings, type PpoSettings } from "./ppo-settings.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 4, stick: 0.25 });

/** A small environment, for properties that do not depend on the environment. */
const tiny = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });

function randomScores({ terminals }: { terminals: number }): Float64Array {
  const stream = RandomStream.fromSeed(5);
  return Float64Array.from({ length: terminals }, () => Math.exp(1.5 * stream.normal()));
}

function small(environment: EnumerableEnvironment, changes: Partial<PpoSettings> = {}) {
  const settings = defaultPpoSettings(environment, {
    ...{ hidden: [32], stateTableRows: environment.states, stateTableRateScale: 4 },
    batch: 64,
    learningRate: { from: 1e-2, to: 1e-4, shape: "cosine" },
    ...changes,
  });
  const scores = randomScores(environment.enumerate());
  return { environment, scores, settings, seed: 0, engine: "native" } as const;
}

describe.each<[string, EnumerableEnvironment]>([
  ["strings", strings],
  ["a grid", hypergridEnvironment({ dimensions: 2, side: 4, stick: 0.25 })],
])("on %s with noise", (_, environment) => {
  test("the policy nearly reaches the largest expected reward, and the critic predicts it", async () => {
    const ITERATIONS = 200;
    const options = small(environment);
    const enumeration = environment.enumerate();
    const reward = rewardTable(options.scores);
    const best = largestExpectedReward(enumeration, reward);
    const ppo = await ppoLearner(options);
    for (let t = 0; t < ITERATIONS; t++) await ppo.step(t, t / ITERATIONS);
    const evaluator = await exactEvaluator({
      model: ppo.model,
      reward,
      balance: "db",
      usesDynamics: false,
      engine: "native",
    });
    const { reached } = await evaluator.evaluate(await ppo.parameters());
    await evaluator.dispose();
    await ppo.dispose();
    expect(evaluator.uniform.expectedReward).toBeLessThan(0.6 * best);
    expect(reached.expectedReward).toBeGreaterThan(0.98 * best);
    expect(reached.expectedReward).toBeLessThan(best * (1 + 1e-9));
    const value = (reached.logZError as number) + evaluator.logZ;
    const largest = reward.reduce((a, b) => Math.max(a, b));
    expect(value).toBeCloseTo(reached.expectedReward / largest, 1);
  });
});

describe("a step", () => {
  test("is one program, and the same seed gives bit-identical weights", async () => {
    const policies: Float32Array[] = [];
    for (const seed of [7, 7, 8]) {
      const ppo = await ppoLearner({ ...small(tiny, { epochs: 2 }), seed });
      expect(ppo.programs).toEqual(["ppo"]);
      for (let t = 0; t < 3; t++) await ppo.step(t, 0);
      policies.push((await ppo.parameters()).policy);
      await ppo.dispose();
    }
    expect(policies[0]).toEqual(policies[1]);
    expect(policies[0]).not.toEqual(policies[2]);
  });

  test("has the same losses on both engines", async () => {
    const losses: number[][] = [];
    for (const engine of ["native", "jax"] as const) {
      const ppo = await ppoLearner({ ...small(tiny, { epochs: 2 }), engine });
      losses.push([(await ppo.step(0, 0)).loss, (await ppo.step(1, 0)).loss]);
      await ppo.dispose();
    }
    losses[0].forEach((loss, t) => {
      expect(losses[1][t]).toBeCloseTo(loss, 5);
    });
  });

  test("makes as many updates as there are epochs", async () => {
    const moved = async (epochs: number) => {
      const ppo = await ppoLearner(small(tiny, { epochs, learningRate: 1e-3, stateTableRows: 0 }));
      const oldLogProbability = (await ppo.parameters()).policy;
      await ppo.step(0, 0);
      const after = (await ppo.parameters()).policy;
      await ppo.dispose();
      return after.reduce((most, x, i) => Math.max(most, Math.abs(x - oldLogProbability[i])), 0);
    };
    // The first steps of Adam are about as long as its learning rate.
    expect(await moved(1)).toBeCloseTo(1e-3, 4);
    expect(await moved(4)).toBeGreaterThan(2.5e-3);
  });

  test("with a large entropy bonus keeps the policy uniform", async () => {
    const largestProbability = async (entropy: number) => {
      const ppo = await ppoLearner(small(tiny, { entropyWeight: entropy }));
      for (let t = 0; t < 60; t++) await ppo.step(t, 0);
      const evaluator = await exactEvaluator({
        model: ppo.model,
        reward: rewardTable(small(tiny).scores),
        balance: "db",
        usesDynamics: false,
        engine: "native",
      });
      const { policy: table } = await evaluator.evaluate(await ppo.parameters());
      await evaluator.dispose();
      await ppo.dispose();
      return Math.max(...table.subarray(0, 2));
    };
    expect(await largestProbability(100)).toBeCloseTo(1 / 2, 1);
    expect(await largestProbability(0)).toBeGreaterThan(0.8);
  });

  test.each<[Partial<PpoSettings>, string]>([
    [{ epochs: 0 }, "epochs: must be a whole number from 1 to 2^31 - 1, got 0"],
    [{ batch: 1.5 }, "batch: must be a whole number from 1 to 2^31 - 1, got 1.5"],
    [{ ratioClip: 0 }, "ratioClip: must be a number above 0, got 0"],
    [{ clip: Number.NaN }, "clip: must be a number above 0, got NaN"],
    [{ lambda: 1.1 }, "lambda: must be a number in [0, 1], got 1.1"],
    [{ entropyWeight: -1 }, "entropyWeight: must be a number of at least 0"],
    [
      { learningRate: { from: 1, to: -1 } },
      "learningRate: must be a schedule whose to is a number of at least 0",
    ],
  ])("%o is refused", async (changes, message) => {
    await expect(ppoLearner(small(strings, changes))).rejects.toThrow(message);
  });
});

describe("advantages of two trajectories, of which the second ends a step early,", () => {
  const T = 3;
  const B = 2;
  const inputs = {
    value: { shape: [T * B], data: [0.5, 0.25, 0.75, 0.125, 1, 9] },
    running: { shape: [T * B], data: [1, 1, 1, 1, 1, 0] },
    ends: { shape: [T * B], data: [0, 0, 0, 1, 1, 0] },
    reward: { shape: [B], data: [2, 1] },
  };
  const advantages = (lambda: number) =>
    inFloat64(
      ({ value, running, ends, reward }) => ({
        advantage: generalisedAdvantages({ T, B, running, ends }, value, reward, lambda),
      }),
      inputs,
    ).advantage;

  test.each([
    [0, "are one-step temporal differences", [0.25, -0.125, 0.25, 0.875, 1, 0]],
    [1, "are the reward minus the value", [1.5, 0.75, 1.25, 0.875, 1, 0]],
    [0.5, "weight each later step by a half", [0.25 + 0.5 * 0.75, -0.125 + 0.5 * 0.875, 0.75, 0.875, 1, 0]],
  ])("at lambda %d %s", (lambda, _, expected) => {
    expect([...advantages(lambda)]).toEqual(expected);
  });
});

describe("the clipped surrogate", () => {
  const at = (ratio: number, advantage: number) =>
    inFloat64(
      ({ logProbability, oldLogProbability, advantage }) => {
        const surrogate = (x: np.Array) => np.sum(clippedSurrogate(x, oldLogProbability, advantage, 0.2)); // []
        return { value: surrogate(logProbability), slope: grad(surrogate)(logProbability) };
      },
      {
        logProbability: { shape: [1], data: [Math.log(ratio) - 1] },
        oldLogProbability: { shape: [1], data: [-1] },
        advantage: { shape: [1], data: [advantage] },
      },
    );

  test.each([
    [1, 2, 2, 2, "grows with the ratio near 1"],
    [1.5, 2, 2.4, 0, "is flat for a good action that is already much more likely"],
    [0.5, 2, 1, 1, "still increases the probability of a good action that became unlikely"],
    [0.5, -2, -1.6, 0, "is flat for a bad action that is already much less likely"],
    [1.5, -2, -3, -3, "still decreases the probability of a bad action that became likely"],
  ])("at ratio %d and advantage %d is %d with slope %d: it %s", (ratio, advantage, value, slope) => {
    const found = at(ratio, advantage);
    expect(found.value[0]).toBeCloseTo(value, 6);
    expect(found.slope[0]).toBeCloseTo(slope, 6);
  });
});
