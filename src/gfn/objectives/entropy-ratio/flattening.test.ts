// Actions sampled from the flattened policy π^(1/r).

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInput } from "../../../../test/support/gradients.ts";
import { RandomStream } from "../../../engine/index.ts";
import { sequenceEnvironment } from "../../environment/sequence.ts";
import { type BehaviourPolicy, rollout, trajectoryIndices, uniformsPerStep } from "../../sampling/rollout.ts";
import { entropyFlattening } from "./flattening.ts";

const B = 4000;
const A = 3;
const GAMMA = 0.25;
const environment = sequenceEnvironment({ alphabet: "ABC", length: 2, stick: 0 });
const shape = [2, B, uniformsPerStep(environment)];
const uniform: HostInput = {
  shape,
  data: RandomStream.fromSeed(1).fillUniform(new Float32Array(shape.reduce((a, b) => a * b))),
};
/** Logits of the start, and of the states after A, B and C, with a low, a high and a medium entropy. */
const logitsByState = [
  [1, 0, 0.5],
  [4, 0, -1],
  [0.1, 0, 0],
  [1, -1, 0],
];
const table: HostInput = { shape: [4, A], data: logitsByState.flat() };

function actionsWith(behaviour: (gamma: np.Array) => { behaviour: BehaviourPolicy; mean(): np.Array }) {
  return evaluate(
    (inputs) => {
      const { behaviour: policy, mean } = behaviour(inputs.gamma);
      const trajectories = rollout(
        environment,
        ({ index }) => np.take(inputs.table, index, 0),
        inputs.uniform,
        policy,
      );
      return { actions: trajectoryIndices(trajectories).actions, mean: mean() };
    },
    { uniform, table, gamma: { shape: [], data: [GAMMA] } },
  );
}
const flattened = (estimator: "quantile" | "clamp" | "state") =>
  actionsWith((gamma) => {
    const { ratio, meanRatio: mean } = entropyFlattening(
      { use: "behaviour", estimator, gamma: GAMMA, quantile: 0.25 },
      gamma,
    );
    return { behaviour: { ratio }, mean };
  });

const softmax = (logits: readonly number[], r: number) => {
  const weights = logits.map((x) => Math.exp(x / r));
  return weights.map((w) => w / weights.reduce((a, b) => a + b));
};
const entropy = (logits: readonly number[]) =>
  softmax(logits, 1).reduce((sum, p) => sum - p * Math.log(p), 0) / Math.log(A);
const ratioOf = (high: number, low: number) => high / (GAMMA * high + (1 - GAMMA) * low);

/** Checks the frequencies of the second action after the first action `first` against π^(1/r). */
function expectFrequencies(actions: Float64Array, first: number, r: number) {
  const counts = new Float64Array(A);
  for (let row = 0; row < B; row++) if (actions[row] === first) counts[actions[B + row]]++;
  const total = counts.reduce((a, b) => a + b);
  softmax(logitsByState[first + 1], r).forEach((p, a) => {
    expect(Math.abs(counts[a] / total - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / total));
  });
}

describe("a rollout flattened by the ratio", () => {
  test("samples the same actions as at a temperature of r", () => {
    const none = () => np.array(1);
    const byRatio = actionsWith(() => ({ behaviour: { ratio: () => np.full([1], 2) }, mean: none }));
    const byTemperature = actionsWith(() => ({ behaviour: { temperature: np.array(2) }, mean: none }));
    expect(byRatio.actions).toEqual(byTemperature.actions);
    expect(byRatio.actions).not.toEqual(actionsWith(() => ({ behaviour: {}, mean: none })).actions);
  });

  test("has one ratio per state with clamp, and reports the mean over all steps", () => {
    const { actions, mean } = flattened("clamp");
    const ratios = logitsByState.map((logits) => ratioOf(entropy(logits), Math.min(entropy(logits), 0.1)));
    expect(Math.max(...ratios) / Math.min(...ratios)).toBeGreaterThan(1.5);
    for (const first of [0, 1, 2]) expectFrequencies(actions, first, ratios[first + 1]);
    const sums = Array.from({ length: B }, (_, row) => ratios[0] + ratios[actions[row] + 1]);
    expect(mean[0]).toBeCloseTo(sums.reduce((a, b) => a + b) / (2 * B), 4);
  });

  test("has one ratio per step with quantile, which is 1 at the start because it is a single state", () => {
    const { actions, mean } = flattened("quantile");
    // More than a quarter of the trajectories are in the state with the lowest entropy, and in the others.
    const shares = softmax(logitsByState[0], 1);
    expect(Math.min(shares[0], shares[1] + shares[2])).toBeGreaterThan(0.25);
    const ordered = [1, 2, 3].map((state) => entropy(logitsByState[state]));
    const high = shares[1] > 0.25 ? ordered[1] : ordered[2];
    const r = ratioOf(high, ordered[0]);
    for (const first of [0, 1, 2]) expectFrequencies(actions, first, r);
    expect(mean[0]).toBeCloseTo((1 + r) / 2, 3);
  });
});
