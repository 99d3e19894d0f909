// The training of the dynamics model: the cross-entropy of the outcomes that the environment gave to actions, on the current
// batch or on stored trajectories.
//
// On the batch, its gradient is computed at the same parameters as the residuals of the policy, so that one evaluation of the
// model serves both, and both networks are updated after the call. Several updates on stored trajectories are part of the call;
// the residuals then use the updated model.

import { lax, numpy as np, valueAndGrad } from "@jax-js/jax";
import { markedEntries } from "../../nn/index.ts";
import { outcomeLogProbability } from "../objectives/balance-terms.ts";
import type { FirstStates } from "../policy/first-states.ts";
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
  /** One-hot actions, without the stop, [N, a], and their outcomes, [N, c]. */
  readonly moves: np.Array;
  readonly outcomes: np.Array;
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
    moves, // [N, a]
    outcomes: batch.outcomes, // [N, c]
    history: firstSteps(batch, T - 1),
    weight: sampled ? np.multiply(np.broadcastTo(sampled, [T, B]).reshape([N]), running) : running, // [N]
  };
}

/** log P̂ of every outcome under every action, [N, a, c]. States of the first steps that are fewer than the trajectories are
 * evaluated once. */
export function logDynamics(model: Model, dynamics: np.Array, batch: DynamicsBatch): np.Array {
  const { features, index, legal, history } = batch;
  const shared = model.firstStates("dynamics", history.batch);
  if (shared) return logDynamicsOnce(model, dynamics, batch, shared); // [N, a, c]
  const embeddings = model.historyInputs.dynamics && model.historyEmbeddings("dynamics", dynamics, history); // [1 + (T − 1)·B, width]
  const embedding = embeddings && repeatStartRow(embeddings, history.batch); // [N, width]
  return model.applyDynamics(dynamics, features, index, legal, embedding, history); // [N, a, c]
}

/** `logDynamics` from one evaluation of each of the first states. */
function logDynamicsOnce(
  model: Model,
  dynamics: np.Array,
  { features, index, legal, history }: DynamicsBatch,
  shared: FirstStates,
): np.Array {
  const before = Math.min(shared.steps * history.batch, index.shape[0]); // L·B
  const parts = (rows: np.Array) => (before < rows.shape[0] ? np.split(rows, [before], 0) : [rows]);
  const laterRows = (rows: np.Array) => parts(rows).slice(1); // none or [N − L·B, …]
  const { count } = shared; // F
  const first = shared.arrays();
  const { outcomes: C, hasStop } = model.environment;
  // Without a stop, strings have the same legal outcomes at all steps.
  const laterLegal = hasStop ? laterRows(legal) : []; // none or [N − L·B, C]
  const everyRow = np.broadcastTo(first.legal, [count, C]); // [F, C]
  const logs = model.applyDynamics(
    dynamics,
    np.concatenate([first.features, ...laterRows(features)], 0), // [F + N − L·B, features]
    np.concatenate([first.index, ...laterRows(index)], 0), // [F + N − L·B]
    laterLegal.length > 0 ? np.concatenate([everyRow, ...laterLegal], 0) : first.legal, // [F + N − L·B, C], [F, C] or [1, C]
  ); // [F + N − L·B, a, c]
  const [ofFirst, ...later] = before < index.shape[0] ? np.split(logs, [count], 0) : [logs];
  return np.concatenate([np.take(ofFirst, parts(index)[0], 0), ...later], 0); // [N, a, c]
}

/** The mean of −log P̂ over the steps of weight 1, and its gradient. */
function crossEntropy(
  model: Model,
  dynamics: np.Array,
  batch: DynamicsBatch,
): { readonly loss: np.Array; readonly gradient: np.Array } {
  const mean = (flat: np.Array) => {
    const logOutcome = outcomeLogProbability(logDynamics(model, flat, batch), batch.outcomes); // [N, a]
    const logs = markedEntries(logOutcome, batch.moves); // [N]
    const sum = np.sum(np.multiply(logs, batch.weight)); // []
    return np.negative(np.divide(sum, np.maximum(np.sum(batch.weight), 1))); // []
  };
  const [loss, gradient] = valueAndGrad(mean)(dynamics);
  return { loss, gradient };
}
