// Summaries of single states, each with a past of its own, for networks that read: in evaluation and in exported files.
//
// What was written stands in the features of strings, letter by letter. What was intended does not, and comes beside.

import { numpy as np } from "@jax-js/jax";
import type { Environment } from "./environment.ts";
import { isStrings } from "./environments/kind.ts";
import { forEachEpisode, type Model } from "./model.ts";

/** Whether the past of a state can be told from its features and, where it matters, the thought. */
export function hasReadableStates(environment: Environment): boolean {
  return isStrings(environment);
}

/** Whether a network of the model reads what was intended. */
export function readsThought({ reads }: Pick<Model, "reads">): boolean {
  return [reads.policy, reads.dynamics].some((read) => read === "thought" || read === "both");
}

/** Steps before a state at most: a thought has as many places. */
export function longestPast({ maxSteps }: Environment): number {
  return maxSteps - 1;
}

/** Whether the thought before a state must be told: it is read, and an episode has more than one step. */
export function takesThought(model: Pick<Model, "reads" | "environment">): boolean {
  return readsThought(model) && longestPast(model.environment) > 0;
}

/**
 * Summaries of R states, [R, width]; nothing if the network sees the state alone. `features` are [R, …], `thought` is int32
 * [R, longestPast], −1 where nothing was intended yet.
 */
export function summaryOf(
  model: Model,
  net: "policy" | "dynamics",
  flat: np.Array,
  features: np.Array,
  thought?: np.Array,
): np.Array | undefined {
  if (!model.reads[net]) return undefined;
  const { environment } = model;
  const { actions: A, outcomes: C } = environment;
  const [R] = features.shape;
  const L = longestPast(environment);
  if (L === 0) return forEachEpisode(model.summaries(net, flat, { steps: null, batch: R }), R); // [R, width]
  const places = np.transpose(features.reshape([R, -1, C]), [1, 0, 2]).reshape([-1, C]); // [places·R, C]
  const outcome = np.split(places, [L * R], 0)[0]; // [L·R, C]
  const intended = thought ? np.transpose(thought).reshape([L * R, 1]) : np.full([L * R, 1], -1); // [L·R, 1]
  const action = np.equal(intended, np.arange(A)).astype(np.float32); // [L·R, A]
  const all = model.summaries(net, flat, { steps: { action, outcome }, batch: R }); // [1 + L·R, width]
  const stacked = forEachEpisode(all, R).reshape([L + 1, R, -1]); // [L + 1, R, width]
  const written = np.sum(features, 1); // [R]
  const here = np.equal(
    written.reshape([1, R]),
    np
      .arange(L + 1)
      .astype(np.float32)
      .reshape([L + 1, 1]),
  ); // [L + 1, R]
  return np.sum(np.multiply(stacked, here.astype(np.float32).reshape([L + 1, R, 1])), 0); // [R, width]
}
