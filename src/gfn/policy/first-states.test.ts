import { grad, numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  evaluate,
  largestDifference,
  randomInput,
  randomTokens,
  weightedSum,
} from "../../../test/support/gradients.ts";
import { constrainedSequenceEnvironment } from "../environment/constrained-sequence.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { type Batch, flattenTrajectories } from "../sampling/batch.ts";
import { followTrajectories } from "../sampling/rollout.ts";
import { defaultSettings } from "../training/defaults.ts";
import { type DynamicsBatch, dynamicsBatch, logDynamics } from "../training/dynamics-update.ts";
import { firstStates } from "./first-states.ts";
import { model as modelOf } from "./model.ts";
import type { PolicyOutputs } from "./networks.ts";
import { policyPass } from "./policy-pass.ts";

const DNA = { alphabet: "ACGT", length: 8, stick: 0.25 };

describe("the first states", () => {
  test("are as many levels of a tree of strings as save rows", () => {
    const of = (batch: number, options = DNA) => {
      const found = firstStates(sequenceEnvironment(options), batch);
      return found && [found.steps, found.count, ...found.arrays().features.shape];
    };
    expect(of(128)).toEqual([4, 85, 85, 32]); // 1 + 4 + 16 + 64 states instead of 1 + 3 · 128 rows
    expect(of(32)).toEqual([3, 21, 21, 32]);
    expect(of(4)).toBe(null); // the second level has 4 states, too
    expect(of(1000, { ...DNA, alphabet: "AB", length: 3 })).toEqual([3, 7, 7, 6]);
  });

  test("are all cells of a grid that has at most half as many as the rows of a batch", () => {
    const grid = hypergridEnvironment({ dimensions: 2, side: 8, stick: 0 });
    expect(firstStates(grid, 16)).toMatchObject({ steps: 15, count: 64 });
    expect(firstStates(grid, 8)).toBe(null);
  });

  test("are missing where states are not enumerated, or where strings are forbidden", () => {
    const constraints = [{ kind: "forbid" as const, motif: [0, 0] }];
    const space = { tokens: [..."ACGT"], length: { min: 4, max: 4 } };
    for (const environment of [
      longSequenceEnvironment(DNA),
      constrainedSequenceEnvironment({ space, constraints, noise: { kind: "none" } }),
    ]) {
      expect(firstStates(environment, 128)).toBe(null);
    }
  });
});

const B = 16;
const FIXED = sequenceEnvironment({ alphabet: "ABC", length: 4, stick: 0.25 });
const VARIABLE = sequenceEnvironment({ alphabet: "AB", length: 4, stick: 0.25, variable: true });

describe.each([
  ["a perceptron with a state table", FIXED, { stateTableRows: 1000 }],
  ["a perceptron with hashed rows", FIXED, { stateTableRows: 7 }],
  ["a perceptron on embedded letters", FIXED, { state: "embedded", stateTableRows: 0 }],
  ["a perceptron with all states", sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0 }), {}],
  ["strings of variable length", VARIABLE, {}],
] as const)("%s", (_, environment, changes) => {
  const model = modelOf(
    environment,
    defaultSettings(environment, { hidden: [5], dynamicsHidden: [4], ...changes }),
  );
  const { maxSteps: T, outcomes: C, hasStop } = environment;
  // The second string of variable length ends after one letter, the others at their largest length.
  const end = (row: number) => (hasStop ? (row === 1 ? 1 : T - 1) : T);
  const letters = randomTokens([T, B], C, "letters");
  const indices = (atEnd: number) =>
    Int32Array.from(letters.data, (letter, i) => {
      const [t, row] = [Math.floor(i / B), i % B];
      return t < end(row) ? letter : t === end(row) ? atEnd : -1;
    });
  const inputs = {
    policy: randomInput([model.policyLayout.size], "policy", 0.5),
    dynamics: randomInput([model.dynamicsLayout.size], "dynamics", 0.5),
    actions: { shape: [T, B], dtype: "int32" as const, data: indices(C) },
    outcomes: { shape: [T, B], dtype: "int32" as const, data: indices(-1) },
  };

  /** The outputs of the policy for all running steps, and log P̂ of all moves, as one vector. */
  function outputsOf(
    arrays: Readonly<Record<string, np.Array>>,
    apply: {
      policy(
        arrays: Readonly<Record<string, np.Array>>,
        batch: Batch,
      ): Pick<PolicyOutputs, "forward" | "logFlow">;
      dynamics(arrays: Readonly<Record<string, np.Array>>, batch: DynamicsBatch): np.Array;
    },
  ): np.Array {
    const batch = flattenTrajectories(environment, followTrajectories(environment, arrays as never));
    const N = T * B;
    const rows = (array: np.Array) => (array.shape[0] === N ? array : np.split(array, [N], 0)[0]);
    const { forward, logFlow } = apply.policy(arrays, batch);
    const policy = np.concatenate([rows(forward), rows(logFlow).reshape([N, 1])], 1); // [N, actions + 1]
    const steps = dynamicsBatch(model, batch, null);
    const moves = apply.dynamics(arrays, steps).reshape([N, -1]); // [N, a·c]
    const parts = [
      np.multiply(policy, batch.running.reshape([N, 1])),
      np.multiply(moves, steps.weight.reshape([N, 1])),
    ];
    return np.concatenate(
      parts.map((part) => part.reshape([-1])),
      0,
    );
  }

  test("has the outputs and gradients of an evaluation of every row", () => {
    const [once, each] = [
      {
        policy: ({ policy }, batch) => policyPass(model, policy, batch, { finalStates: false }),
        dynamics: ({ dynamics }, steps) => logDynamics(model, dynamics, steps),
      },
      {
        policy: ({ policy }, { features, index }) => model.applyPolicy(policy, features, index),
        dynamics: ({ dynamics }, { features, index, legal }) =>
          model.applyDynamics(dynamics, features, index, legal),
      },
    ] satisfies Parameters<typeof outputsOf>[1][];
    const results = [once, each].map((apply) =>
      evaluate((arrays) => {
        const sum = ({ policy, dynamics }: { policy: np.Array; dynamics: np.Array }) =>
          weightedSum(outputsOf({ ...arrays, policy, dynamics }, apply));
        const { policy, dynamics } = arrays;
        const gradients = grad(sum)({ policy, dynamics }) as { policy: np.Array; dynamics: np.Array };
        return { outputs: outputsOf(arrays, apply), policy: gradients.policy, dynamics: gradients.dynamics };
      }, inputs),
    );
    for (const name of ["outputs", "policy", "dynamics"] as const) {
      expect(largestDifference(results[0][name], results[1][name]), name).toBeLessThan(1e-12);
    }
    expect(results[0].dynamics.some((x) => Math.abs(x) > 1e-3)).toBe(true);
  });

  test("has the logits of the rollout", () => {
    const { rollout, pass } = evaluate((arrays) => {
      const trajectories = followTrajectories(environment, arrays as never);
      const stepLogits = model.incrementalPolicy(arrays.policy, B);
      const logits = trajectories.actions.map((action, t) =>
        np.broadcastTo(
          t === 0
            ? stepLogits(environment.start(1), null)
            : stepLogits(trajectories.states[t], {
                action: trajectories.actions[t - 1],
                outcome: trajectories.outcomes[t - 1],
              }),
          action.shape,
        ),
      );
      const batch = flattenTrajectories(environment, trajectories);
      const { forward } = policyPass(model, arrays.policy, batch, { finalStates: false });
      const running = batch.running.reshape([T * B, 1]);
      return {
        rollout: np.multiply(np.concatenate(logits, 0), running),
        pass: np.multiply(np.split(forward, [T * B], 0)[0], running),
      };
    }, inputs);
    expect(largestDifference(rollout, pass)).toBeLessThan(1e-12);
  });
});
