// PPO on environments so small that the best policy is found by dynamic programming, and its parts against closed forms.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { inFloat64 } from "../../test/support/tabular.ts";
import { RandomStream } from "../engine/index.ts";
import type { EnumerableEnvironment } from "../gfn/environment.ts";
import { hypergridEnvironment } from "../gfn/environments/hypergrid.ts";
import { sequenceEnvironment } from "../gfn/environments/sequence.ts";
import { largestExpectedReward } from "../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../gfn/evaluate/exact-evaluator.ts";
import { rewardTable } from "../gfn/reward.ts";
import { createPpo } from "./ppo.ts";
import { advantagesOf, clippedGain } from "./ppo-iteration.ts";
import { defaultPpoSettings, type PpoSettings } from "./ppo-settings.ts";

const strings = sequenceEnvironment({ alphabet: "ABC", length: 4, stick: 0.25 });

/** For what any environment shows. */
const tiny = sequenceEnvironment({ alphabet: "AB", length: 2, stick: 0.25 });

function randomScores({ terminals }: { terminals: number }): Float64Array {
  const stream = RandomStream.fromSeed(5);
  return Float64Array.from({ length: terminals }, () => Math.exp(1.5 * stream.normal()));
}

function small(environment: EnumerableEnvironment, changes: Partial<PpoSettings> = {}) {
  const settings = defaultPpoSettings(environment, {
    policy: { hidden: [32], memoryRows: environment.states, memoryRateScale: 4 },
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
  test("nearly the largest expected reward of any policy is reached, and the critic knows it", async () => {
    const ITERATIONS = 200;
    const options = small(environment);
    const listed = environment.enumerate();
    const reward = rewardTable(options.scores);
    const best = largestExpectedReward(listed, reward);
    const ppo = await createPpo(options);
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
  test("is one program, and the same seed gives the same bits", async () => {
    const policies: Float32Array[] = [];
    for (const seed of [7, 7, 8]) {
      const ppo = await createPpo({ ...small(tiny, { epochs: 2 }), seed });
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
      const ppo = await createPpo({ ...small(tiny, { epochs: 2 }), engine });
      losses.push([(await ppo.step(0, 0)).loss, (await ppo.step(1, 0)).loss]);
      await ppo.dispose();
    }
    losses[0].forEach((loss, t) => {
      expect(losses[1][t]).toBeCloseTo(loss, 5);
    });
  });

  test("makes as many updates as there are epochs", async () => {
    const moved = async (epochs: number) => {
      const ppo = await createPpo(small(tiny, { epochs, learningRate: 1e-3, policy: { hidden: [32] } }));
      const before = (await ppo.parameters()).policy;
      await ppo.step(0, 0);
      const after = (await ppo.parameters()).policy;
      await ppo.dispose();
      return after.reduce((most, x, i) => Math.max(most, Math.abs(x - before[i])), 0);
    };
    // Adam's first steps are about as long as its rate.
    expect(await moved(1)).toBeCloseTo(1e-3, 4);
    expect(await moved(4)).toBeGreaterThan(2.5e-3);
  });

  test("under a heavy entropy bonus keeps all intentions alike, whatever they are worth", async () => {
    const spread = async (entropy: number) => {
      const ppo = await createPpo(small(tiny, { entropy }));
      for (let t = 0; t < 60; t++) await ppo.step(t, 0);
      const evaluator = await exactEvaluator({
        model: ppo.model,
        reward: rewardTable(small(tiny).scores),
        balance: "db",
        usesDynamics: false,
        engine: "native",
      });
      const { table } = await evaluator.evaluate(await ppo.parameters());
      await evaluator.dispose();
      await ppo.dispose();
      return Math.max(...table.subarray(0, 2));
    };
    expect(await spread(100)).toBeCloseTo(1 / 2, 1);
    expect(await spread(0)).toBeGreaterThan(0.8);
  });

  test.each<[Partial<PpoSettings>, string]>([
    [{ epochs: 0 }, "epochs must be a whole number of at least 1, got 0"],
    [{ batch: 1.5 }, "batch must be a whole number of at least 1, got 1.5"],
    [{ ratioClip: 0 }, "ratioClip must be a positive number, got 0"],
    [{ clip: Number.NaN }, "clip must be a positive number, got NaN"],
    [{ lambda: 1.1 }, "lambda must be in [0, 1], got 1.1"],
    [{ entropy: -1 }, "entropy must be in [0, "],
    [{ learningRate: { from: 1, to: -1 } }, "learningRate must be in [0, "],
  ])("%o is refused", async (changes, message) => {
    await expect(createPpo(small(strings, changes))).rejects.toThrow(message);
  });
});

describe("advantages of two episodes, of which the second ends a step early,", () => {
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
        advantage: advantagesOf({ T, B, running, ends }, value, reward, lambda),
      }),
      inputs,
    ).advantage;

  test.each([
    [0, "are one step of the critic", [0.25, -0.125, 0.25, 0.875, 1, 0]],
    [1, "are the reward less what was expected", [1.5, 0.75, 1.25, 0.875, 1, 0]],
    [0.5, "count later steps by half", [0.25 + 0.5 * 0.75, -0.125 + 0.5 * 0.875, 0.75, 0.875, 1, 0]],
  ])("at lambda %d %s", (lambda, _, expected) => {
    expect([...advantages(lambda)]).toEqual(expected);
  });
});

describe("the clipped gain", () => {
  const at = (ratio: number, advantage: number) =>
    inFloat64(
      ({ chosen, before, advantage }) => {
        const gain = (x: np.Array) => np.sum(clippedGain(x, before, advantage, 0.2)); // []
        return { value: gain(chosen), slope: grad(gain)(chosen) };
      },
      {
        chosen: { shape: [1], data: [Math.log(ratio) - 1] },
        before: { shape: [1], data: [-1] },
        advantage: { shape: [1], data: [advantage] },
      },
    );

  test.each([
    [1, 2, 2, 2, "grows with the ratio near 1"],
    [1.5, 2, 2.4, 0, "gains no more from what has become much likelier already"],
    [0.5, 2, 1, 1, "still wants back what was good and became unlikely"],
    [0.5, -2, -1.6, 0, "gains no more from what has become much unlikelier already"],
    [1.5, -2, -3, -3, "still wants away from what was bad and became likely"],
  ])("at ratio %d and advantage %d is %d with slope %d: it %s", (ratio, advantage, value, slope) => {
    const found = at(ratio, advantage);
    expect(found.value[0]).toBeCloseTo(value, 6);
    expect(found.slope[0]).toBeCloseTo(slope, 6);
  });
});
