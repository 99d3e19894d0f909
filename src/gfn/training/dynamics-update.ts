// The training of the dynamics model: the cross-entropy of the outcomes that the environment gave to actions, on the current
// batch or on stored trajectories.
//
// On the batch, its gradient is computed at the same parameters as the residuals of the policy, so that one evaluation of the
// model serves both, and both networks are updated after the call. Several updates on stored trajectories are part of the call;
// the residuals then use the updated model.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import type { History, Model } from "../policy/model.ts";
import { repeatStartRow } from "../policy/networks.ts";
import { firstSteps } from "../policy/policy-pass.ts";
import { type Batch, flattenTrajectories } from "../sampling/batch.ts";
import { followTrajectories } from "../sampling/rollout.ts";
import { stateNames, updateNetwork } from "./network-state.ts";
import type { Settings } from "./settings.ts";

/** The N steps of a batch, as inputs and targets of the dynamics model. */
export interface DynamicsBatch {
  readonly features: np.Array;
  readonly index: np.Array;
  /** Legal outcomes, bool [N, C]. */
  readonly legal: np.Array;
  /** One-hot pairs of action and outcome, [N, a, c]. */
  readonly pairs: np.Array;
  /** The steps before each step, for a history-conditioned model. */
  readonly history: History;
  /** 1 for steps that count: actions to which the environment gave the outcome, [N]. */
  readonly weight: np.Array;
}

type Arrays = Readonly<Record<string, np.Array>>;

type DynamicsSettings = Pick<Settings, "dynamicsClip" | "dynamicsReplayRounds">;

export interface DynamicsTraining {
  /** The gradient, [P], under the name `DYNAMICS_GRADIENT`, or the new state tensors of the dynamics model. */
  readonly outputs: Arrays;
  /** Mean loss, []. */
  readonly loss: np.Array;
  /** log P̂ of the batch, held fixed, [N, a, c]. */
  readonly logDynamics: np.Array;
}

/** Name of the output with the gradient of the model's parameters. */
export const DYNAMICS_GRADIENT = "dynamics.gradient";

/** The gradient on the batch. `sampled` is 1 for rows that the rollout sampled, [B]. */
export function dynamicsGradient(
  model: Model,
  inputs: Arrays,
  batch: Batch,
  sampled: np.Array | null,
): DynamicsTraining {
  const { dynamics } = inputs;
  const steps = dynamicsBatch(model, batch, sampled);
  const { loss, gradient } = crossEntropy(model, dynamics, steps);
  const logs = lax.stopGradient(logDynamics(model, dynamics, steps)); // [N, a, c]
  return { outputs: { [DYNAMICS_GRADIENT]: gradient }, loss, logDynamics: logs };
}

/** Updates on stored trajectories. `sampled` is 1 for rows of the batch that the rollout sampled, [B]. */
export function updateDynamics(
  model: Model,
  settings: DynamicsSettings,
  inputs: Arrays,
  batch: Batch,
  sampled: np.Array | null,
): DynamicsTraining {
  const batchSteps = dynamicsBatch(model, batch, sampled);
  let current = inputs;
  const losses: np.Array[] = [];
  for (const training of storedBatches(model, inputs, settings.dynamicsReplayRounds)) {
    const { loss, gradient } = crossEntropy(model, current.dynamics, training);
    const { state } = updateNetwork(
      "dynamics",
      current,
      gradient,
      settings.dynamicsClip,
      model.rateScales.dynamics,
    );
    current = { ...current, ...state };
    losses.push(loss);
  }
  return {
    outputs: Object.fromEntries(stateNames("dynamics").map((name) => [name, current[name]])),
    loss: np.divide(
      losses.reduce((a, b) => np.add(a, b)),
      losses.length,
    ), // []
    logDynamics: lax.stopGradient(logDynamics(model, current.dynamics, batchSteps)), // [N, a, c]
  };
}

/** One batch per round from the inputs `storedActions` and `storedOutcomes`, int32 [rounds, T, E] each. */
function storedBatches(model: Model, inputs: Arrays, rounds: number): DynamicsBatch[] {
  const { environment } = model;
  const perRound = (stored: np.Array) => np.split(stored, rounds, 0); // rounds × [1, T, E]
  const [actions, outcomes] = [perRound(inputs.storedActions), perRound(inputs.storedOutcomes)];
  return actions.map((_, round) => {
    const [, T, E] = actions[round].shape;
    const indices = { actions: actions[round].reshape([T, E]), outcomes: outcomes[round].reshape([T, E]) };
    const stored = flattenTrajectories(environment, followTrajectories(environment, indices));
    // An empty buffer gives trajectories without outcomes; they get weight 0.
    const happened = np.sum(stored.outcomes, 1); // [N]
    const training = dynamicsBatch(model, stored, null);
    return { ...training, weight: np.multiply(training.weight, happened) }; // [N]
  });
}

/** `sampled` is 1 for trajectories that were sampled in the environment, [B]. */
export function dynamicsBatch({ environment }: Model, batch: Batch, sampled: np.Array | null): DynamicsBatch {
  const { T, B } = batch;
  const { outcomes: C, hasStop } = environment;
  const N = T * B;
  const [moves] = hasStop ? np.split(batch.actions, [C], 1) : [batch.actions]; // [N, C]
  const running = hasStop ? np.multiply(batch.running, np.subtract(1, batch.stop)) : batch.running; // [N]
  return {
    features: np.split(batch.features, [N], 0)[0], // [N, features]
    index: np.split(batch.index, [N], 0)[0], // [N]
    legal: batch.outcomeAllowed, // [N, C]
    pairs: np.multiply(moves.reshape([N, C, 1]), batch.outcomes.reshape([N, 1, C])), // [N, a, c]
    history: firstSteps(batch, T - 1),
    weight: sampled ? np.multiply(np.broadcastTo(sampled, [T, B]).reshape([N]), running) : running, // [N]
  };
}

/** log P̂ of every outcome under every action, [N, a, c]. */
export function logDynamics(model: Model, dynamics: np.Array, batch: DynamicsBatch): np.Array {
  const { features, index, legal, history } = batch;
  const embeddings = model.historyInputs.dynamics && model.historyEmbeddings("dynamics", dynamics, history); // [1 + (T − 1)·B, width]
  const embedding = embeddings && repeatStartRow(embeddings, history.batch); // [N, width]
  return model.applyDynamics(dynamics, features, index, legal, embedding, history); // [N, a, c]
}

/** The mean of −log P̂ over the steps of weight 1, and its gradient. */
function crossEntropy(
  model: Model,
  dynamics: np.Array,
  batch: DynamicsBatch,
): { readonly loss: np.Array; readonly gradient: np.Array } {
  const mean = (flat: np.Array) => {
    const logs = np.sum(np.multiply(logDynamics(model, flat, batch), batch.pairs), [
      1, 2,
    ] as unknown as number); // [N]
    const sum = np.sum(np.multiply(logs, batch.weight)); // []
    return np.negative(np.divide(sum, np.maximum(np.sum(batch.weight), 1))); // []
  };
  const [loss, gradient] = valueAndGrad(mean)(dynamics);
  return { loss, gradient };
}
