// Rollouts: the frequencies of sampled actions, and the trajectories of off-policy rows.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { chiSquare, chiSquareLimit } from "../../../test/support/chi-square.ts";
import { rowsOf } from "../../../test/support/environment-walk.ts";
import { evaluate, type HostInput, type HostInputs } from "../../../test/support/gradients.ts";
import { RandomStream } from "../../engine/index.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { rollout, uniformsPerStep } from "./rollout.ts";

const strings = sequenceEnvironment({ alphabet: "ABCD", length: 3, stick: 0.25, variable: true });
const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
const LOGITS = [0.5, -1, 2, 0, 0.3];

const uniforms = (environment: Environment, B: number, seed: number, T = environment.maxSteps): HostInput => {
  const shape = [T, B, uniformsPerStep(environment)];
  const data = new Float32Array(shape.reduce((a, b) => a * b));
  return { shape, data: RandomStream.fromSeed(seed).fillUniform(data) };
};
const scalar = (value: number): HostInput => ({ shape: [], data: [value] });
const steps = (rows: readonly (readonly number[])[]): HostInput => ({
  shape: [rows.length, rows[0].length],
  dtype: "int32",
  data: rows.flat(),
});

interface HostTrajectories {
  /** Indices of actions by step and trajectory, [T][B]; −1 if there is none. */
  readonly actions: number[][];
  /** Indices of outcomes by step and trajectory, [T][B]; −1 if there is none. */
  readonly outcomes: number[][];
  /** Number of ones in the one-hot row of the action, which must be one. */
  readonly actionCounts: number[][];
  /** [T + 1][B] */
  readonly index: number[][];
  readonly running: number[][];
  /** [T][B][actions] */
  readonly allowed: number[][][];
}

/** Runs trajectories of a policy with the same logits in every state. */
function runRollout(
  environment: Environment,
  logits: readonly number[],
  inputs: HostInputs,
): HostTrajectories {
  const { actions: A, outcomes: C } = environment;
  const [T, B] = inputs.uniform.shape;
  const results = evaluate(
    ({ uniform, epsilon, temperature, mask, actions, outcomes }) => {
      const row = np.array(Float32Array.from(logits), { shape: [1, A] });
      const policy = () => np.broadcastTo(row, [B, A]);
      const trajectories = rollout(
        environment,
        policy,
        uniform,
        { epsilon, temperature },
        mask && { mask, actions, outcomes },
      );
      return {
        actions: np.concatenate([...trajectories.actions], 0),
        outcomes: np.concatenate([...trajectories.outcomes], 0),
        index: np.concatenate(
          trajectories.states.map((state) => state.index),
          0,
        ),
        running: np.concatenate(
          trajectories.states.map((state) => state.running),
          0,
        ),
        allowed: np.concatenate(
          trajectories.allowed.map((mask) => np.broadcastTo(mask, [B, A])),
          0,
        ),
      };
    },
    inputs,
    "float32",
  );
  const byStep = (oneHot: Float64Array, width: number) =>
    rowsOf(oneHot, T).map((step) => rowsOf(Float64Array.from(step), step.length / width));
  return {
    actions: byStep(results.actions, A).map((step) => step.map((row) => row.indexOf(1))),
    outcomes: byStep(results.outcomes, C).map((step) => step.map((row) => row.indexOf(1))),
    actionCounts: byStep(results.actions, A).map((step) => step.map((row) => row.reduce((a, b) => a + b))),
    index: rowsOf(results.index, T + 1),
    running: rowsOf(results.running, T + 1),
    allowed: byStep(results.allowed, A),
  };
}

function softmax(logits: readonly number[], temperature = 1): number[] {
  const weights = logits.map((x) => Math.exp(x / temperature));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

const countsOf = (numbers: readonly number[], width: number) =>
  Array.from({ length: width }, (_, i) => numbers.filter((n) => n === i).length);

describe("the first actions are sampled", () => {
  const B = 8000;
  const firstCounts = (behaviour: HostInputs) =>
    countsOf(
      runRollout(strings, LOGITS, { uniform: uniforms(strings, B, 1, 1), ...behaviour }).actions[0],
      5,
    );
  const mixed = (epsilon: number, temperature: number) =>
    softmax(LOGITS, temperature).map((p) => (1 - epsilon) * p + epsilon / LOGITS.length);

  test.each([
    ["from the policy", {}, mixed(0, 1)],
    ["uniformly with probability ε", { epsilon: scalar(0.4) }, mixed(0.4, 1)],
    ["uniformly at ε = 1", { epsilon: scalar(1) }, mixed(1, 1)],
    ["from the policy at ε = 0", { epsilon: scalar(0) }, mixed(0, 1)],
    ["from logits divided by a high temperature", { temperature: scalar(3) }, mixed(0, 3)],
    ["from logits divided by a low temperature", { temperature: scalar(0.5) }, mixed(0, 0.5)],
    [
      "with both, uniformly with probability ε and from the tempered policy otherwise",
      { epsilon: scalar(0.3), temperature: scalar(2) },
      mixed(0.3, 2),
    ],
  ] as [string, HostInputs, number[]][])("%s", (_, behaviour, probabilities) => {
    const counts = firstCounts(behaviour);
    expect(counts.reduce((a, b) => a + b)).toBe(B);
    expect(chiSquare(counts, probabilities)).toBeLessThan(chiSquareLimit(probabilities));
  });

  test("with frequencies that distinguish the other settings of ε and temperature", () => {
    const counts = firstCounts({});
    for (const other of [mixed(0.4, 1), mixed(0, 3), mixed(0, 0.5)]) {
      expect(chiSquare(counts, other)).toBeGreaterThan(chiSquareLimit(other));
    }
  });
});

describe.each([
  ["strings", strings, [1, 1, 1, 1, -1]],
  ["a grid", grid, [3, 1, -1]],
] as const)("on %s", (_, environment, logits) => {
  const explored = { epsilon: scalar(0.5), temperature: scalar(4) };
  const trajectories = runRollout(environment, logits, {
    uniform: uniforms(environment, 400, 2),
    ...explored,
  });

  test("illegal actions are never sampled, and every step has one action", () => {
    let illegal = 0;
    trajectories.actions.forEach((step, t) => {
      step.forEach((action, b) => {
        expect(trajectories.actionCounts[t][b]).toBe(1);
        expect(trajectories.allowed[t][b][action]).toBe(1);
        illegal += trajectories.allowed[t][b].filter((allowed) => allowed === 0).length;
      });
    });
    expect(illegal).toBeGreaterThan(0);
  });

  test("every trajectory has ended after the last step", () => {
    expect(trajectories.running[environment.maxSteps].every((running) => running === 0)).toBe(true);
  });
});

test.each([
  ["far below zero", {}, [-1e30, -1e30, -1e31]],
  ["divided until they overflow", { temperature: scalar(1e-3) }, [-3e38, -3e38, -3e38]],
])("illegal actions are not sampled if logits are %s", (_, behaviour, logits) => {
  const { actions, allowed, actionCounts } = runRollout(grid, logits, {
    uniform: uniforms(grid, 50, grid.maxSteps, 7),
    ...behaviour,
  });
  actions.forEach((step, t) => {
    step.forEach((action, row) => {
      expect([actionCounts[t][row], allowed[t][row][action]]).toEqual([1, 1]);
    });
  });
});

test("a single action is sampled even if the best scores are equal", () => {
  // Random numbers have 23 bits and scores are rounded, so equal scores occur within millions of steps.
  const uniform = { shape: [4, 2, uniformsPerStep(strings)], data: new Float32Array(4 * 2 * 8).fill(0.5) };
  const { actionCounts } = runRollout(strings, [0, 0, 0, 0, 0], { uniform });
  expect(actionCounts).toEqual(actionCounts.map((step) => step.map(() => 1)));
});

describe("off-policy rows", () => {
  const [A, B, D, STOP, NONE] = [0, 1, 3, 4, -1];
  const inputs: HostInputs = {
    uniform: uniforms(strings, 4, 3),
    mask: { shape: [4], data: [1, 0, 1, 1] },
    // The second row is on-policy, so its actions and outcomes here must have no effect.
    actions: steps([
      [A, D, STOP, D],
      [STOP, D, NONE, D],
      [NONE, D, NONE, D],
      [NONE, D, NONE, STOP],
    ]),
    outcomes: steps([
      [B, D, NONE, D],
      [NONE, D, NONE, A],
      [NONE, D, NONE, B],
      [NONE, D, NONE, NONE],
    ]),
  };
  const followed = runRollout(strings, LOGITS, inputs);
  const column = (rows: readonly (readonly number[])[], b: number) => rows.map((row) => row[b]);
  const columnOf = (name: "actions" | "outcomes", b: number) =>
    Array.from({ length: 4 }, (_, t) => inputs[name].data[t * 4 + b]);

  test("follow their actions and outcomes", () => {
    for (const b of [0, 2, 3]) {
      expect(column(followed.actions, b)).toEqual(columnOf("actions", b));
      expect(column(followed.outcomes, b)).toEqual(columnOf("outcomes", b));
    }
  });

  test("pass through the states of their outcomes and end at their stop", () => {
    const child = (index: number, letter: number) => index * 4 + 1 + letter;
    const [b, d] = [child(0, B), child(0, D)];
    const da = child(d, A);
    expect(column(followed.index, 0)).toEqual([0, b, b, b, b]);
    expect(column(followed.running, 0)).toEqual([1, 1, 0, 0, 0]);
    expect(column(followed.index, 2)).toEqual([0, 0, 0, 0, 0]);
    expect(column(followed.running, 2)).toEqual([1, 0, 0, 0, 0]);
    expect(column(followed.index, 3)).toEqual([0, d, da, child(da, B), child(da, B)]);
    expect(column(followed.running, 3)).toEqual([1, 1, 1, 1, 0]);
  });

  test("do not change the on-policy rows", () => {
    const alone = runRollout(strings, LOGITS, { uniform: inputs.uniform });
    for (const name of ["actions", "outcomes", "index", "running"] as const) {
      expect(column(followed[name], 1)).toEqual(column(alone[name], 1));
    }
  });
});

test("a step uses one random number per action, two for the noise and one for exploration", () => {
  expect(uniformsPerStep(strings)).toBe(5 + 2 + 1);
  expect(uniformsPerStep(grid)).toBe(3 + 2 + 1);
});
