// The entropy regulariser: the sign of its gradient, and the rows that it counts.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInput, type HostInputs } from "../../../../test/support/gradients.ts";
import { randomPolicy } from "../../../../test/support/tabular.ts";
import { RandomStream } from "../../../engine/index.ts";
import { sequenceEnvironment } from "../../environment/sequence.ts";
import { visitation } from "../../evaluate/exact.ts";
import { rollout, uniformsPerStep } from "../../sampling/rollout.ts";
import { ratioBetween } from "./ratio.ts";
import { entropyRegulariser, onPolicyRows } from "./regulariser.ts";

const scalar = (value: number): HostInput => ({ shape: [], data: [value] });
const column = (...data: number[]): HostInput => ({ shape: [data.length], data });

describe("the regulariser", () => {
  /** Derivative by the entropy of a state at a fixed ratio ρ of the low and the high entropy. */
  const slopeAt = (rho: number, gamma: number) => {
    const { slope } = evaluate(
      ({ entropy, high, low, level, weight }) => {
        const ratio = ratioBetween(high, low, level);
        const at = (h: np.Array) => entropyRegulariser({ entropy: h, ...ratio }, level, weight);
        return { slope: grad(at)(entropy) };
      },
      {
        entropy: column(0.4),
        high: column(0.8),
        low: column(0.8 * rho),
        level: scalar(gamma),
        weight: column(1),
      },
    );
    return slope[0];
  };

  test.each([
    [0.25, 0.273],
    [0.5, 0.618],
    [0.75, 1.141],
  ])("at γ = %f raises the entropy exactly if ρ is below %f", (gamma, turn) => {
    expect(slopeAt(turn - 1e-3, gamma)).toBeLessThan(0);
    expect(slopeAt(turn + 1e-3, gamma)).toBeGreaterThan(0);
    expect(slopeAt(0.01, gamma)).toBeLessThan(-0.1);
  });

  test("is the mean over the steps of weight 1, and 0 if there are none", () => {
    const inputs = {
      entropy: column(0.2, 0.9, 0.5),
      share: column(0.6, 0.7, 0.8),
      gamma: scalar(0.5),
    };
    const at = (...weights: number[]) =>
      evaluate(
        ({ entropy, share, gamma, weight }) => ({
          value: entropyRegulariser(
            { entropy, logShare: np.log(share), logRest: np.log(np.subtract(1, share)) },
            gamma,
            weight,
          ),
        }),
        { ...inputs, weight: column(...weights) },
      ).value[0];
    const term = (h: number, r: number) => -(h * Math.log(r) + 0.5 * (1 - h) * Math.log(1 - r));
    expect(at(1, 0, 1)).toBeCloseTo((term(0.2, 0.6) + term(0.5, 0.8)) / 2, 6);
    expect(at(0, 0, 0)).toBeCloseTo(0, 12);
  });
});

describe("on-policy rows", () => {
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
  const enumeration = environment.enumerate();
  // Longer sequences are rarer, so a biased choice of rows is visible.
  const policy = randomPolicy(enumeration, RandomStream.fromSeed(8));
  const exact = visitation(enumeration, policy).states;
  const B = 3000;
  const T = environment.maxSteps;

  /** Visits of each state per counted row; `biased` also counts rows that explored only after their end. */
  function frequencies(inputs: HostInputs, biased = false) {
    const shape = [T, B, uniformsPerStep(environment)];
    const data = RandomStream.fromSeed(9).fillUniform(new Float32Array(shape.reduce((a, b) => a * b)));
    const { onPolicy, index, running } = evaluate(
      ({ uniform, table, epsilon, temperature, mask, actions, outcomes }) => {
        const { states } = rollout(
          environment,
          (state) => np.take(table, state.index, 0),
          uniform,
          { epsilon, temperature },
          mask && { mask, actions, outcomes },
        );
        return {
          onPolicy: onPolicyRows(environment, { uniform, epsilon, temperature, offPolicyMask: mask }), // [B]
          index: np.concatenate(states.map((state) => state.index)), // [(T + 1)·B]
          running: np.concatenate(states.map((state) => state.running)), // [(T + 1)·B]
        };
      },
      {
        uniform: { shape, data },
        table: {
          shape: [enumeration.states, enumeration.actions],
          data: policy.map((p) => Math.log(p + 1e-12)),
        },
        ...inputs,
      },
    );
    const epsilon = Math.fround((inputs.epsilon?.data[0] as number) ?? 0);
    const exploredRunning = (row: number) =>
      Array.from({ length: T }, (_, t) => t).some(
        (t) => running[t * B + row] > 0 && data[(t * B + row + 1) * shape[2] - 1] < epsilon,
      );
    const counts = biased ? onPolicy.map((_, row) => +!exploredRunning(row)) : onPolicy;
    const visits = new Float64Array(enumeration.states);
    for (let i = 0; i < T * B; i++) visits[index[i]] += running[i] * counts[i % B];
    const rows = counts.reduce((a, b) => a + b, 0);
    return { rows, visits: visits.map((count) => count / Math.max(rows, 1)) };
  }

  /** Largest difference between a visit frequency and its exact value, in standard deviations of the frequency. */
  function deviation({ rows, visits }: ReturnType<typeof frequencies>): number {
    return exact.reduce((largest, p, state) => {
      const deviation = Math.sqrt(Math.max(p * (1 - p), 1e-9) / rows);
      return Math.max(largest, Math.abs(visits[state] - p) / deviation);
    }, 0);
  }

  const offPolicy = {
    mask: { shape: [B], data: Array.from({ length: B }, (_, row) => +(row % 3 === 0)) },
    actions: { shape: [T, B], dtype: "int32", data: new Int32Array(T * B) },
    outcomes: { shape: [T, B], dtype: "int32", data: new Int32Array(T * B).fill(0) },
  } as const;

  test.each<[string, HostInputs, number]>([
    ["on-policy sampling only", {}, 1],
    ["exploration", { epsilon: scalar(0.2) }, 0.8 ** T],
    ["off-policy rows", offPolicy, 2 / 3],
    [
      "both, at temperature 1",
      { ...offPolicy, epsilon: scalar(0.2), temperature: scalar(1) },
      (2 / 3) * 0.8 ** T,
    ],
  ])("visit states with the frequencies of dynamic programming, with %s", (_, inputs, share) => {
    const found = frequencies(inputs);
    expect(found.rows / B).toBeGreaterThan(share - 0.03);
    expect(found.rows / B).toBeLessThan(share + 0.03);
    expect(deviation(found)).toBeLessThan(4);
  });

  test("do not exist at a temperature other than 1", () => {
    expect(frequencies({ temperature: scalar(1.5) }).rows).toBe(0);
  });

  test("would be biased to short ones if exploration after the end were ignored", () => {
    expect(deviation(frequencies({ epsilon: scalar(0.4) }, true))).toBeGreaterThan(6);
  });
});
