// The entropy regulariser: which way it pushes, and whose visits it counts.

import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, type HostInput, type HostInputs } from "../../../test/support/gradients.ts";
import { randomPolicy } from "../../../test/support/tabular.ts";
import { RandomStream } from "../../engine/index.ts";
import { sequenceEnvironment } from "../environments/sequence.ts";
import { visitation } from "../evaluate/exact.ts";
import { rollout, uniformsPerStep } from "../rollout.ts";
import { ratioBetween } from "./ratio.ts";
import { entropyRegulariser, ownRows } from "./regulariser.ts";

const scalar = (value: number): HostInput => ({ shape: [], data: [value] });
const column = (...data: number[]): HostInput => ({ shape: [data.length], data });

describe("the regulariser", () => {
  /** Its slope by the entropy of a state, with the entropies' ratio ρ held fixed. */
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
  ])("at γ = %f raises entropy just where ρ is below %f", (gamma, turn) => {
    expect(slopeAt(turn - 1e-3, gamma)).toBeLessThan(0);
    expect(slopeAt(turn + 1e-3, gamma)).toBeGreaterThan(0);
    expect(slopeAt(0.01, gamma)).toBeLessThan(-0.1);
  });

  test("is the mean over the steps that count, and 0 if none does", () => {
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

describe("rows that are the policy's own", () => {
  const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true });
  const listed = environment.enumerate();
  // Longer strings are rarer, so that it matters how rows are chosen.
  const policy = randomPolicy(listed, RandomStream.fromSeed(8));
  const exact = visitation(listed, policy).states;
  const B = 3000;
  const T = environment.maxSteps;

  /** Of each state, how often rows of weight 1 pass it; `careless` counts rows that explored only after their end. */
  function frequencies(inputs: HostInputs, careless = false) {
    const shape = [T, B, uniformsPerStep(environment)];
    const data = RandomStream.fromSeed(9).fillUniform(new Float32Array(shape.reduce((a, b) => a * b)));
    const { own, index, running } = evaluate(
      ({ uniform, table, epsilon, temperature, givenRows, givenActions, givenOutcomes }) => {
        const { states } = rollout(
          environment,
          (state) => np.take(table, state.index, 0),
          uniform,
          { epsilon, temperature },
          givenRows && { rows: givenRows, actions: givenActions, outcomes: givenOutcomes },
        );
        return {
          own: ownRows(environment, { uniform, epsilon, temperature, givenRows }), // [B]
          index: np.concatenate(states.map((state) => state.index)), // [(T + 1)·B]
          running: np.concatenate(states.map((state) => state.running)), // [(T + 1)·B]
        };
      },
      {
        uniform: { shape, data },
        table: { shape: [listed.states, listed.actions], data: policy.map((p) => Math.log(p + 1e-12)) },
        ...inputs,
      },
    );
    const epsilon = Math.fround((inputs.epsilon?.data[0] as number) ?? 0);
    const exploredRunning = (row: number) =>
      Array.from({ length: T }, (_, t) => t).some(
        (t) => running[t * B + row] > 0 && data[(t * B + row + 1) * shape[2] - 1] < epsilon,
      );
    const counts = careless ? own.map((_, row) => +!exploredRunning(row)) : own;
    const visits = new Float64Array(listed.states);
    for (let i = 0; i < T * B; i++) visits[index[i]] += running[i] * counts[i % B];
    const rows = counts.reduce((a, b) => a + b, 0);
    return { rows, visits: visits.map((count) => count / Math.max(rows, 1)) };
  }

  /** Largest deviation from the exact visits, in standard deviations of a frequency among so many rows. */
  function deviation({ rows, visits }: ReturnType<typeof frequencies>): number {
    return exact.reduce((largest, p, state) => {
      const deviation = Math.sqrt(Math.max(p * (1 - p), 1e-9) / rows);
      return Math.max(largest, Math.abs(visits[state] - p) / deviation);
    }, 0);
  }

  const given = {
    givenRows: { shape: [B], data: Array.from({ length: B }, (_, row) => +(row % 3 === 0)) },
    givenActions: { shape: [T, B], dtype: "int32", data: new Int32Array(T * B) },
    givenOutcomes: { shape: [T, B], dtype: "int32", data: new Int32Array(T * B).fill(0) },
  } as const;

  test.each<[string, HostInputs, number]>([
    ["nothing else", {}, 1],
    ["uniform draws", { epsilon: scalar(0.2) }, 0.8 ** T],
    ["given rows", given, 2 / 3],
    [
      "both, at temperature 1",
      { ...given, epsilon: scalar(0.2), temperature: scalar(1) },
      (2 / 3) * 0.8 ** T,
    ],
  ])("visit states as often as dynamic programming says, beside %s", (_, inputs, share) => {
    const found = frequencies(inputs);
    expect(found.rows / B).toBeGreaterThan(share - 0.03);
    expect(found.rows / B).toBeLessThan(share + 0.03);
    expect(deviation(found)).toBeLessThan(4);
  });

  test("are none at another temperature", () => {
    expect(frequencies({ temperature: scalar(1.5) }).rows).toBe(0);
  });

  test("would be too short if a uniform draw after the end did not count", () => {
    expect(deviation(frequencies({ epsilon: scalar(0.4) }, true))).toBeGreaterThan(6);
  });
});
