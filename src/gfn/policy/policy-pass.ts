// One pass of the policy over all states of a batch, without redundant computation.
//
// All trajectories share the start state, which is a single row, unless the starts differ. The states after the last step are evaluated only if the
// loss needs the backward policy there, which does not depend on the history. Activations that the rollout computed with
// the same parameters are reused, so that only their derivatives are added.

import { numpy as np } from "@jax-js/jax";
import { reuseActivations } from "../../nn/index.ts";
import type { Batch } from "../sampling/batch.ts";
import type { History, Model } from "./model.ts";
import { type PolicyOutputs, repeatStartRow } from "./networks.ts";

/** Pre-activations of the network's layers at the start and after each step except the last, [rows, width] each. */
export type RolloutActivations = readonly (readonly np.Array[])[];

export interface PolicyPassOptions {
  /** Whether the outputs for the states after the last step are needed. */
  readonly finalStates: boolean;
  /** Activations of the rollout with the same parameters. Omit to compute the activations again. */
  readonly rolloutActivations?: RolloutActivations;
}

/** Outputs for all states of the batch, [(T + 1)·B, …]. Without `finalStates`, the outputs for the states after the last
 * step are 0. */
export function policyPass(
  model: Model,
  policy: np.Array,
  batch: Batch,
  { finalStates, rolloutActivations }: PolicyPassOptions,
): PolicyOutputs {
  const { T, B, starts } = batch; // S = starts
  if (finalStates && model.flowFromHistory) return passOverHistories(model, policy, batch);
  const inner = T > 1 ? [stateRows(batch, B, T * B)] : []; // [(T − 1)·B, …]
  const start = stateRows(batch, 0, starts); // [S, …]
  const features = np.concatenate(
    [start, ...inner].map((rows) => rows.features),
    0,
  ); // [S + (T − 1)·B, features]
  const index = np.concatenate(
    [start, ...inner].map((rows) => rows.index),
    0,
  ); // [S + (T − 1)·B]
  const history = firstSteps(batch, T - 1);
  const hook = rolloutActivations && reuseActivations(rolloutActivations);
  const outputs = model.packedPolicyOutputs(policy, features, index, history, hook); // [S + (T − 1)·B, width]
  const width = outputs.shape[1];
  const [first, later] = T > 1 ? np.split(outputs, [starts], 0) : [outputs]; // [S, width], [(T − 1)·B, width]
  const end = stateRows(batch, T * B, (T + 1) * B); // [B, …]
  const final = finalStates
    ? model.packedPolicyOutputs(policy, end.features, end.index, null)
    : np.zeros([B, width]); // [B, width]
  const parts = [np.broadcastTo(first, [B, width]), ...(later ? [later] : []), final];
  return model.unpackPolicyOutputs(np.concatenate(parts, 0)); // [(T + 1)·B, …]
}

/** Outputs for all states of the batch from their histories, [(T + 1)·B, …]. Activations of the rollout are not reused,
 * because it has none for the states after the last step. */
function passOverHistories(model: Model, policy: np.Array, batch: Batch): PolicyOutputs {
  const { T, B } = batch;
  const [start, later] = [stateRows(batch, 0, 1), stateRows(batch, B, (T + 1) * B)]; // [1, …], [T·B, …]
  const features = np.concatenate([start.features, later.features], 0); // [1 + T·B, features]
  const index = np.concatenate([start.index, later.index], 0); // [1 + T·B]
  const outputs = model.packedPolicyOutputs(policy, features, index, firstSteps(batch, T)); // [1 + T·B, width]
  return model.unpackPolicyOutputs(repeatStartRow(outputs, B)); // [(T + 1)·B, …]
}

/** The history of the first steps of all trajectories. */
export function firstSteps({ actions, outcomes, B }: Batch, steps: number): History {
  const first = (rows: np.Array) => (steps * B < rows.shape[0] ? np.split(rows, [steps * B], 0)[0] : rows); // [steps·B, …]
  return { batch: B, steps: steps > 0 ? { action: first(actions), outcome: first(outcomes) } : null };
}

function stateRows({ features, index }: Batch, from: number, to: number) {
  const slice = (array: np.Array) => {
    const [size] = array.shape;
    const head = to < size ? np.split(array, [to], 0)[0] : array; // [to, …]
    return from > 0 ? np.split(head, [from], 0)[1] : head; // [to − from, …]
  };
  return { features: slice(features), index: slice(index) };
}
