// One pass of the policy over all states of a batch, without redundant computation.
//
// All trajectories share the start state, which is a single row, unless the starts differ; states of the first steps that are
// fewer than the trajectories are evaluated once (`first-states.ts`). The states after the last step are evaluated only if the
// loss needs the backward policy there, which does not depend on the history. Activations that the rollout computed with
// the same parameters are reused, so that only their derivatives are added.

import { numpy as np } from "@jax-js/jax";
import { reuseActivations } from "../../nn/index.ts";
import type { Batch } from "../sampling/batch.ts";
import type { History, Model } from "./model.ts";
import { type PolicyOutputs, repeatStartRow } from "./networks.ts";
import { type ReachedStates, reachedStates } from "./reached-states.ts";

/** Pre-activations of the network's layers at the start, or in all first states, and after each later step except the last,
 * [rows, width] each. */
export type RolloutActivations = readonly (readonly np.Array[])[];

export interface PolicyPassOptions {
  /** Whether the outputs for the states after the last step are needed. */
  readonly finalStates: boolean;
  /** Activations of the rollout with the same parameters. Omit to compute the activations again. */
  readonly rolloutActivations?: RolloutActivations;
  /** Number of rows for the states after the first steps, at least as many as trajectories reach. Omit to
   * evaluate the states after the end of trajectories, too. Only for networks that read the state alone. */
  readonly rows?: number;
}

/** Outputs for all states of the batch, [(T + 1)·B, …]. Without `finalStates`, the outputs for the states after the last
 * step are 0. */
export function policyPass(
  model: Model,
  policy: np.Array,
  batch: Batch,
  { finalStates, rolloutActivations, rows: most }: PolicyPassOptions,
): PolicyOutputs {
  const { T, B, starts } = batch; // S = starts
  if (finalStates && model.flowFromHistory) return passOverHistories(model, policy, batch);
  const shared = model.firstStates("policy", B);
  const L = stepsOfFirstStates(model, batch);
  const first = shared?.arrays() ?? stateRows(batch, 0, starts); // F or S rows
  const moved = most !== undefined && T > L ? reachedStates(batch, L, most) : null;
  const laterStates = T > L ? stateRows(batch, L * B, T * B) : null; // (T − L)·B rows
  const evaluated = moved && laterStates ? takeRows(laterStates, moved.rows) : laterStates; // M rows, or all
  const rows = evaluated ? [first, evaluated] : [first]; // F + M rows
  const features = np.concatenate(
    rows.map(({ features }) => features),
    0,
  ); // [F + M, features]
  const index = np.concatenate(
    rows.map(({ index }) => index),
    0,
  ); // [F + M]
  const history = shared || moved ? null : firstSteps(batch, T - 1);
  const recorded =
    moved && rolloutActivations ? movedActivations(rolloutActivations, moved) : rolloutActivations;
  const hook = recorded && reuseActivations(recorded);
  const outputs = model.packedPolicyOutputs(policy, features, index, history, hook); // [F + M, width]
  const width = outputs.shape[1];
  const [ofFirst, ofLater] = evaluated ? np.split(outputs, [first.index.shape[0]], 0) : [outputs]; // [F, width], [M, width]
  const later = moved && ofLater ? np.take(ofLater, moved.positions, 0) : ofLater; // [(T − L)·B, width]
  const before = shared
    ? np.take(ofFirst, stateRows(batch, 0, L * B).index, 0) // [L·B, width]
    : np.broadcastTo(ofFirst, [B, width]); // [B, width]
  const running = model.unpackPolicyOutputs(np.concatenate(later ? [before, later] : [before], 0)); // [T·B, …]
  const end = stateRows(batch, T * B, (T + 1) * B); // [B, …]
  const final = finalStates
    ? model.unpackPolicyOutputs(model.packedPolicyOutputs(policy, end.features, end.index, null)) // [B, …]
    : null;
  // Outputs are appended one by one: simplification drops the zeros where only the steps are read.
  const withFinal = (name: keyof PolicyOutputs) => {
    const rows = running[name]; // [T·B, …]
    return np.concatenate([rows, final ? final[name] : np.zeros([B, ...rows.shape.slice(1)])], 0); // [(T + 1)·B, …]
  };
  return { forward: withFinal("forward"), backward: withFinal("backward"), logFlow: withFinal("logFlow") };
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

/** Number of first steps whose states rows of a batch share. */
export function stepsOfFirstStates(model: Model, { T, B }: Pick<Batch, "T" | "B">): number {
  return Math.min(model.firstStates("policy", B)?.steps ?? 1, T);
}

/** Activations of the first states, and those of later states in the order of the rows that are evaluated. */
function movedActivations(
  [first, ...later]: RolloutActivations,
  { rows }: ReachedStates,
): RolloutActivations {
  const moved = first.map((_, i) => {
    const all = np.concatenate(
      later.map((activations) => activations[i]),
      0,
    ); // [(T − L)·B, width]
    return np.take(all, rows, 0); // [M, width]
  });
  return [first, moved];
}

function takeRows({ features, index }: ReturnType<typeof stateRows>, rows: np.Array) {
  return { features: np.take(features, rows, 0), index: np.take(index, rows, 0) };
}

function stateRows({ features, index }: Batch, from: number, to: number) {
  const slice = (array: np.Array) => {
    const [size] = array.shape;
    const head = to < size ? np.split(array, [to], 0)[0] : array; // [to, …]
    return from > 0 ? np.split(head, [from], 0)[1] : head; // [to − from, …]
  };
  return { features: slice(features), index: slice(index) };
}
