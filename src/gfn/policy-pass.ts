// The policy on all states of a batch, with nothing computed that is known or not needed.
//
// All episodes begin in one state, which is one row. What the policy says of the states after the last step is needed
// only where ways into them are scored, which no past matters for. And values that the rollout computed are recalled.

import { numpy as np } from "@jax-js/jax";
import { recalling } from "../nn/index.ts";
import type { Batch } from "./batch.ts";
import type { History, Model } from "./model.ts";
import type { PolicyOutputs } from "./networks.ts";

/** Sums of the network's layers on the start and on the states after each step but the last, [rows, width] each. */
export type RolloutSums = readonly (readonly np.Array[])[];

export interface PassOptions {
  /** Whether the states after the last step matter. */
  readonly last: boolean;
  /** What the rollout computed, with these parameters; it does not have the states after the last step. */
  readonly known?: RolloutSums;
}

/** Outputs for all rows of the batch, [(T + 1)·B]; zeros for the last states where they do not matter. */
export function policyPass(
  model: Model,
  policy: np.Array,
  batch: Batch,
  { last, known }: PassOptions,
): PolicyOutputs {
  const { T, B } = batch;
  const inner = T > 1 ? [onlyRows(batch, B, T * B)] : []; // [(T − 1)·B, …]
  const start = onlyRows(batch, 0, 1); // [1, …]
  const features = np.concatenate(
    [start, ...inner].map((rows) => rows.features),
    0,
  ); // [1 + (T − 1)·B, features]
  const index = np.concatenate(
    [start, ...inner].map((rows) => rows.index),
    0,
  ); // [1 + (T − 1)·B]
  const history = stepsBefore(batch, T - 1);
  const outputs = model.policyRows(policy, features, index, history, known && recalling(known)); // [1 + (T − 1)·B, width]
  const width = outputs.shape[1];
  const [first, later] = T > 1 ? np.split(outputs, [1], 0) : [outputs]; // [1, width], [(T − 1)·B, width]
  const end = onlyRows(batch, T * B, (T + 1) * B); // [B, …]
  const final = last ? model.policyRows(policy, end.features, end.index, null) : np.zeros([B, width]); // [B, width]
  const parts = [np.broadcastTo(first, [B, width]), ...(later ? [later] : []), final];
  return model.policyOutputs(np.concatenate(parts, 0)); // [(T + 1)·B, …]
}

/** The first steps of all episodes, as networks read them. */
export function stepsBefore({ actions, outcomes, B }: Batch, steps: number): History {
  const first = (rows: np.Array) => np.split(rows, [steps * B], 0)[0]; // [steps·B, …]
  return { batch: B, steps: steps > 0 ? { action: first(actions), outcome: first(outcomes) } : null };
}

function onlyRows({ features, index }: Batch, from: number, to: number) {
  const cut = (array: np.Array) => {
    const [size] = array.shape;
    const head = to < size ? np.split(array, [to], 0)[0] : array; // [to, …]
    return from > 0 ? np.split(head, [from], 0)[1] : head; // [to − from, …]
  };
  return { features: cut(features), index: cut(index) };
}
