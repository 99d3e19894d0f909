// A batch: trajectories as flat arrays for the networks. Rows are ordered by step, then by trajectory.

import { numpy as np } from "@jax-js/jax";
import type { Environment, State } from "../environment/environment.ts";
import type { Trajectories } from "./rollout.ts";

/** T steps of B trajectories; N = T·B. */
export interface Batch {
  readonly T: number;
  readonly B: number;
  /** Rows of the start: 1 if all trajectories share it, else B. */
  readonly starts: number;
  /** Features of all states, including the last ones, [(T + 1)·B, features]. */
  readonly features: np.Array;
  /** Indices of all states, including the last ones, int32 [(T + 1)·B]. */
  readonly index: np.Array;
  /** One-hot [N, actions]. */
  readonly actions: np.Array;
  /** One-hot [N, outcomes]; all 0 for a stop and after the end. */
  readonly outcomes: np.Array;
  /** The states before the steps, with N rows in each array. */
  readonly sources: State;
  /** Mask of the legal actions, bool [N, actions]. */
  readonly allowed: np.Array;
  /** Mask of the legal outcomes, bool [N, outcomes]. */
  readonly outcomeAllowed: np.Array;
  /** 1 until the trajectory ends, 0 for steps after the end, [N]. */
  readonly running: np.Array;
  /** 1 for the last step of a trajectory, [N]. */
  readonly ends: np.Array;
  /** 1 if the action is the stop, [N]. */
  readonly stop: np.Array;
  /** Mask of the backward actions into the state after the step, bool [N, backwardActions]. */
  readonly backwardAllowed: np.Array;
  /** Backward action of the step, one-hot [N, backwardActions]. */
  readonly backwardAction: np.Array;
  /** Mask of the backward actions with the same parent as the step, 0/1 [N, backwardActions]; null on a tree. */
  readonly sameParent: np.Array | null;
  /** Index of the terminal object of each trajectory, int32 [B]. */
  readonly terminal: np.Array;
}

export function flattenTrajectories(environment: Environment, trajectories: Trajectories): Batch {
  const { states, actions, outcomes, allowed } = trajectories;
  const T = actions.length;
  const [B] = actions[0].shape;
  const stack = (arrays: readonly np.Array[]) => np.concatenate([...arrays], 0);
  const allRows = (mask: np.Array, width: number) => np.broadcastTo(mask, [B, width]); // [B, width]
  const running = states.map((state) => state.running); // (T + 1) × [B]
  const flatActions = stack(actions); // [N, actions]
  const flatOutcomes = stack(outcomes); // [N, outcomes]
  const sources = stackStates(states.slice(0, T));
  const legal = stack(allowed.map((mask) => allRows(mask, environment.actions))); // [N, actions]
  const backward = actions.map((_, t) => environment.backwardAllowed(states[t + 1], t)); // T × [B or 1, backwardActions]
  return {
    T,
    B,
    starts: environment.startsDiffer ? B : 1,
    features: stack(states.map((state) => state.features)), // [(T + 1)·B, features]
    index: stack(states.map((state) => state.index)), // [(T + 1)·B]
    actions: flatActions,
    outcomes: flatOutcomes,
    sources,
    allowed: legal,
    outcomeAllowed: legalOutcomes(environment, states.slice(0, T), legal), // [N, outcomes]
    running: stack(running.slice(0, T)), // [N]
    ends: stack(actions.map((_, t) => np.subtract(running[t], running[t + 1]))), // [N]
    stop: environment.hasStop
      ? np.split(flatActions, [environment.actions - 1], 1)[1].reshape([T * B]) // [N]
      : np.zeros([T * B]), // [N]
    backwardAllowed: stack(backward.map((mask) => allRows(mask, environment.backwardActions))), // [N, backwardActions]
    backwardAction: environment.backwardAction(sources, flatActions, flatOutcomes), // [N, backwardActions]
    sameParent: environment.sameParent(sources, flatOutcomes), // [N, backwardActions]
    terminal: environment.terminalIndex(states[T]), // [B]
  };
}

/** The mask of the legal outcomes before each step, [N, outcomes]. `allowed` is the mask of the legal actions. */
export function legalOutcomes(
  environment: Environment,
  states: readonly State[],
  allowed: np.Array,
): np.Array {
  const { outcomes: C, hasStop } = environment;
  if (!environment.outcomeAllowed) return hasStop ? np.split(allowed, [C], 1)[0] : allowed; // [N, C]
  const masks = states.map((state, t) => {
    const mask = environment.outcomeAllowed?.(state, t) as np.Array; // [B, C] or [1, C]
    return np.broadcastTo(mask, [state.index.shape[0], C]); // [B, C]
  });
  return np.concatenate(masks, 0); // [N, C]
}

/** All arrays of several states, stacked. */
function stackStates(states: readonly State[]): State {
  const stacked = Object.keys(states[0]).map((name) => [
    name,
    np.concatenate(
      states.map((state) => state[name as keyof State]),
      0,
    ), // [N, …]
  ]);
  return Object.fromEntries(stacked);
}

/** Sums over the steps of each trajectory, [N] to [B]. */
export function sumOverSteps(values: np.Array, { T, B }: Pick<Batch, "T" | "B">): np.Array {
  return np.sum(values.reshape([T, B]), 0); // [B]
}

/** Repeats one value per trajectory at each of its steps, [B] to [N]. */
export function repeatAtSteps(values: np.Array, { T, B }: Pick<Batch, "T" | "B">): np.Array {
  return np.broadcastTo(values, [T, B]).reshape([T * B]); // [N]
}
