// Sequences written letter by letter: of fixed length, or of variable length up to a limit with a stop action.
//
// The features are one-hot letters by position. The states form a tree of prefixes. The parent of a prefix is unique and
// only the action that led to it is uncertain, so the backward actions are the letters.

import { numpy as np } from "@jax-js/jax";
import { HASH_MULTIPLIER, int32 } from "../../nn/hash.ts";
import { oneHotIndices } from "../../nn/one-hot.ts";
import type { EnumerableEnvironment, Environment, State } from "./environment.ts";
import { withRecipe } from "./recipe.ts";
import { sequenceCodec } from "./sequence-codec.ts";
import { enumerateSequences, prefixLength, type SequenceSpace } from "./sequence-states.ts";
import { checkStick, stickKernel, stickNoise } from "./stick-noise.ts";

/** Options of `sequenceEnvironment` and `longSequenceEnvironment`. */
export interface SequenceOptions extends Partial<Pick<SequenceSpace, "variable">> {
  /** The letters, each one character. */
  readonly alphabet: string;
  /** Number of letters; the maximum if `variable`. */
  readonly length: number;
  /** Probability that a letter is replaced by a uniformly drawn one, in [0, 1). */
  readonly stick: number;
}

/** An environment whose objects are sequences. Outcome c of step t writes letter c at position t: it sets feature
 * t · alphabet.length + c to 1. */
export interface SequenceEnvironment extends Environment {
  readonly kind: "sequence";
  readonly alphabet: string;
  /** Number of letters; the maximum if `variable`. */
  readonly length: number;
  /** Whether a stop action can end a sequence early. */
  readonly variable: boolean;
  /** The children of prefix i have the indices i · indexFactor + 1 + letter, in wrapping int32 arithmetic. Undefined if
   * `indexOf` gives the indices. */
  readonly indexFactor?: number;
  /** Index of the prefix with these letters, if `indexFactor` does not give it. Runs on the host. */
  indexOf?(letters: readonly number[]): number;
}

/** Sequences with an enumeration of all prefixes. */
export interface EnumerableSequenceEnvironment extends EnumerableEnvironment, SequenceEnvironment {
  readonly kind: "sequence";
}

/** Largest number of states with an int32 index each. */
const MAX_STATES = 2 ** 31 - 1;

/** Every integer up to this one is exact in float32. */
const MAX_EXACT_FLOAT32 = 2 ** 24;

/** Whether int32 has an index for every prefix. */
export function canIndexPrefixes({
  alphabet,
  length,
}: Pick<SequenceOptions, "alphabet" | "length">): boolean {
  const A = alphabet.length;
  // False also if the count overflows to Infinity.
  return (A === 1 ? length : (A ** length - 1) / (A - 1)) + A ** length <= MAX_STATES;
}

/**
 * Sequences that are written letter by letter, with an enumeration of all prefixes (each has its heap index). Use it if
 * there are at most 2³¹ prefixes, and `longSequenceEnvironment` otherwise.
 *
 * @example
 * ```ts
 * import { sequenceEnvironment } from "gflownet";
 *
 * const environment = sequenceEnvironment({ alphabet: "ACGT", length: 4, stick: 0.25 });
 * console.log(environment.name); // strings of 4 letters out of ACGT
 * console.log(environment.describe([2, 0, 3, 3])); // GATT
 * ```
 */
export function sequenceEnvironment(options: SequenceOptions): EnumerableSequenceEnvironment {
  const { alphabet, length, stick, variable = false } = options;
  const A = alphabet.length;
  const innerStates = A === 1 ? length : (A ** length - 1) / (A - 1);
  const steps = sequenceSteps("sequenceEnvironment", options, A);
  if (!canIndexPrefixes(options)) {
    throw new RangeError(
      `sequenceEnvironment: ${A} letters and length ${length} give more than 2^31 prefixes; use longSequenceEnvironment, which has no enumeration`,
    );
  }
  const environment: EnumerableSequenceEnvironment = {
    ...steps,
    states: variable ? innerStates + A ** length : innerStates,
    terminalIndex(state) {
      return variable ? state.index : np.subtract(state.index, int32(innerStates)); // [B]
    },

    tree: true,
    enumerate: () => enumerateSequences({ alphabetSize: A, length, variable }, stick),
    sampleTrajectoryTo(terminal) {
      const letters: number[] = [];
      let rest = variable ? terminal : terminal + innerStates;
      while (rest > 0) {
        letters.push((rest - 1) % A);
        rest = Math.floor((rest - 1) / A);
      }
      return letters.reverse();
    },
    featuresOf(indices) {
      const features = new Float32Array(indices.length * length * A);
      for (let row = 0; row < indices.length; row++) {
        let rest = indices[row];
        for (let position = prefixLength(rest, A) - 1; position >= 0; position--) {
          const letter = (rest - 1) % A;
          features[(row * length + position) * A + letter] = 1;
          rest = (rest - 1 - letter) / A;
        }
      }
      return features;
    },
  };
  return withRecipe(environment, { factory: "sequenceEnvironment", options });
}

/**
 * Sequences of any length, without an enumeration. `state.index` is a 32-bit hash of the prefix, which may be negative;
 * two prefixes collide with probability 2⁻³². `terminalIndex` returns the same hash, which does not index anything: the
 * reward of such an environment is a function of the text, not a table.
 *
 * @example
 * ```ts
 * import { longSequenceEnvironment } from "gflownet";
 *
 * const environment = longSequenceEnvironment({ alphabet: "ACGT", length: 50, stick: 0.1, variable: true });
 * console.log(environment.maxSteps, environment.describe([2, 0, 3])); // 51 GAT
 * ```
 */
export function longSequenceEnvironment(options: SequenceOptions): SequenceEnvironment {
  const environment: SequenceEnvironment = {
    // The multiplier must be odd: powers of an even one vanish modulo 2³², and the hash would forget early letters.
    ...sequenceSteps("longSequenceEnvironment", options, HASH_MULTIPLIER),
    states: MAX_STATES,
    terminalIndex: (state) => state.index, // [B]
  };
  return withRecipe(environment, { factory: "longSequenceEnvironment", options });
}

/** The members that do not depend on how terminal objects are indexed. */
function sequenceSteps(
  where: string,
  { alphabet, length, stick, variable = false }: SequenceOptions,
  multiplier: number,
): Omit<SequenceEnvironment, "states" | "terminalIndex"> {
  const codec = sequenceCodec({ alphabet, length, variable }, where);
  checkStick(where, stick);
  const A = alphabet.length;
  const actions = variable ? A + 1 : A;
  const letterOf = (action: np.Array) => (variable ? np.split(action, [A], 1)[0] : action); // [B, A]
  // If every index is exact in float32, the index is computed as a matrix product of the features. Unlike a recursion
  // over the steps, simplification removes the product from a program that does not use the index.
  const indexFromFeatures = !variable && multiplier === A && A * A ** length < MAX_EXACT_FLOAT32;
  /** Indices of prefixes with this number of letters, [B, L·A] to int32 [B]: the digits are 1 + letter, in base A. */
  const indexOf = (features: np.Array, letters: number) => {
    const values = Float32Array.from({ length: length * A }, (_, i) => {
      const [position, letter] = [Math.floor(i / A), i % A];
      return position < letters ? (letter + 1) * A ** (letters - 1 - position) : 0;
    });
    return np.matmul(features, np.array(values)).astype(np.int32); // [B]
  };
  const stopOf = (action: np.Array) => np.split(action, [A], 1)[1]; // [B, 1]
  const kernel = stickKernel(A, stick); // [A, A]
  const mask = (allow: (action: number) => boolean) =>
    np.array(
      Int32Array.from({ length: actions }, (_, a) => +allow(a)),
      { shape: [1, actions], dtype: np.bool },
    ); // [1, actions]

  return {
    kind: "sequence",
    name: `strings of ${variable ? "up to " : ""}${length} letters out of ${alphabet}`,
    alphabet,
    length,
    variable,
    indexFactor: multiplier | 0,
    actions,
    hasStop: variable,
    outcomes: A,
    maxSteps: variable ? length + 1 : length,
    features: length * A,
    featureBlock: A,
    stick,
    backwardActions: A,

    start(batch): State {
      return {
        index: np.zeros([batch], { dtype: np.int32 }), // [B]
        features: np.zeros([batch, length * A]), // [B, L·A]
        running: np.ones([batch]), // [B]
      };
    },
    allowed(_, t) {
      return mask((action) => (t < length ? true : action === A)); // [1, actions]
    },
    sampleOutcome(_, t, action, uniform) {
      const letter = letterOf(action); // [B, A]
      if (t >= length) return np.zeros([letter.shape[0], A]); // [B, A], only the stop is legal
      const outcome = stickNoise(letter, np.ones([1, A]), uniform, stick); // [B, A]
      return variable ? np.multiply(outcome, np.subtract(1, stopOf(action))) : outcome; // [B, A]
    },
    advance(state, t, action, outcome) {
      if (t >= length) return { ...state, running: np.zeros(state.running.shape) };
      const [batch] = outcome.shape;
      const running = variable
        ? np.multiply(state.running, np.subtract(1, stopOf(action).reshape([batch]))) // [B]
        : state.running; // [B]
      const written = variable ? np.multiply(outcome, running.reshape([batch, 1])) : outcome; // [B, A]
      const slot: [number, number] = [t * A, (length - 1 - t) * A];
      const features = np.add(state.features, np.pad(written, [[0, 0], slot])); // [B, L·A]
      const ends = !variable && t === length - 1;
      if (indexFromFeatures)
        return { index: indexOf(features, t + 1), features, running: ends ? np.zeros([batch]) : running };
      const digit = oneHotIndices(written, 1).astype(np.int32); // [B], 0 after the end
      const child = np.add(np.multiply(state.index, int32(multiplier)), digit); // [B]
      const index = variable ? np.where(np.less(0, digit), child, state.index) : child; // [B]
      return { index, features, running: ends ? np.zeros([batch]) : running };
    },
    backwardAllowed(state, t) {
      if (stick > 0 || t >= length) return np.ones([1, A], { dtype: np.bool }); // [1, A]
      // Without noise, the action is the letter that step t wrote.
      const [, rest] = t > 0 ? np.split(state.features, [t * A], 1) : [null, state.features];
      const written = t < length - 1 ? np.split(rest, [A], 1)[0] : rest; // [B, A]
      const stopped = np.less(np.sum(written, 1, { keepdims: true }), 0.5); // [B, 1]
      return np.logicalOr(np.less(0.5, written), stopped); // [B, A]
    },
    backwardAction(_, action) {
      return letterOf(action); // [B, A]
    },
    sameParent: () => null,

    kernelAt: () => kernel,
    describe: (outcomes) => codec.decode(outcomes),
    trajectoryOf(text) {
      return Array.from(codec.encode(text).subarray(0, text.length));
    },
  };
}
