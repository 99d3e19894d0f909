// History-conditioned networks: rollout, training and evaluation agree, and outputs depend on earlier steps only.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import { evaluate, largestDifference, randomInput } from "../../../test/support/gradients.ts";
import { compile, RandomStream, spec } from "../../engine/index.ts";
import { sequenceEnvironment } from "../environment/sequence.ts";
import { enumeratedStates } from "../evaluate/enumerated-states.ts";
import { enumerateHistories } from "../evaluate/history-enumeration.ts";
import { networkTabulator } from "../evaluate/network-tables.ts";
import { flattenTrajectories } from "../sampling/batch.ts";
import { followTrajectories, type Trajectories } from "../sampling/rollout.ts";
import { defaultSettings } from "../training/defaults.ts";
import { dynamicsBatch, logDynamics } from "../training/dynamics-update.ts";
import { HISTORY_INPUTS, type HistoryInput } from "./input-names.ts";
import { type Model, model as modelOf } from "./model.ts";
import { policyPass } from "./policy-pass.ts";

const environment = sequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25 });
const [T, A] = [3, 2];
const enumeration = enumerateHistories(environment);
const small = {
  ...defaultSettings(environment),
  ...{ hidden: [5], dynamicsHidden: [5], stateTableRows: 0 },
  ...{ encoderLayers: 2, encoderWidth: 4, encoderHeads: 2, encoderFeedForward: 6 },
};

/** Every pair of thought and sequence, as indices [T, B]: action and outcome of step t are digits of the row number. */
const B = (A * A) ** T;
const digit = (row: number, place: number) => Math.floor(row / A ** place) % A;
const actions = Int32Array.from({ length: T * B }, (_, i) => digit(i % B, 2 * Math.floor(i / B)));
const outcomes = Int32Array.from({ length: T * B }, (_, i) => digit(i % B, 2 * Math.floor(i / B) + 1));

function smallModel(input: HistoryInput) {
  return modelOf(environment, { ...small, encoder: input, dynamicsEncoder: input });
}

/** Logits of all steps, [T·B, A] each: by incremental decoding, and in one pass over all steps. */
function logitsOf(model: Model, policy: np.Array, trajectories: Trajectories) {
  const { environment } = model;
  const { states, actions, outcomes } = trajectories;
  const stepLogits = model.incrementalPolicy(policy, trajectories.actions[0].shape[0]);
  const logits = actions.map((action, t) =>
    t === 0
      ? np.broadcastTo(stepLogits(environment.start(1), null), action.shape)
      : stepLogits(states[t], { action: actions[t - 1], outcome: outcomes[t - 1] }),
  ); // T × [B, A]
  const { forward } = policyPass(model, policy, flattenTrajectories(environment, trajectories), {
    finalStates: false,
  }); // [(T + 1)·B, A]
  const before = logits.length * actions[0].shape[0];
  return { incremental: np.concatenate(logits, 0), pass: np.split(forward, [before], 0)[0] };
}

/** Index of the history of a row before step t in the enumeration of histories. */
function historyOf(row: number, t: number): number {
  let history = 0;
  for (let s = 0; s < t; s++)
    history = history * A * A + 1 + actions[s * B + row] * A + outcomes[s * B + row];
  return history;
}

describe.each(HISTORY_INPUTS)("networks with the history input %s", (historyInputs) => {
  const model = smallModel(historyInputs);
  const policy = randomInput([model.policyLayout.size], "policy", 0.5);
  const dynamics = randomInput([model.dynamicsLayout.size], "dynamics", 0.5);
  const indices = {
    actions: { shape: [T, B], dtype: "int32", data: actions },
    outcomes: { shape: [T, B], dtype: "int32", data: outcomes },
  } as const;
  const outputs = evaluate(
    (inputs) => {
      const trajectories = followTrajectories(environment, {
        actions: inputs.actions,
        outcomes: inputs.outcomes,
      });
      const batch = flattenTrajectories(environment, trajectories);
      return {
        ...logitsOf(model, inputs.policy, trajectories),
        dynamics: logDynamics(model, inputs.dynamics, dynamicsBatch(model, batch, null)), // [T·B, a, c]
      };
    },
    { policy, dynamics, ...indices },
  );

  test("have the same outputs in incremental decoding as in one pass over all steps", () => {
    expect(largestDifference(outputs.incremental, outputs.pass)).toBeLessThan(1e-12);
  });

  test("have the same outputs for every enumerated history or state as in a rollout", async () => {
    const states = enumeratedStates(model);
    if (!states) throw new Error("not enumerated");
    const reader = await networkTabulator({ model, states, usesDynamics: true });
    const tables = await reader.tabulate({
      policy: Float32Array.from(policy.data),
      dynamics: Float32Array.from(dynamics.data),
    });
    await reader.dispose();
    const stateOf = (history: number) =>
      historyInputs === "outcomes" ? enumeration.stateIndex[history] : history;
    for (let t = 0; t < T; t++) {
      for (let row = 0; row < B; row++) {
        const [state, position] = [stateOf(historyOf(row, t)), t * B + row];
        const odds = outputs.incremental[position * A + 1] - outputs.incremental[position * A];
        expect(tables.policy[state * A + 1]).toBeCloseTo(1 / (1 + Math.exp(-odds)), 5);
        for (let i = 0; i < A * A; i++) {
          expect(tables.logDynamics?.[state * A * A + i]).toBeCloseTo(
            outputs.dynamics[position * A * A + i],
            5,
          );
        }
      }
    }
  });

  test("depend on their inputs of earlier steps, and never on later steps", () => {
    const rowsAt = (t: number) =>
      Array.from({ length: B }, (_, row) =>
        outputs.incremental.slice((t * B + row) * A, (t * B + row + 1) * A).join(),
      );
    // Number of distinct inputs before step t.
    const distinctInputs = (t: number) => (historyInputs === "outcomes" ? A : A * A) ** t;
    for (let t = 0; t < T; t++) expect(new Set(rowsAt(t)).size).toBe(distinctInputs(t));
  });

  test("have a flow that depends on the state only", () => {
    const { flows } = evaluate(
      (inputs) => {
        const batch = flattenTrajectories(
          environment,
          followTrajectories(environment, { actions: inputs.actions, outcomes: inputs.outcomes }),
        );
        return { flows: policyPass(model, inputs.policy, batch, { finalStates: true }).logFlow };
      },
      { policy, ...indices },
    );
    for (let t = 0; t <= T; t++) {
      const distinct = new Set(Array.from({ length: B }, (_, row) => flows[t * B + row]));
      expect(distinct.size).toBe(A ** t);
    }
  });
});

test("with many possible steps, incremental decoding also agrees with one pass", () => {
  const letters = 5; // 25 pairs of action and outcome
  const many = sequenceEnvironment({ alphabet: "ABCDE", length: T, stick: 0.25 });
  const model = modelOf(many, { ...small, encoder: "both" });
  const stream = RandomStream.fromSeed(1);
  const rows = 12;
  const drawn = () =>
    ({
      shape: [T, rows],
      dtype: "int32",
      data: Int32Array.from({ length: T * rows }, () => stream.integer(letters)),
    }) as const;
  const outputs = evaluate(
    ({ policy, actions, outcomes }) =>
      logitsOf(model, policy, followTrajectories(many, { actions, outcomes })),
    {
      policy: randomInput([model.policyLayout.size], "policy", 0.5),
      actions: drawn(),
      outcomes: drawn(),
    },
  );
  expect(largestDifference(outputs.incremental, outputs.pass)).toBeLessThan(1e-12);
});

test("a step after the last one is an error", () => {
  const model = smallModel("thought");
  const step = () => ({ action: np.zeros([B, A]), outcome: np.zeros([B, A]) });
  const decodeTooFar = (policy: np.Array) => {
    const stepLogits = model.incrementalPolicy(policy, B);
    stepLogits(environment.start(1), null);
    for (let t = 1; t < T; t++) stepLogits(environment.start(B), step());
    return { logits: stepLogits(environment.start(B), step()) };
  };
  const policy = randomInput([model.policyLayout.size], "policy", 0.5);
  expect(() => evaluate(({ policy }) => decodeTooFar(policy), { policy })).toThrow(
    "encoder: a history has at most 2 steps, got 3",
  );
});

test("context tokens precede every trajectory and change the outputs", () => {
  const logits = (tokens: readonly number[]) => {
    const withContext = { ...environment, context: { tokens, vocabulary: 3 } };
    const model = modelOf(withContext, { ...small, encoder: "both" });
    const flat = randomInput([model.policyLayout.size], "policy", 0.5);
    return evaluate(
      ({ policy, ...inputs }) => {
        const trajectories = followTrajectories(withContext, {
          actions: inputs.actions,
          outcomes: inputs.outcomes,
        });
        const batch = flattenTrajectories(withContext, trajectories);
        const stepLogits = model.incrementalPolicy(policy, B);
        const steps = trajectories.actions.map((_, t) =>
          t === 0
            ? np.broadcastTo(stepLogits(withContext.start(1), null), [B, A])
            : stepLogits(trajectories.states[t], {
                action: trajectories.actions[t - 1],
                outcome: trajectories.outcomes[t - 1],
              }),
        );
        return {
          incremental: np.concatenate(steps, 0),
          pass: np.split(policyPass(model, policy, batch, { finalStates: false }).forward, [T * B], 0)[0],
        };
      },
      {
        policy: flat,
        actions: { shape: [T, B], dtype: "int32", data: actions },
        outcomes: { shape: [T, B], dtype: "int32", data: outcomes },
      },
    );
  };
  const [one, other] = [logits([0, 2]), logits([2, 0])];
  expect(largestDifference(one.incremental, one.pass)).toBeLessThan(1e-12);
  expect(largestDifference(one.incremental, other.incremental)).toBeGreaterThan(1e-3);
});

test("both engines agree on a history-conditioned policy", async () => {
  const model = smallModel("both");
  const uniform = RandomStream.fromSeed(1).fillUniform(new Float32Array(T * B * A));
  const policy = Float32Array.from(randomInput([model.policyLayout.size], "policy", 0.5).data);
  const results = await Promise.all(
    (["native", "jax"] as const).map(async (engine) => {
      const program = await compile(
        ({ policy, noise }) => {
          const steps = np.split(noise.reshape([T * B, A]), T, 0); // T × [B, A]
          const stepLogits = model.incrementalPolicy(policy, B);
          let logits = stepLogits(environment.start(1), null); // [1, A]
          // The last step has no later state.
          for (const step of steps.slice(1))
            logits = stepLogits(environment.start(B), { action: step, outcome: step }); // [B, A]
          return { logits };
        },
        { policy: spec([policy.length]), noise: spec([T * B * A]) },
        { name: "history-policy", engine },
      );
      const { logits } = await program.run({ policy, noise: uniform });
      await program.dispose();
      return Float64Array.from(logits);
    }),
  );
  expect(largestDifference(results[0], results[1])).toBeLessThan(1e-4);
});
