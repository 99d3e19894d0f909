// Sampled training paths: they follow policy and channel, and each row is sampled according to the batch composition.

import type { numpy as np } from "@jax-js/jax";
import { afterAll, describe, expect, test } from "vitest";
import { randomInput } from "../../../test/support/gradients.ts";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { batchCompositionIssues, batchRows } from "./batch-composition.ts";
import { uniformChannel } from "./channel.ts";
import { exactMetrics } from "./exact.ts";
import { flowModel } from "./flow-model.ts";
import { prefixTabulator } from "./prefix-tables.ts";
import type { NamedArrays } from "./problem.ts";
import { markovReward } from "./rewards.ts";
import { type RowSampling, rolloutPaths, uniformsPerStep } from "./rollout.ts";
import { flowSampler } from "./sampler.ts";

const [K, H, B] = [3, 2, 6000];
const matrix = uniformChannel(K, 0.3);
const model = flowModel(
  {
    tokens: K,
    horizon: H,
    inputs: { past: spec([1, K]), logTable: spec([H, K, K]) },
    encoder: {
      contextWidth: 0,
      futureWidth: 0,
      pastTokens: 1,
      encode: ({ past }: NamedArrays) => ({ past }),
    },
    reward: markovReward(1),
    channel: { matrix },
  },
  { hidden: [8] },
);
const params = Float32Array.from(randomInput([model.layout.size], "params", 0.8).data);

/** Samples B rows, each with its own temperature, ε and off-policy path. */
const program = await compile(
  ({ flat, past, uniform, ...rows }: Record<string, np.Array>) => ({
    tokens: rolloutPaths(model, model.params(flat), { past }, uniform, rows as unknown as RowSampling)
      .outcomes,
  }),
  {
    flat: spec([params.length]),
    past: spec([B, 1, K]),
    uniform: spec([H, B, uniformsPerStep(K)]),
    temperature: spec([B]),
    epsilon: spec([B]),
    offPolicy: spec([B]),
    offPolicyPaths: spec([B, H], "int32"),
  },
);
afterAll(() => program.dispose());

/** Relative frequencies of all paths if all rows are sampled alike. */
async function frequencies({
  temperature = 1,
  epsilon = 0,
  path = [] as readonly number[],
}): Promise<Float64Array> {
  const stream = RandomStream.fromSeed(4).split("uniform");
  const { tokens } = await program.run({
    flat: params,
    past: Float32Array.from({ length: B * K }, (_, i) => Number(i % K === 1)),
    uniform: stream.fillUniform(new Float32Array(H * B * uniformsPerStep(K))),
    temperature: new Float32Array(B).fill(temperature),
    epsilon: new Float32Array(B).fill(epsilon),
    offPolicy: new Float32Array(B).fill(path.length > 0 ? 1 : 0),
    offPolicyPaths: Int32Array.from({ length: B * H }, (_, i) => path[i % H] ?? 0),
  });
  const counts = new Float64Array(K ** H);
  for (let b = 0; b < B; b++) {
    const token = (t: number) => tokens.subarray((t * B + b) * K, (t * B + b + 1) * K).indexOf(1);
    counts[token(0) * K + token(1)] += 1 / B;
  }
  return counts;
}

/** The exact distribution of paths under the policy, with its logits divided by the temperature. */
async function exactDistribution(temperature: number, token = 1): Promise<Float64Array> {
  const tabulator = await prefixTabulator(model);
  const inputs = {
    past: Float32Array.from([0, 1, 2], (x) => Number(x === token)),
    logTable: new Float32Array(H * K * K),
  };
  const { value } = await tabulator.tabulate(params, inputs).next();
  await tabulator.dispose();
  const policy = (value.policy as Float32Array[]).map((logits) => logits.map((logit) => logit / temperature));
  return exactMetrics({ ...value, policy }, new Float64Array(K ** H), matrix).distribution;
}

/** Every frequency must be within five standard deviations of its probability. */
function expectFrequencies(found: Float64Array, expected: ArrayLike<number>): void {
  for (let i = 0; i < found.length; i++) {
    expect(Math.abs(found[i] - expected[i])).toBeLessThan(
      5 * Math.sqrt((expected[i] * (1 - expected[i])) / B),
    );
  }
}

describe("rows of a rollout", () => {
  test("follow the policy and the channel", async () => {
    const expected = await exactDistribution(1);
    expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(0.1);
    expectFrequencies(await frequencies({}), expected);
  });

  test("can be tempered", async () => {
    expectFrequencies(await frequencies({ temperature: 3 }), await exactDistribution(3));
  });

  test("can be uniform", async () => {
    expectFrequencies(await frequencies({ epsilon: 1 }), new Float64Array(K ** H).fill(1 / K ** H));
  });

  test("can follow off-policy paths", async () => {
    expect((await frequencies({ path: [2, 1] }))[2 * K + 1]).toBeCloseTo(1, 9);
  });
});

test("the flow sampler returns paths by context, each from the distribution of its context", async () => {
  const sampler = await flowSampler(model, { contexts: 2, paths: B });
  const inputs = { past: Float32Array.of(0, 1, 0, 0, 0, 1), logTable: new Float32Array(2 * H * K * K) };
  const sampled = await sampler.sample(params, inputs, RandomStream.fromSeed(8));
  await sampler.dispose();
  for (const [context, token] of [1, 2].entries()) {
    const counts = new Float64Array(K ** H);
    for (let b = 0; b < B; b++) {
      const [first, second] = sampled.subarray((context * B + b) * H);
      counts[first * K + second] += 1 / B;
    }
    expectFrequencies(counts, await exactDistribution(1, token));
  }
  expect(totalVariation(await exactDistribution(1, 1), await exactDistribution(1, 2))).toBeGreaterThan(0.1);
});

describe("the rows of a batch", () => {
  test("are off-policy, then uniform, then tempered, then on-policy", () => {
    const rows = batchRows(
      { offPolicyShare: 0.25, uniformShare: 0.25, temperedShare: 0.25, temperature: 3 },
      8,
      0.5,
    );
    expect(Array.from(rows.offPolicy)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
    expect(Array.from(rows.epsilon)).toEqual([0, 0, 1, 1, 0, 0, 0, 0]);
    expect(Array.from(rows.temperature)).toEqual([1, 1, 1, 1, 3, 3, 1, 1]);
  });

  test("explore with ε in the tempered and on-policy rows", () => {
    const { epsilon } = batchRows(
      { offPolicyShare: 0.25, uniformShare: 0.25, temperedShare: 0.25, epsilon: 0.5 },
      8,
      0.5,
    );
    expect(Array.from(epsilon)).toEqual([0, 0, 1, 1, 0.5, 0.5, 0.5, 0.5]);
  });

  test("can change their shares by a schedule", () => {
    const at = (progress: number) =>
      batchRows({ offPolicyShare: 0.25, uniformShare: { from: 0.5, to: 0, until: 0.8 } }, 8, progress);
    const count = (array: Float32Array) => array.reduce((sum, value) => sum + value);
    expect([0, 0.4, 0.8, 1].map((progress) => count(at(progress).epsilon))).toEqual([4, 2, 0, 0]);
    expect(count(at(1).offPolicy)).toBe(2);
  });

  test("have rules: all broken ones are reported", () => {
    const issues = batchCompositionIssues({
      uniformShare: 0.6,
      offPolicyShare: 0.6,
      temperature: 0,
      epsilon: 2,
    });
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "batchComposition: uniformShare, temperedShare and offPolicyShare must be at least 0 and sum to at most 1, got a sum of 1.2",
      "batchComposition.temperature: must be positive, got 0",
      "batchComposition.epsilon: must be from 0 to 1, got 2",
    ]);
    expect(batchCompositionIssues({ temperedShare: { from: 0, to: -1 } })).toHaveLength(1);
  });
});
