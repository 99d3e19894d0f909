// Embeddings of the histories of single states, for exact evaluation and exported models.
//
// The features of a sequence contain the outcomes of its history, letter by letter. The actions, that is, the thought, are
// a separate input.

import { numpy as np } from "@jax-js/jax";
import { oneHot } from "../../nn/one-hot.ts";
import { isSequence } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import type { Model } from "./model.ts";
import { repeatStartRow } from "./networks.ts";

/** Whether the features of a state contain the outcomes of all steps before it. */
export function featuresContainOutcomes(environment: Environment): boolean {
  return isSequence(environment);
}

/** Whether a network of the model is conditioned on the thought. */
export function isThoughtConditioned({ historyInputs }: Pick<Model, "historyInputs">): boolean {
  return [historyInputs.policy, historyInputs.dynamics].some(
    (inputs) => inputs === "thought" || inputs === "both",
  );
}

/** Largest number of steps before a state, which is the length of the thought input. */
export function maxHistoryLength({ maxSteps }: Environment): number {
  return maxSteps - 1;
}

/** Whether the networks need the thought as an input: one of them is conditioned on it, and it is not always empty. */
export function needsThoughtInput(model: Pick<Model, "historyInputs" | "environment">): boolean {
  return isThoughtConditioned(model) && maxHistoryLength(model.environment) > 0;
}

/**
 * Embeddings of the histories of R states, [R, width]; undefined if the network is not history-conditioned. `features`
 * are [R, …]; `thought` is int32 [R, maxHistoryLength] and −1 after the last step of the history.
 */
export function historyEmbeddingOf(
  model: Model,
  net: "policy" | "dynamics",
  flat: np.Array,
  features: np.Array,
  thought?: np.Array,
): np.Array | undefined {
  if (!model.historyInputs[net]) return undefined;
  const { environment } = model;
  const { actions: A, outcomes: C } = environment;
  const [R] = features.shape;
  const L = maxHistoryLength(environment);
  if (L === 0) return repeatStartRow(model.historyEmbeddings(net, flat, { steps: null, batch: R }), R); // [R, width]
  const positions = np.transpose(features.reshape([R, -1, C]), [1, 0, 2]).reshape([-1, C]); // [positions·R, C]
  const outcome = np.split(positions, [L * R], 0)[0]; // [L·R, C]
  const actionIndex = thought ? np.transpose(thought).reshape([L * R]) : np.full([L * R], -1); // [L·R]
  const action = oneHot(actionIndex, A); // [L·R, A]
  const embeddings = model.historyEmbeddings(net, flat, { steps: { action, outcome }, batch: R }); // [1 + L·R, width]
  const byStep = repeatStartRow(embeddings, R).reshape([L + 1, R, -1]); // [L + 1, R, width]
  const steps = np.sum(features, 1); // [R], number of written letters
  const isLast = np.equal(
    steps.reshape([1, R]),
    np
      .arange(L + 1)
      .astype(np.float32)
      .reshape([L + 1, 1]),
  ); // [L + 1, R]
  return np.sum(np.multiply(byStep, isLast.astype(np.float32).reshape([L + 1, R, 1])), 0); // [R, width]
}
