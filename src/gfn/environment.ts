// What an environment is to the rest: a few pure array functions that trace, and a list of its states where it has one.
//
// Rows are independent episodes. Steps are unrolled, so functions know the number t of the step. An episode that has
// ended stays as it is while others in the batch go on.

import type { numpy as np } from "@jax-js/jax";
import type { RandomStream } from "../engine/index.ts";
import type { Enumeration } from "./enumeration.ts";

/** Where a batch of episodes stands. An environment that does not list its states may keep more arrays in it, a row for
 * each episode: what `start` and `advance` put there comes back to all its functions. */
export interface State {
  /** Number of the state in the environment's enumeration, or a hash where there is none, int32 [B]. */
  readonly index: np.Array;
  /** What a network sees of it, float32 [B, features]. */
  readonly features: np.Array;
  /** 1 while the episode goes on, 0 after its end, float32 [B]. */
  readonly running: np.Array;
}

export interface Environment {
  readonly name: string;
  /** Intentions, a stop included if there is one; it is the last. */
  readonly actions: number;
  /** Whether the last action is a stop. Then nothing else ends an episode. */
  readonly stops: boolean;
  /** What a noisy action can turn into: letters, or axes. Intention i means outcome i. */
  readonly outcomes: number;
  /** Steps after which every episode has ended. */
  readonly maxSteps: number;
  /** States that are not terminal; their numbers come first. */
  readonly states: number;
  readonly features: number;
  /** Size of the equal blocks that features consist of, one per letter or coordinate: each is one-hot, or all 0 where
   * nothing stands yet. 1 if they have no such form. */
  readonly featureBlock: number;
  /** Probability that the environment replaces an action by a draw of its own. */
  readonly stick: number;
  /** How noisy it is in a few words, where `stick` alone does not say it. */
  readonly noise?: string;
  /** Ways into a state, as the backward policy classifies them: pairs of parent and intention. */
  readonly backwardClasses: number;
  /** What a task says of itself to networks that read: tokens, numbered from 0, that stand before every episode. */
  readonly context?: { readonly tokens: readonly number[]; readonly vocabulary: number };

  start(batch: number): State;
  /** Which intentions are legal, bool [B, actions] or [1, actions]. */
  allowed(state: State, t: number): np.Array;
  /** What the environment makes of intentions (one-hot [B, actions]): one-hot [B, outcomes], all 0 for a stop.
   * `uniform` are two numbers per row, [B, 2]. */
  realise(state: State, t: number, action: np.Array, uniform: np.Array): np.Array;
  /** The state after an outcome; `action` only tells a stop. */
  advance(state: State, t: number, action: np.Array, outcome: np.Array): State;
  /** Number of the terminal object of an episode that has ended, int32 [B]. */
  terminalIndex(state: State): np.Array;
  /** Ways into a state that are possible after step t, bool [B, backwardClasses] or [1, backwardClasses]. */
  backwardAllowed(state: State, t: number): np.Array;
  /** The class of (action, outcome), one-hot [B, backwardClasses]. */
  backwardClass(action: np.Array, outcome: np.Array): np.Array;
  /** Which classes have the parent that this outcome came from, float32 0/1 [B, backwardClasses]; null on a tree,
   * where every way into a state has the same parent. */
  sameParent(outcome: np.Array): np.Array | null;

  /** The object as text, from outcomes that lead to it. On the host, as is the next. */
  describe(way: readonly number[]): string;
  /** Outcomes that lead from the start to the object that a text stands for; drawn among all ways if there are
   * several. Throws a RangeError that names the text and what is wrong with it. */
  wayOf(text: string, stream: RandomStream): number[];
}

/** An environment whose states can be listed, so that evaluation can be exact. */
export interface EnumerableEnvironment extends Environment {
  enumerate(): Enumeration;
  /** Whether every state has one way into it, but for what was intended. */
  readonly tree: boolean;
  /** Outcomes that lead from the start to a terminal object; drawn among all ways if there are several. */
  wayTo(terminal: number, stream: RandomStream): number[];
  /** Features of states by number, row after row. */
  featuresOf(indices: ArrayLike<number>): Float32Array;
}

/** An environment whose answers may depend on what was intended before, not on the outcomes alone. Without a stop. */
export interface HistoryEnvironment extends Environment {
  /** Law of the next outcome after these intentions and their outcomes: row a, column c has the probability that
   * intention a becomes outcome c, [actions · outcomes] in float64. */
  kernelAfter(intended: readonly number[], realised: readonly number[]): Float64Array;
}

const listings = new WeakMap<EnumerableEnvironment, Enumeration>();

/** The environment's listing, made once. */
export function listingOf(environment: EnumerableEnvironment): Enumeration {
  let listed = listings.get(environment);
  if (!listed) {
    listed = environment.enumerate();
    listings.set(environment, listed);
  }
  return listed;
}

export function isEnumerable(environment: Environment): environment is EnumerableEnvironment {
  return "enumerate" in environment;
}

export function hasHistories(environment: Environment): environment is HistoryEnvironment {
  return "kernelAfter" in environment;
}
