// Episodes drawn from π^(1/r).

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInput } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { type Behaviour, numbersOf, rollout, uniformsPerStep } from "../rollout.ts";
import { flattening } from "./in-rollout.ts";
import { DEFAULT_ENTROPY_RATIO } from "./options.ts";

const B = 4000;
const A = 3;
const GAMMA = 0.25;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0 });
const shape = [2, B, uniformsPerStep(environment)];
const uniform: HostInput = {
  shape,
  data: RandomStream.fromSeed(1).fillUniform(new Float32Array(shape.reduce((a, b) => a * b))),
};
/** Logits of the start, and of the states after A, B and C: nearly certain, open, between. */
const rows = [
  [1, 0, 0.5],
  [4, 0, -1],
  [0.1, 0, 0],
  [1, -1, 0],
];
const table: HostInput = { shape: [4, A], data: rows.flat() };

function actionsWith(behaviour: (gamma: np.Array) => { behaviour: Behaviour; mean(): np.Array }) {
  return evaluate(
    (inputs) => {
      const { behaviour: chosen, mean } = behaviour(inputs.gamma);
      const episodes = rollout(
        environment,
        ({ index }) => np.take(inputs.table, index, 0),
        inputs.uniform,
        chosen,
      );
      return { actions: numbersOf(episodes).actions, mean: mean() };
    },
    { uniform, table, gamma: { shape: [], data: [GAMMA] } },
  );
}
const flattened = (estimator: "quantile" | "clamp" | "state") =>
  actionsWith((gamma) => {
    const { ratio, mean } = flattening({ ...DEFAULT_ENTROPY_RATIO, use: "behaviour", estimator }, gamma);
    return { behaviour: { ratio }, mean };
  });

const softmax = (logits: readonly number[], r: number) => {
  const weights = logits.map((x) => Math.exp(x / r));
  return weights.map((w) => w / weights.reduce((a, b) => a + b));
};
const entropy = (logits: readonly number[]) =>
  softmax(logits, 1).reduce((sum, p) => sum - p * Math.log(p), 0) / Math.log(A);
const ratioOf = (high: number, low: number) => high / (GAMMA * high + (1 - GAMMA) * low);

/** Actions of the second step in the state after `first` are as often as π^(1/r) has them. */
function expectDraws(actions: Float64Array, first: number, r: number) {
  const counts = new Float64Array(A);
  for (let row = 0; row < B; row++) if (actions[row] === first) counts[actions[B + row]]++;
  const total = counts.reduce((a, b) => a + b);
  softmax(rows[first + 1], r).forEach((p, a) => {
    expect(Math.abs(counts[a] / total - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / total));
  });
}

describe("a rollout flattened by the ratio", () => {
  test("draws as at that temperature", () => {
    const none = () => np.array(1);
    const byRatio = actionsWith(() => ({ behaviour: { ratio: () => np.full([1], 2) }, mean: none }));
    const byTemperature = actionsWith(() => ({ behaviour: { temperature: np.array(2) }, mean: none }));
    expect(byRatio.actions).toEqual(byTemperature.actions);
    expect(byRatio.actions).not.toEqual(actionsWith(() => ({ behaviour: {}, mean: none })).actions);
  });

  test("takes each state's own ratio by clamp, and its mean is over all steps", () => {
    const { actions, mean } = flattened("clamp");
    const ratios = rows.map((logits) => ratioOf(entropy(logits), Math.min(entropy(logits), 0.1)));
    expect(Math.max(...ratios) / Math.min(...ratios)).toBeGreaterThan(1.5);
    for (const first of [0, 1, 2]) expectDraws(actions, first, ratios[first + 1]);
    const seen = Array.from({ length: B }, (_, row) => ratios[0] + ratios[actions[row] + 1]);
    expect(mean[0]).toBeCloseTo(seen.reduce((a, b) => a + b) / (2 * B), 4);
  });

  test("takes one ratio for the states of a step by quantile, and 1 at the start, which is one state", () => {
    const { actions, mean } = flattened("quantile");
    // More than a quarter of the episodes are in either of the extreme states.
    const shares = softmax(rows[0], 1);
    expect(Math.min(shares[0], shares[1] + shares[2])).toBeGreaterThan(0.25);
    const ordered = [1, 2, 3].map((state) => entropy(rows[state]));
    const high = shares[1] > 0.25 ? ordered[1] : ordered[2];
    const r = ratioOf(high, ordered[0]);
    for (const first of [0, 1, 2]) expectDraws(actions, first, r);
    expect(mean[0]).toBeCloseTo((1 + r) / 2, 3);
  });
});
