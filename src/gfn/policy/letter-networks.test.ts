// Policies that read the letters of a string step by step: a perceptron whose first layer is computed by letter, a
// recurrent network and a transformer.

import { numpy as np } from "@jax-js/jax";
import { describe, expect, test } from "vitest";
import {
  checkGradients,
  evaluate,
  type HostInputs,
  largestDifference,
  randomInput,
  randomTokens,
  weightedSum,
} from "../../../test/support/gradients.ts";
import { expectGradientsOnEngines } from "../../../test/support/on-engines.ts";
import { fitWith } from "../../trained/fit.ts";
import { NO_STORAGE } from "../../trained/trained.ts";
import type { Environment } from "../environment/environment.ts";
import { hypergridEnvironment } from "../environment/hypergrid.ts";
import { longSequenceEnvironment, sequenceEnvironment } from "../environment/sequence.ts";
import { type Batch, flattenTrajectories } from "../sampling/batch.ts";
import { followTrajectories } from "../sampling/rollout.ts";
import { defaultSettings } from "../training/defaults.ts";
import { dynamicsBatch, logDynamics } from "../training/dynamics-update.ts";
import type { SettingsInput } from "../training/settings.ts";
import { modelTrainer } from "../training/trainer.ts";
import { type Model, model as modelOf } from "./model.ts";
import { policyPass } from "./policy-pass.ts";

const B = 3;
/** So many features that the first layer of a perceptron is computed by letter. */
const LONG = {
  alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-",
  length: 8,
  stick: 0.25,
};
const SMALL = {
  ...{ hidden: [5], dynamicsHidden: [3], stateTableRows: 0 },
  ...{ encoderLayers: 2, encoderWidth: 4, encoderHeads: 2, encoderFeedForward: 6 },
} satisfies SettingsInput;

const fixedLength = sequenceEnvironment({ alphabet: "ABC", length: 4, stick: 0.25 });
const KINDS: readonly (readonly [string, Environment, SettingsInput])[] = [
  ["a perceptron by letter", longSequenceEnvironment(LONG), { hidden: [4, 3] }],
  ["a perceptron by letter on embedded letters", longSequenceEnvironment(LONG), { state: "embedded" }],
  ["a perceptron by letter with a history encoder", longSequenceEnvironment(LONG), { encoder: "thought" }],
  [
    "a perceptron by letter on strings of variable length",
    longSequenceEnvironment({ ...LONG, variable: true }),
    { embeddingWidth: 2 },
  ],
  ["a recurrent network", fixedLength, { network: "recurrent" }],
  ["a recurrent network with one layer", fixedLength, { network: "recurrent", encoderLayers: 1 }],
  [
    "a recurrent network on strings of variable length",
    longSequenceEnvironment({ alphabet: "AB", length: 3, stick: 0.25, variable: true }),
    { network: "recurrent" },
  ],
  ["a transformer", fixedLength, { network: "transformer" }],
];

function inputsFor(model: Model): HostInputs {
  const { environment } = model;
  const { maxSteps: T, outcomes: C, hasStop } = environment;
  const letters = randomTokens([T, B], C, "letters");
  // The second string of variable length ends after one letter, the others at their largest length.
  const end = (row: number) => (hasStop ? (row === 1 ? 1 : T - 1) : T);
  const indices = (atEnd: number) =>
    Int32Array.from(letters.data, (letter, i) => {
      const [t, row] = [Math.floor(i / B), i % B];
      return t < end(row) ? letter : t === end(row) ? atEnd : -1;
    });
  return {
    policy: randomInput([model.policyLayout.size], "policy", 0.5),
    dynamics: randomInput([model.dynamicsLayout.size], "dynamics", 0.5),
    actions: { shape: [T, B], dtype: "int32", data: indices(C) },
    outcomes: { shape: [T, B], dtype: "int32", data: indices(-1) },
  };
}

type Arrays = Readonly<Record<string, np.Array>>;

/** Logits of all steps by incremental decoding, [T·B, A], and the batch of the trajectories. */
function stepByStep(model: Model, { policy, actions, outcomes }: Arrays): { batch: Batch; logits: np.Array } {
  const { environment } = model;
  const trajectories = followTrajectories(environment, { actions, outcomes });
  const stepLogits = model.incrementalPolicy(policy, trajectories.actions[0].shape[0]);
  const logits = trajectories.actions.map((action, t) =>
    t === 0
      ? np.broadcastTo(stepLogits(environment.start(1), null), action.shape)
      : stepLogits(trajectories.states[t], {
          action: trajectories.actions[t - 1],
          outcome: trajectories.outcomes[t - 1],
        }),
  ); // T × [B, A]
  return { batch: flattenTrajectories(environment, trajectories), logits: np.concatenate(logits, 0) };
}

/** All outputs of a policy for the states of a batch, [(T + 1)·B, …]. */
function allOutputs(model: Model, policy: np.Array, batch: Batch): np.Array {
  const finalStates = !model.environment.hasStop;
  const { forward, backward, logFlow } = policyPass(model, policy, batch, { finalStates });
  return np.concatenate([forward, backward, logFlow.reshape([-1, 1])], 1); // [(T + 1)·B, …]
}

describe.each(KINDS)("%s", (_, environment, changes) => {
  const model = modelOf(environment, defaultSettings(environment, { ...SMALL, ...changes }));
  const inputs = inputsFor(model);

  test("has the same logits step by step as in one pass over all steps", () => {
    const { steps, pass } = evaluate((arrays) => {
      const { batch, logits } = stepByStep(model, arrays);
      const { forward } = policyPass(model, arrays.policy, batch, { finalStates: false });
      return { steps: logits, pass: np.split(forward, [logits.shape[0]], 0)[0] };
    }, inputs);
    expect(largestDifference(steps, pass)).toBeLessThan(1e-12);
  });

  test("has gradients of all outputs that agree with finite differences, on every engine", async () => {
    const { policy, dynamics: _dynamics, ...fixed } = inputs;
    const checked = checkGradients(
      (arrays) => weightedSum(allOutputs(model, arrays.policy, stepByStep(model, arrays).batch)),
      { policy },
      { fixed, coordinates: 12 },
    );
    await expectGradientsOnEngines(checked);
  });
});

describe.each([
  ["one-hot letters", { state: "one-hot" }],
  ["embedded letters", { state: "embedded", embeddingWidth: 3 }],
  ["a history encoder beside them", { encoder: "outcomes" }],
] as const)("a perceptron on %s", (_, changes) => {
  test("has the same outputs by letter as by the product with all features", () => {
    const environment = longSequenceEnvironment(LONG);
    // Objectives over actions read the backward policy on a tree, too, so both networks have the same outputs.
    const settings = defaultSettings(environment, { ...SMALL, dynamics: "none-intended", ...changes });
    const model = modelOf(environment, settings);
    // Without its kind the environment is not known to write strings, and the networks read the features.
    const plain = modelOf({ ...environment, kind: undefined }, settings);
    const outputs = (of: Model) =>
      evaluate((arrays) => {
        const { batch, logits } = stepByStep(of, arrays);
        return {
          logits,
          pass: allOutputs(of, arrays.policy, batch),
          dynamics: logDynamics(of, arrays.dynamics, dynamicsBatch(of, batch, null)),
        };
      }, inputsFor(model));
    expect(plain.policyLayout.size).toBe(model.policyLayout.size);
    const [byLetter, byFeatures] = [outputs(model), outputs(plain)];
    for (const name of ["logits", "pass", "dynamics"] as const) {
      expect(largestDifference(byLetter[name], byFeatures[name]), name).toBeLessThan(1e-12);
      expect(largestDifference(byLetter[name], new Float64Array(byLetter[name].length))).toBeGreaterThan(0.1);
    }
  });
});

describe.each(["recurrent", "transformer"] as const)("training with a %s policy", (network) => {
  test.each([
    ["under noise with the default objective", 0.25, {}],
    // The residual contains the backward policy at the states after the last step.
    [
      "without noise with detailed balance over actions",
      0,
      { dynamics: "none-intended", loss: "squared" } as const,
    ],
  ])("reaches the limit of short strings %s", async (_, stick, changes) => {
    const environment = sequenceEnvironment({ alphabet: "ABC", length: 3, stick });
    const scores = Float64Array.from({ length: 27 }, (_, i) => 0.1 + (i % 5) ** 2);
    const trained = await fitWith(NO_STORAGE)({
      ...{ environment, scores, network, stateTableRows: 0, hidden: [32], encoderWidth: 16, encoderHeads: 2 },
      ...{ encoderLayers: 1, batch: 128, iterations: 800, learningRate: { from: 3e-3, to: 1e-4 } },
      ...changes,
    });
    const evaluation = await trained.evaluate();
    await trained.dispose();
    if (!evaluation.exact) throw new Error("the strings are enumerable");
    expect(evaluation.uniform.tv).toBeGreaterThan(evaluation.limit.tv + 0.1);
    expect(evaluation.reached.tv).toBeLessThan(evaluation.limit.tv + 0.03);
  });
});

test("a network over letters is refused for a grid, and beside a history encoder", async () => {
  const trainer = (environment: Environment, changes: SettingsInput) => {
    const scores = (texts: readonly string[]) => texts.map(() => 1);
    const settings = defaultSettings(environment, { ...SMALL, ...changes });
    return modelTrainer({ ...settings, environment, scores, seed: 0 });
  };
  const grid = hypergridEnvironment({ dimensions: 2, side: 3, stick: 0.25 });
  await expect(trainer(grid, { network: "recurrent" })).rejects.toThrow(
    "network: must be mlp for a grid of 3 × 3, because recurrent reads the letters of a string, got recurrent",
  );
  await expect(trainer(fixedLength, { network: "transformer", encoder: "both" })).rejects.toThrow(
    "network: must be mlp with `encoder` both",
  );
});
