// Noise channels: their checks, their array functions, and the best distribution that is reachable through one.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { klDivergence } from "../../math/distances.ts";
import { applyChannel, channelIssues, logChannelMatrix, possibleActions, uniformChannel } from "./channel.ts";
import { policyRealising, reachableLimit } from "./limit.ts";

describe("a noise channel", () => {
  test("of the uniform kind keeps the action with probability 1 − ε and else draws a uniform token", () => {
    const matrix = uniformChannel(3, 0.3);
    expect(Array.from(matrix.subarray(0, 3), (share) => Number(share.toFixed(12)))).toEqual([0.8, 0.1, 0.1]);
    expect(channelIssues(3, { matrix })).toEqual([]);
  });

  test("must have the right size, rows that sum to 1, and an action for every outcome", () => {
    expect(() => uniformChannel(3, 1)).toThrow("channel: epsilon must be in [0, 1), got 1");
    const messages = (tokens: number, ...matrix: number[]) =>
      channelIssues(tokens, { matrix: Float64Array.from(matrix) }).map(({ message }) => message);
    expect(messages(2, 1, 0, 0.5, 0.4)).toEqual([
      "row 1 must be probabilities that sum to 1, got a sum of 0.9",
    ]);
    expect(messages(2, 1, 0, 1, 0)).toEqual([
      "every outcome must have an action that leads to it, got none for token 1",
    ]);
    expect(messages(3, 1)).toEqual(["must have 9 entries, got 1"]);
  });

  test("has log-probabilities and possible actions as arrays", () => {
    const matrix = Float64Array.of(0.5, 0.5, 0, 0, 1, 0, 0, 0, 1);
    const { logs, support } = evaluate(
      ({ one }) => ({
        logs: logChannelMatrix(3, { matrix }).add(one.sum()),
        support: possibleActions(3, { matrix }).astype(np.float32).add(one.sum()),
      }),
      { one: { shape: [1], data: [0] } },
    );
    expect(logs[0]).toBeCloseTo(Math.log(0.5), 6);
    expect(logs[2]).toBeLessThan(-1e8);
    expect(Array.from(support)).toEqual([1, 0, 0, 1, 1, 0, 0, 0, 1]);
  });
});

describe("the policy that realises a distribution", () => {
  test("has a closed form for a uniform channel", () => {
    const [K, epsilon] = [4, 0.3];
    const distribution = Float64Array.of(0.4, 0.3, 0.2, 0.1);
    const policy = policyRealising(distribution, uniformChannel(K, epsilon))!;
    for (const [a, share] of policy.entries()) {
      expect(share).toBeCloseTo((distribution[a] - epsilon / K) / (1 - epsilon), 12);
    }
  });

  test("is recovered from its outcomes if the channel is invertible", () => {
    const channel = randomChannel(4, "undone");
    const distribution = applyChannel(Float64Array.of(0.1, 0.2, 0.3, 0.4), channel);
    const policy = policyRealising(distribution, channel)!;
    expect(Array.from(policy, (share) => Number(share.toFixed(9)))).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  test("is null if all rows of the channel are equal", () => {
    expect(policyRealising([0.5, 0.5], Float64Array.of(0.5, 0.5, 0.5, 0.5))).toBeNull();
  });
});

describe("the nearest reachable distribution", () => {
  test("is the wanted distribution if some policy has it", () => {
    const channel = randomChannel(4, "reached");
    const distribution = applyChannel(Float64Array.of(0.1, 0.2, 0.3, 0.4), channel);
    expect(reachableLimit(distribution, channel)).toEqual(distribution);
  });

  test.each([
    ["uniform", uniformChannel(4, 0.3)],
    ["any", randomChannel(4, "missed")],
  ])("is nearer than the outcomes of every other policy: %s channel", (_, channel) => {
    const wanted = Float64Array.of(0.01, 0.01, 0.08, 0.9);
    const best = klDivergence(wanted, reachableLimit(wanted, channel));
    expect(best).toBeGreaterThan(0.005);
    const stream = RandomStream.fromSeed(0).split("policies");
    for (let i = 0; i < 2000; i++) {
      // Cubes of exponential random numbers give many policies near the corners of the simplex.
      const weights = Float64Array.from({ length: 4 }, () => (-Math.log(stream.uniform())) ** 3);
      const sum = weights.reduce((total, weight) => total + weight);
      const distribution = applyChannel(
        weights.map((weight) => weight / sum),
        channel,
      );
      expect(klDivergence(wanted, distribution)).toBeGreaterThanOrEqual(best - 1e-8);
    }
  });

  test("agrees with a computation by hand for ε = 0.3 and four tokens", () => {
    // No outcome has a probability below 0.3 / 4 = 0.075. The other outcomes share the rest in proportion.
    const distribution = reachableLimit(Float64Array.of(0.01, 0.33, 0.33, 0.33), uniformChannel(4, 0.3));
    expect(distribution[0]).toBeCloseTo(0.075, 12);
    expect(distribution[1]).toBeCloseTo(0.925 / 3, 12);
  });
});

/** A channel that keeps the action with probability 0.5 and has random probabilities otherwise. */
function randomChannel(K: number, name: string): Float64Array {
  const stream = RandomStream.fromSeed(1).split(name);
  const matrix = new Float64Array(K * K);
  for (let a = 0; a < K; a++) {
    const weights = Array.from({ length: K }, () => stream.uniform());
    const sum = weights.reduce((total, weight) => total + weight);
    weights.forEach((weight, x) => {
      matrix[a * K + x] = 0.5 * (weight / sum) + (a === x ? 0.5 : 0);
    });
  }
  return matrix;
}
