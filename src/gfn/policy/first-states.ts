// States that are fewer than the rows of a batch: all of them are evaluated once, and each row takes the outputs of its own state.
// For strings these are the states of the first steps; with 8 letters out of 4 in batches of 128, 597 of 897 rows remain. On a small
// grid these are all cells; on one of 8 × 8, 64 of 1,793 rows remain, and the steps of a rollout need no network any more.

import { numpy as np } from "@jax-js/jax";
import { hasAllStrings, isGrid } from "../environment/capabilities.ts";
import { type EnumerableEnvironment, type Environment, isEnumerable } from "../environment/environment.ts";
import type { SequenceEnvironment } from "../environment/sequence.ts";

/** All states of the first steps. The row of a state is its index. */
export interface FirstStates {
  /** Number of steps that begin in these states. */
  readonly steps: number;
  /** Number of states, F. */
  readonly count: number;
  /** The states in a traced function. */
  arrays(): {
    /** [F, features] */
    readonly features: np.Array;
    /** 0 to F − 1, int32 [F] */
    readonly index: np.Array;
    /** Mask of the legal outcomes, bool [F, outcomes], or [1, outcomes] if it is the same in all states. */
    readonly legal: np.Array;
  };
}

/** A grid is evaluated as a whole if that leaves at most this share of the rows: most trajectories are shorter than the longest. */
const LARGEST_SHARE_OF_GRID = 0.5;

/** The states of as many first steps as leave the fewest rows; null if that saves none. */
export function firstStates(environment: Environment, batch: number): FirstStates | null {
  if (!isEnumerable(environment) || environment.startsDiffer) return null;
  if (isGrid(environment)) return wholeGrid(environment, batch);
  return hasAllStrings(environment) ? shortPrefixes(environment, batch) : null;
}

function wholeGrid(environment: EnumerableEnvironment, batch: number): FirstStates | null {
  const { maxSteps, states, outcomes } = environment;
  if (states > LARGEST_SHARE_OF_GRID * maxSteps * batch) return null;
  return {
    steps: maxSteps,
    count: states,
    arrays() {
      const all = statesBelow(environment, states);
      const allowed = environment.allowed({ ...all, running: np.ones([states]) }, 0); // [F, actions]
      return { ...all, legal: np.split(allowed, [outcomes], 1)[0] }; // … and [F, outcomes]
    },
  };
}

/** Prefixes of strings up to a length. */
function shortPrefixes(
  environment: SequenceEnvironment & EnumerableEnvironment,
  batch: number,
): FirstStates | null {
  const { length, indexFactor, outcomes: letters } = environment;
  if (indexFactor !== letters) return null; // only then are prefixes numbered by their length
  let [steps, count] = [1, 1];
  let mostSaved = 0;
  for (let L = 2, states = 1 + letters; L <= length && states < L * batch; L++) {
    const saved = 1 + (L - 1) * batch - states;
    if (saved > mostSaved) [steps, count, mostSaved] = [L, states, saved];
    states = states * letters + 1;
  }
  if (mostSaved === 0) return null;
  const legal = () => np.ones([1, letters], { dtype: np.bool }); // [1, outcomes]
  return { steps, count, arrays: () => ({ ...statesBelow(environment, count), legal: legal() }) };
}

/** The states with the indices 0 to count − 1. */
function statesBelow(environment: EnumerableEnvironment, count: number) {
  const indices = Int32Array.from({ length: count }, (_, i) => i);
  return {
    features: np.array(environment.featuresOf(indices), { shape: [count, environment.features] }), // [F, features]
    index: np.array(indices, { dtype: np.int32 }), // [F]
  };
}
