// Channels: what they are, what is wrong with one, and the best law there is through one.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { divergence } from "../../gfn/evaluate/distances.ts";
import { checkChannel, couldCome, logMatrix, through, uniformChannel } from "./channel.ts";
import { policyFor, reachable } from "./reachable.ts";

describe("a channel", () => {
  test("that is uniform leaves intentions but for a share that goes to all", () => {
    const matrix = uniformChannel(3, 0.3);
    expect(Array.from(matrix.subarray(0, 3), (share) => Number(share.toFixed(12)))).toEqual([0.8, 0.1, 0.1]);
    expect(() => checkChannel(3, { matrix })).not.toThrow();
  });

  test("must have rows that sum to one, tokens that can come, and the right size", () => {
    expect(() => uniformChannel(3, 1)).toThrow("channel: epsilon must be in [0, 1), got 1");
    expect(() => checkChannel(2, { matrix: Float64Array.of(1, 0, 0.5, 0.4) })).toThrow(
      "channel: row 1 must be probabilities that sum to 1, got a sum of 0.9",
    );
    expect(() => checkChannel(2, { matrix: Float64Array.of(1, 0, 1, 0) })).toThrow(
      "channel: every token must come of some intention, token 1 comes of none",
    );
    expect(() => checkChannel(3, { matrix: Float64Array.of(1) })).toThrow("must have 9 entries, got 1");
  });

  test("as arrays says what can come of what, by token", () => {
    const matrix = Float64Array.of(0.5, 0.5, 0, 0, 1, 0, 0, 0, 1);
    const { logs, support } = evaluate(
      ({ one }) => ({
        logs: logMatrix(3, { matrix }).add(one.sum()),
        support: couldCome(3, { matrix }).astype(np.float32).add(one.sum()),
      }),
      { one: { shape: [1], data: [0] } },
    );
    expect(logs[0]).toBeCloseTo(Math.log(0.5), 6);
    expect(logs[2]).toBeLessThan(-1e8);
    expect(Array.from(support)).toEqual([1, 0, 0, 1, 1, 0, 0, 0, 1]);
  });
});

describe("the policy for a law", () => {
  test("is the closed form of a uniform channel", () => {
    const [K, epsilon] = [4, 0.3];
    const law = Float64Array.of(0.4, 0.3, 0.2, 0.1);
    const policy = policyFor(law, uniformChannel(K, epsilon))!;
    for (const [a, share] of policy.entries()) {
      expect(share).toBeCloseTo((law[a] - epsilon / K) / (1 - epsilon), 12);
    }
  });

  test("gives the law back through any channel that can be undone", () => {
    const channel = randomChannel(4, "undone");
    const law = through(Float64Array.of(0.1, 0.2, 0.3, 0.4), channel);
    const policy = policyFor(law, channel)!;
    expect(Array.from(policy, (share) => Number(share.toFixed(9)))).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  test("is none where rows are alike", () => {
    expect(policyFor([0.5, 0.5], Float64Array.of(0.5, 0.5, 0.5, 0.5))).toBeNull();
  });
});

describe("the nearest law through a channel", () => {
  test("is the wanted one where some policy has it", () => {
    const channel = randomChannel(4, "reached");
    const law = through(Float64Array.of(0.1, 0.2, 0.3, 0.4), channel);
    expect(reachable(law, channel)).toEqual(law);
  });

  test.each([
    ["uniform", uniformChannel(4, 0.3)],
    ["any", randomChannel(4, "missed")],
  ])("is nearer than that of every other policy: %s channel", (_, channel) => {
    const wanted = Float64Array.of(0.01, 0.01, 0.08, 0.9);
    const best = divergence(wanted, reachable(wanted, channel));
    expect(best).toBeGreaterThan(0.005);
    const stream = RandomStream.fromSeed(0).split("policies");
    for (let i = 0; i < 2000; i++) {
      // Cubed, so that policies near the edges come too.
      const weights = Float64Array.from({ length: 4 }, () => (-Math.log(stream.uniform())) ** 3);
      const sum = weights.reduce((total, weight) => total + weight);
      const law = through(
        weights.map((weight) => weight / sum),
        channel,
      );
      expect(divergence(wanted, law)).toBeGreaterThanOrEqual(best - 1e-8);
    }
  });

  test("of an entry of .01 through a share of .3 over four tokens is as far as computed by hand", () => {
    // The floor is .075; what is left is shared in proportion.
    const law = reachable(Float64Array.of(0.01, 0.33, 0.33, 0.33), uniformChannel(4, 0.3));
    expect(law[0]).toBeCloseTo(0.075, 12);
    expect(law[1]).toBeCloseTo(0.925 / 3, 12);
  });
});

/** Rows that intend themselves by half, and random shares for the rest. */
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
