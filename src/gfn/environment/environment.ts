// The interface of an environment: pure array functions that are traced into training programs and, if the state space
// is small enough, an enumeration of all states for exact evaluation.
//
// The rows of a batch are independent trajectories. Programs unroll the steps, so functions receive the step number t,
// counted from 0. A trajectory that has ended keeps its state while the other rows continue.

import type { numpy as np } from "@jax-js/jax";
import type { RandomStream } from "../../engine/index.ts";
import type { Enumeration } from "./enumeration.ts";

/** States of a batch of B trajectories. An environment without an enumeration may add arrays with one row per trajectory:
 * the arrays that `start` and `advance` return are passed to all of its functions. */
export interface State {
  /** Index of the state in the enumeration, or a hash of the state if there is no enumeration, int32 [B]. */
  readonly index: np.Array;
  /** Network input, float32 [B, features]. */
  readonly features: np.Array;
  /** 1 until the trajectory ends, then 0, float32 [B]. */
  readonly running: np.Array;
}

/**
 * The array-level interface of an environment: its sizes, pure array functions over a batch of states, and functions of
 * the host. `docs/add-an-environment.md` explains every member with an example.
 */
export interface Environment {
  /** Description in errors and reports, such as `strings of 8 letters out of ACGT`. */
  readonly name: string;
  /** Declares that the environment has the members and the state layout of `SequenceEnvironment` or
   * `HypergridEnvironment`. Omit for any other environment. `checkEnvironment` verifies the declaration. */
  readonly kind?: "sequence" | "grid";
  /** Number of actions. If there is a stop action, it is the last one. */
  readonly actions: number;
  /** Whether the last action is a stop. If so, only the stop ends a trajectory. */
  readonly hasStop: boolean;
  /** False if some states forbid the stop, because they are no finished objects. Default: true. */
  readonly stopsEverywhere?: boolean;
  /** Number of outcomes, such as letters or axes: the number of actions without the stop. A stop has no outcome. Outcome i
   * is the one that action i intends, unless the environment has `outcomeAllowed`. */
  readonly outcomes: number;
  /** Number of steps after which every trajectory has ended. */
  readonly maxSteps: number;
  /** Number of states that are not terminal. They have the indices 0 to states − 1. */
  readonly states: number;
  /** Number of features of a state. */
  readonly features: number;
  /** Size of the equal blocks of which the features consist, for example one block per letter or coordinate. Each block
   * is one-hot, or all 0 if its letter is not written yet. 1 if the features have no blocks. */
  readonly featureBlock: number;
  /** Probability that the environment replaces an action by a random one, in [0, 1). */
  readonly stick: number;
  /** Short description of the noise, for environments that `stick` does not describe completely. */
  readonly noiseDescription?: string;
  /** Number of backward actions: pairs (parent state, action) among which the backward policy chooses. */
  readonly backwardActions: number;
  /** Names of the actions, for output. Default: their indices. */
  readonly actionNames?: readonly string[];
  /** Whether trajectories of a batch start in states with different features. Default: all share one start state. */
  readonly startsDiffer?: boolean;
  /** Tokens, numbered from 0, that describe the task. History encoders place them before the first step. */
  readonly context?: { readonly tokens: readonly number[]; readonly vocabulary: number };

  /** The start state of every trajectory of a batch. */
  start(batch: number): State;
  /** Mask of the legal actions, bool [B, actions] or [1, actions]. */
  allowed(state: State, t: number): np.Array;
  /** Mask of the outcomes that some action can have, bool [B, outcomes] or [1, outcomes]. An environment has this member
   * if its outcomes are not intended by the actions with the same indices; the form `none` of the dynamics is then not
   * available. Without this member, an outcome is legal if the action with the same index is. */
  outcomeAllowed?(state: State, t: number): np.Array;
  /** Samples the outcomes of one-hot actions [B, actions]: one-hot [B, outcomes], all 0 for a stop. `uniform` holds two
   * random numbers per row, [B, 2]. */
  sampleOutcome(state: State, t: number, action: np.Array, uniform: np.Array): np.Array;
  /** The state after an outcome. `action` only serves to detect a stop. */
  advance(state: State, t: number, action: np.Array, outcome: np.Array): State;
  /** Index of the terminal object of trajectories that have ended, int32 [B]. */
  terminalIndex(state: State): np.Array;
  /** Mask of the backward actions that lead into a state that step t has reached, bool [B, backwardActions] or
   * [1, backwardActions]. */
  backwardAllowed(state: State, t: number): np.Array;
  /** The backward action of a step: of an action and its outcome in the state before the step, one-hot
   * [B, backwardActions]; all 0 for a stop. If the action cannot have the outcome, the row is all 0, or a backward action
   * that `backwardAllowed` forbids. The rows may belong to different steps. */
  backwardAction(state: State, action: np.Array, outcome: np.Array): np.Array;
  /** Mask of the backward actions that have the same parent and outcome as a step from this state, float32 0/1
   * [B, backwardActions]. Null on a tree, where a state has a single parent. The rows may belong to different steps. */
  sameParent(state: State, outcome: np.Array): np.Array | null;

  /** The kernel in the state that these outcomes lead to, [outcomes · outcomes] in float64: entry a · outcomes + c is the
   * probability that action a has outcome c. Runs on the host. Without it and without an enumeration, log-probabilities of
   * objects use the learned dynamics. Omit it if the kernel depends on earlier actions. */
  kernelAt?(outcomes: readonly number[]): Float64Array;

  /** Text of the object that a sequence of outcomes builds. Runs on the host, outside of traced programs. */
  describe(outcomes: readonly number[]): string;
  /** Outcomes of a trajectory from the start to the object with this text; a random trajectory if there are several.
   * Throws a RangeError that names the text and the mistake. Runs on the host. */
  trajectoryOf(text: string, stream: RandomStream): number[];
  /** Outcomes of a trajectory to an object drawn uniformly from those that are worth building. Runs on the host. Without
   * it, uniform objects are drawn from the enumeration. */
  uniformObject?(stream: RandomStream): number[];
}

/** An environment with an enumeration of its states, so that evaluation can be exact. */
export interface EnumerableEnvironment extends Environment {
  /** Enumerates all states with the exact kernel. Runs on the host. */
  enumerate(): Enumeration;
  /** Whether every state has a single parent. */
  readonly tree: boolean;
  /** Outcomes of a trajectory from the start to a terminal object; a random trajectory if there are several. */
  sampleTrajectoryTo(terminal: number, stream: RandomStream): number[];
  /** Features of states by index, one row after the other. */
  featuresOf(indices: ArrayLike<number>): Float32Array;
}

/** An environment whose kernel may depend on the earlier actions and not only on the state. It has no stop action. */
export interface HistoryDependentEnvironment extends Environment {
  /** The kernel after a history of actions and their outcomes, [actions · outcomes] in float64: entry
   * a · outcomes + c is the probability that action a has outcome c. */
  kernelAfter(actions: readonly number[], outcomes: readonly number[]): Float64Array;
}

const enumerations = new WeakMap<EnumerableEnvironment, Enumeration>();

/** The enumeration of an environment, computed once and then cached. */
export function enumerationOf(environment: EnumerableEnvironment): Enumeration {
  let enumeration = enumerations.get(environment);
  if (!enumeration) {
    enumeration = environment.enumerate();
    enumerations.set(environment, enumeration);
  }
  return enumeration;
}

/** Whether an environment has an enumeration of its states. */
export function isEnumerable(environment: Environment): environment is EnumerableEnvironment {
  return "enumerate" in environment;
}

/** Whether the kernel of an environment may depend on earlier actions. */
export function isHistoryDependent(environment: Environment): environment is HistoryDependentEnvironment {
  return "kernelAfter" in environment;
}
