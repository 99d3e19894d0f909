// Paths drawn for training: their law is that of policy and channel, and each row is drawn as it is told.

import type { numpy as np } from "@jax-js/jax";
import { afterAll, describe, expect, test } from "vitest";
import { randomInput } from "../../../test/support/gradients.ts";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { behaviourRows, checkShares } from "./behaviour.ts";
import { uniformChannel } from "./channel.ts";
import { exactMeasures } from "./exact.ts";
import { flowModel } from "./model.ts";
import type { Arrays } from "./problem.ts";
import { markovReward } from "./rewards.ts";
import { type RowBehaviour, rolloutPaths, uniformsPerStep } from "./rollout.ts";
import { pathSampler } from "./sampler.ts";
import { tableReader } from "./tables.ts";

const [K, H, B] = [3, 2, 6000];
const matrix = uniformChannel(K, 0.3);
const model = flowModel(
  {
    tokens: K,
    horizon: H,
    inputs: { earlier: spec([1, K]), logTable: spec([H, K, K]) },
    reader: { context: 0, known: 0, earlier: 1, read: ({ earlier }: Arrays) => ({ earlier }) },
    reward: markovReward(1),
    channel: { matrix },
  },
  { hidden: [8] },
);
const params = Float32Array.from(randomInput([model.layout.size], "params", 0.8).data);

/** Draws B rows that may each be drawn another way. */
const program = await compile(
  ({ flat, earlier, uniform, ...rows }: Record<string, np.Array>) => ({
    tokens: rolloutPaths(model, model.params(flat), { earlier }, uniform, rows as unknown as RowBehaviour)
      .tokens,
  }),
  {
    flat: spec([params.length]),
    earlier: spec([B, 1, K]),
    uniform: spec([H, B, uniformsPerStep(K)]),
    temperature: spec([B]),
    epsilon: spec([B]),
    given: spec([B]),
    paths: spec([B, H], "int32"),
  },
);
afterAll(() => program.dispose());

/** Shares of all paths among rows that are all drawn alike. */
async function shares({
  temperature = 1,
  epsilon = 0,
  given = [] as readonly number[],
}): Promise<Float64Array> {
  const stream = RandomStream.fromSeed(4).split("uniform");
  const { tokens } = await program.run({
    flat: params,
    earlier: Float32Array.from({ length: B * K }, (_, i) => Number(i % K === 1)),
    uniform: stream.fillUniform(new Float32Array(H * B * uniformsPerStep(K))),
    temperature: new Float32Array(B).fill(temperature),
    epsilon: new Float32Array(B).fill(epsilon),
    given: new Float32Array(B).fill(given.length > 0 ? 1 : 0),
    paths: Int32Array.from({ length: B * H }, (_, i) => given[i % H] ?? 0),
  });
  const counts = new Float64Array(K ** H);
  for (let b = 0; b < B; b++) {
    const token = (t: number) => tokens.subarray((t * B + b) * K, (t * B + b + 1) * K).indexOf(1);
    counts[token(0) * K + token(1)] += 1 / B;
  }
  return counts;
}

/** The law of the network's own policy, its logits divided by the temperature. */
async function law(temperature: number, token = 1): Promise<Float64Array> {
  const reader = await tableReader(model);
  const inputs = {
    earlier: Float32Array.from([0, 1, 2], (x) => Number(x === token)),
    logTable: new Float32Array(H * K * K),
  };
  const { value } = await reader.read(params, inputs).next();
  await reader.dispose();
  const policy = (value.policy as Float32Array[]).map((logits) => logits.map((logit) => logit / temperature));
  return exactMeasures({ ...value, policy }, new Float64Array(K ** H), matrix).law;
}

/** Every share within five deviations of what it should be. */
function expectLaw(found: Float64Array, expected: ArrayLike<number>): void {
  for (let i = 0; i < found.length; i++) {
    expect(Math.abs(found[i] - expected[i])).toBeLessThan(
      5 * Math.sqrt((expected[i] * (1 - expected[i])) / B),
    );
  }
}

describe("rows of a rollout", () => {
  test("follow policy and channel", async () => {
    const expected = await law(1);
    expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(0.1);
    expectLaw(await shares({}), expected);
  });

  test("may be tempered", async () => {
    expectLaw(await shares({ temperature: 3 }), await law(3));
  });

  test("may be uniform", async () => {
    expectLaw(await shares({ epsilon: 1 }), new Float64Array(K ** H).fill(1 / K ** H));
  });

  test("may be given", async () => {
    expect((await shares({ given: [2, 1] }))[2 * K + 1]).toBeCloseTo(1, 9);
  });
});

test("paths of a trained flow come by context, each from its own law", async () => {
  const sampler = await pathSampler(model, { contexts: 2, paths: B });
  const inputs = { earlier: Float32Array.of(0, 1, 0, 0, 0, 1), logTable: new Float32Array(2 * H * K * K) };
  const drawn = await sampler.draw(params, inputs, RandomStream.fromSeed(8));
  await sampler.dispose();
  for (const [context, token] of [1, 2].entries()) {
    const counts = new Float64Array(K ** H);
    for (let b = 0; b < B; b++) {
      const [first, second] = drawn.subarray((context * B + b) * H);
      counts[first * K + second] += 1 / B;
    }
    expectLaw(counts, await law(1, token));
  }
  expect(totalVariation(await law(1, 1), await law(1, 2))).toBeGreaterThan(0.1);
});

describe("shares of rows", () => {
  test("are given, then uniform, then tempered, then own", () => {
    const rows = behaviourRows({ given: 0.25, uniform: 0.25, tempered: 0.25, temperature: 3 }, 8, 0.5);
    expect(Array.from(rows.given)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
    expect(Array.from(rows.epsilon)).toEqual([0, 0, 1, 1, 0, 0, 0, 0]);
    expect(Array.from(rows.temperature)).toEqual([1, 1, 1, 1, 3, 3, 1, 1]);
  });

  test("leave tempered and own rows with so much noise", () => {
    const { epsilon } = behaviourRows({ given: 0.25, uniform: 0.25, tempered: 0.25, noise: 0.5 }, 8, 0.5);
    expect(Array.from(epsilon)).toEqual([0, 0, 1, 1, 0.5, 0.5, 0.5, 0.5]);
  });

  test("fade to none, but for given ones", () => {
    const at = (progress: number) => behaviourRows({ given: 0.25, uniform: 0.5, fade: true }, 8, progress);
    const count = (array: Float32Array) => array.reduce((sum, value) => sum + value);
    expect([0, 0.4, 0.8, 1].map((progress) => count(at(progress).epsilon))).toEqual([4, 2, 0, 0]);
    expect(count(at(1).given)).toBe(2);
  });

  test("must come to at most one", () => {
    expect(() => checkShares({ uniform: 0.6, given: 0.6 })).toThrow(
      "flow: shares of uniform, tempered and given rows must be at least 0 and at most 1 together, got 0.6, 0, 0.6",
    );
    expect(() => checkShares({ temperature: 0 })).toThrow("flow: temperature must be positive, got 0");
    expect(() => checkShares({ noise: 2 })).toThrow("flow: noise must be from 0 to 1, got 2");
  });
});
