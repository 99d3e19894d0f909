// Episodes as one flat batch of steps, ready for the networks: rows are ordered by step, then by episode.

import { numpy as np } from "@jax-js/jax";
import type { Environment } from "./environment.ts";
import type { Episodes } from "./rollout.ts";

/** T steps of B episodes; N = T·B. */
export interface Batch {
  readonly T: number;
  readonly B: number;
  /** All states, the last included: [(T + 1)·B, features] and int32 [(T + 1)·B]. */
  readonly features: np.Array;
  readonly index: np.Array;
  /** One-hot, [N, actions] and [N, outcomes]. */
  readonly actions: np.Array;
  readonly outcomes: np.Array;
  /** Legal intentions, bool [N, actions]. */
  readonly allowed: np.Array;
  /** 1 where the step belongs to its episode, 0 after the end, [N]. */
  readonly running: np.Array;
  /** 1 where the step ends its episode, [N]. */
  readonly ends: np.Array;
  /** 1 where the intention was to stop, [N]. */
  readonly stop: np.Array;
  /** Ways into the state after the step: bool and one-hot [N, classes]. */
  readonly backwardAllowed: np.Array;
  readonly backwardClass: np.Array;
  /** Classes with the step's parent, 0/1 [N, classes]; null on a tree. */
  readonly sameParent: np.Array | null;
  /** Number of each episode's terminal object, int32 [B]. */
  readonly terminal: np.Array;
}

export function flatten(environment: Environment, episodes: Episodes): Batch {
  const { states, actions, outcomes, allowed } = episodes;
  const T = actions.length;
  const [B] = actions[0].shape;
  const stack = (arrays: readonly np.Array[]) => np.concatenate([...arrays], 0);
  const whole = (mask: np.Array, width: number) => np.broadcastTo(mask, [B, width]); // [B, width]
  const running = states.map((state) => state.running); // (T + 1) × [B]
  const flatActions = stack(actions); // [N, actions]
  const flatOutcomes = stack(outcomes); // [N, outcomes]
  const backward = actions.map((_, t) => environment.backwardAllowed(states[t + 1], t)); // T × [B or 1, classes]
  return {
    T,
    B,
    features: stack(states.map((state) => state.features)), // [(T + 1)·B, features]
    index: stack(states.map((state) => state.index)), // [(T + 1)·B]
    actions: flatActions,
    outcomes: flatOutcomes,
    allowed: stack(allowed.map((mask) => whole(mask, environment.actions))), // [N, actions]
    running: stack(running.slice(0, T)), // [N]
    ends: stack(actions.map((_, t) => np.subtract(running[t], running[t + 1]))), // [N]
    stop: environment.stops
      ? np.split(flatActions, [environment.actions - 1], 1)[1].reshape([T * B]) // [N]
      : np.zeros([T * B]), // [N]
    backwardAllowed: stack(backward.map((mask) => whole(mask, environment.backwardClasses))), // [N, classes]
    backwardClass: environment.backwardClass(flatActions, flatOutcomes), // [N, classes]
    sameParent: environment.sameParent(flatOutcomes), // [N, classes]
    terminal: environment.terminalIndex(states[T]), // [B]
  };
}
