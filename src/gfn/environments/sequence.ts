// Strings written letter by letter, of fixed length, or of any length up to a limit with a stop action.
//
// Features are one-hot letters by position. The states form a tree: the way into a prefix is known but for what was
// intended, so the backward policy is over intentions.

import { numpy as np } from "@jax-js/jax";
import { HASH_MULTIPLIER, int32 } from "../../nn/prefix-index.ts";
import type { EnumerableEnvironment, Environment, State } from "../environment.ts";
import { checkStick, stickNoise } from "../noise.ts";
import { sequenceCodec } from "./sequence-codec.ts";
import { enumerateSequences, prefixLength, type SequenceSpace } from "./sequence-states.ts";

export interface SequenceOptions extends Partial<Pick<SequenceSpace, "variable">> {
  /** The letters, each one character. */
  readonly alphabet: string;
  readonly length: number;
  readonly stick: number;
}

/** Strings of any length; too many to list. */
export interface LongSequenceEnvironment extends Environment {
  readonly alphabet: string;
  readonly length: number;
  readonly variable: boolean;
  /** Prefix number i has the children i · indexFactor + 1 + letter, in int32 that wraps around. */
  readonly indexFactor: number;
}

export interface SequenceEnvironment extends EnumerableEnvironment, LongSequenceEnvironment {}

/** More states than this are not numbered in int32, and nobody would list them. */
const LARGEST_SPACE = 2 ** 31 - 1;

/** Whole numbers below this are float32 numbers, and so are their sums up to it. */
const EXACT_IN_FLOAT32 = 2 ** 24;

/** Whether all prefixes of strings can be numbered. */
export function canBeNumbered({ alphabet, length }: Pick<SequenceOptions, "alphabet" | "length">): boolean {
  const A = alphabet.length;
  // False also where the count is beyond all numbers.
  return (A === 1 ? length : (A ** length - 1) / (A - 1)) + A ** length <= LARGEST_SPACE;
}

/** Strings whose prefixes can all be numbered, by their place in a heap (`sequence-states.ts`). */
export function sequenceEnvironment(options: SequenceOptions): SequenceEnvironment {
  const { alphabet, length, stick, variable = false } = options;
  const A = alphabet.length;
  const innerStates = A === 1 ? length : (A ** length - 1) / (A - 1);
  const steps = sequenceSteps("sequenceEnvironment", options, A);
  if (!canBeNumbered(options)) {
    throw new RangeError(
      `sequenceEnvironment: ${A} letters and length ${length} give more than 2^31 prefixes; use longSequenceEnvironment, which lists none`,
    );
  }
  return {
    ...steps,
    states: variable ? innerStates + A ** length : innerStates,
    terminalIndex(state) {
      return variable ? state.index : np.subtract(state.index, int32(innerStates)); // [B]
    },

    tree: true,
    enumerate: () => enumerateSequences({ letters: A, length, variable }, stick),
    wayTo(terminal) {
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
}

/**
 * Strings of any length. Prefixes are too many to be numbered: `state.index` is a hash of 32 bits, negative half of the
 * time, which two prefixes share once in four billion times. `terminalIndex` is that hash too and means nothing: rewards
 * of such an environment come from a function of the text on the host, not from a table.
 */
export function longSequenceEnvironment(options: SequenceOptions): LongSequenceEnvironment {
  return {
    // Powers of an even size of the alphabet would vanish modulo 2³², and the hash forget all but the last letters.
    ...sequenceSteps("longSequenceEnvironment", options, HASH_MULTIPLIER),
    states: LARGEST_SPACE,
    terminalIndex: (state) => state.index, // [B]
  };
}

/** All but numbering, of which only `multiplier` is known here. */
function sequenceSteps(
  where: string,
  { alphabet, length, stick, variable = false }: SequenceOptions,
  multiplier: number,
): Omit<LongSequenceEnvironment, "states" | "terminalIndex"> {
  const codec = sequenceCodec({ alphabet, length, variable }, where);
  checkStick(where, stick);
  const A = alphabet.length;
  const actions = variable ? A + 1 : A;
  const lettersOf = (action: np.Array) => (variable ? np.split(action, [A], 1)[0] : action); // [B, A]
  // A number that all letters of a string give at once need not be carried along: where nobody asks, it is not computed.
  const readable = !variable && multiplier === A && A * A ** length < EXACT_IN_FLOAT32;
  /** Numbers of prefixes with so many letters, [B, L·A] to int32 [B]: the letters, from 1 on, are digits. */
  const numberOf = (features: np.Array, letters: number) => {
    const values = Float32Array.from({ length: length * A }, (_, i) => {
      const [position, letter] = [Math.floor(i / A), i % A];
      return position < letters ? (letter + 1) * A ** (letters - 1 - position) : 0;
    });
    return np.matmul(features, np.array(values)).astype(np.int32); // [B]
  };
  const stopOf = (action: np.Array) => np.split(action, [A], 1)[1]; // [B, 1]
  const mask = (allow: (action: number) => boolean) =>
    np.array(
      Int32Array.from({ length: actions }, (_, a) => +allow(a)),
      { shape: [1, actions], dtype: np.bool },
    ); // [1, actions]

  return {
    name: `strings of ${variable ? "up to " : ""}${length} letters out of ${alphabet}`,
    alphabet,
    length,
    variable,
    indexFactor: multiplier | 0,
    actions,
    stops: variable,
    outcomes: A,
    maxSteps: variable ? length + 1 : length,
    features: length * A,
    featureBlock: A,
    stick,
    backwardClasses: A,

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
    realise(_, t, action, uniform) {
      const intended = lettersOf(action); // [B, A]
      if (t >= length) return np.zeros([intended.shape[0], A]); // [B, A], only a stop is left
      const outcome = stickNoise(intended, np.ones([1, A]), uniform, stick); // [B, A]
      return variable ? np.multiply(outcome, np.subtract(1, stopOf(action))) : outcome; // [B, A]
    },
    advance(state, t, action, outcome) {
      if (t >= length) return { ...state, running: np.zeros(state.running.shape) };
      const [batch] = outcome.shape;
      const goesOn = variable
        ? np.multiply(state.running, np.subtract(1, stopOf(action).reshape([batch]))) // [B]
        : state.running; // [B]
      const written = variable ? np.multiply(outcome, goesOn.reshape([batch, 1])) : outcome; // [B, A]
      const slot: [number, number] = [t * A, (length - 1 - t) * A];
      const features = np.add(state.features, np.pad(written, [[0, 0], slot])); // [B, L·A]
      const ends = !variable && t === length - 1;
      if (readable)
        return { index: numberOf(features, t + 1), features, running: ends ? np.zeros([batch]) : goesOn };
      const digit = np.matmul(written, np.arange(1, A + 1).astype(np.float32)).astype(np.int32); // [B], 0 if none
      const child = np.add(np.multiply(state.index, int32(multiplier)), digit); // [B]
      const index = variable ? np.where(np.less(0, digit), child, state.index) : child; // [B]
      return { index, features, running: ends ? np.zeros([batch]) : goesOn };
    },
    backwardAllowed(state, t) {
      if (stick > 0 || t >= length) return np.ones([1, A], { dtype: np.bool }); // [1, A]
      // Without noise only the letter that stands there can have been intended.
      const [, rest] = t > 0 ? np.split(state.features, [t * A], 1) : [null, state.features];
      const last = t < length - 1 ? np.split(rest, [A], 1)[0] : rest; // [B, A]
      const stopped = np.less(np.sum(last, 1, { keepdims: true }), 0.5); // [B, 1]
      return np.logicalOr(np.less(0.5, last), stopped); // [B, A]
    },
    backwardClass(action) {
      return lettersOf(action); // [B, A]
    },
    sameParent: () => null,

    describe: (way) => codec.decode(way),
    wayOf(text) {
      return Array.from(codec.encode(text).subarray(0, text.length));
    },
  };
}
