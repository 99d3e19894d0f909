// Rewards under a preference: the array function beside the float64 table, and the distribution of drawn preferences.

import { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { evaluate } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/random-stream.ts";
import { preferenceEnvironment } from "../environment/preference.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { drawPreferences, preferenceLogReward, preferenceRewards } from "./preference-reward.ts";
import { rewardTable } from "./reward.ts";

test("log R of the training program is that of the reward table of each preference, with its own floor", () => {
  const stream = RandomStream.fromSeed(3);
  const objectives = [0, 1, 2].map(() => Float64Array.from({ length: 27 }, () => stream.uniform() ** 4));
  const base = sequenceEnvironment({ alphabet: "ABC", length: 3, stick: 0 });
  const environment = preferenceEnvironment({ environment: base, objectives });
  const transform = { exponent: 3, floor: 0.01 };
  const rewards = preferenceRewards(environment, transform);
  expect(rewards.front.length).toBeLessThan(rewards.values.length);
  for (const preference of [
    [1, 0, 0],
    [0, 0.5, 0.5],
    [0.2, 0.3, 0.5],
  ]) {
    const expected = rewardTable(environment.at(preference).scores, transform).map(Math.log);
    const { logReward } = evaluate(
      ({ terminals, rows }) => ({
        logReward: preferenceLogReward(rewards, terminals, rows, np.array(transform.exponent)),
      }),
      {
        terminals: { shape: [27], dtype: "int32", data: Array.from({ length: 27 }, (_, i) => i) },
        rows: { shape: [27, 3], data: Array.from({ length: 27 }, () => preference).flat() },
      },
    );
    for (const [i, value] of expected.entries()) expect(logReward[i]).toBeCloseTo(value, 4);
  }
});

test("drawn preferences sum to 1: a fifth are corners, the others uniform on the simplex", () => {
  const [rows, K] = [20_000, 3];
  const uniform = RandomStream.fromSeed(5).fillUniform(new Float32Array(rows * (K + 1)));
  const drawn = drawPreferences(uniform, K);
  const corners = [0, 0, 0];
  const [means, squares] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  let inside = 0;
  for (let row = 0; row < rows; row++) {
    const weights = [...drawn.subarray(row * K, (row + 1) * K)];
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
    if (weights.includes(1)) corners[weights.indexOf(1)]++;
    else {
      inside++;
      for (let i = 0; i < K; i++) {
        means[i] += weights[i];
        squares[i] += weights[i] ** 2;
      }
    }
  }
  // Deviations are below 0.01 at four standard errors. E[w] = 1/3 and E[w²] = 2/(3·4) on the triangle.
  for (let i = 0; i < K; i++) {
    expect(Math.abs(corners[i] / rows - 0.2 / 3)).toBeLessThan(0.01);
    expect(Math.abs(means[i] / inside - 1 / 3)).toBeLessThan(0.01);
    expect(Math.abs(squares[i] / inside - 1 / 6)).toBeLessThan(0.01);
  }
});

test("scores that are all 0 are refused", () => {
  expect(() => preferenceRewards({ objectives: [Float64Array.of(0), Float64Array.of(0)] }, {})).toThrow(
    "at least one score must be positive, got 0 for all",
  );
});
