// Narrowing functions for environments with a known structure: sequences of letters, grids with axes, hidden regimes.

import type { ConstrainedSequenceEnvironment } from "./constrained-sequence.ts";
import { type Environment, isEnumerable, isHistoryDependent } from "./environment.ts";
import type { HypergridEnvironment } from "./hypergrid.ts";
import type { RegimeEnvironment } from "./regime.ts";
import type { SequenceEnvironment } from "./sequence.ts";

export function isSequence(environment: Environment): environment is SequenceEnvironment {
  return environment.kind === "sequence";
}

/** Whether one path of outcomes leads to each state. */
export function isTree(environment: Environment): boolean {
  return isEnumerable(environment) ? environment.tree : isSequence(environment);
}

/** Whether an environment consists of strings under constraints, so that some letters are illegal in some states. */
export function isConstrained(environment: Environment): environment is ConstrainedSequenceEnvironment {
  return isSequence(environment) && "automaton" in environment;
}

/** Whether an environment consists of sequences in which every letter is legal at every position. */
export function hasAllStrings(environment: Environment): environment is SequenceEnvironment {
  return isSequence(environment) && !isConstrained(environment);
}

export function isGrid(environment: Environment): environment is HypergridEnvironment {
  return environment.kind === "grid";
}

export function hasRegimes(environment: Environment): environment is RegimeEnvironment {
  return "regimes" in environment && isHistoryDependent(environment);
}

/** Text of each letter in objects: its character in the alphabet, or its text in `describe`, such as a word of bits. */
export function letterTexts(environment: SequenceEnvironment): string[] {
  const { alphabet, length } = environment;
  const texts = Array.from(alphabet, (_, letter) => {
    const repeated = environment.describe(new Array<number>(length).fill(letter));
    const text = repeated.slice(0, repeated.length / length);
    return text.repeat(length) === repeated && /^\S+$/.test(text) ? text : null;
  });
  return texts.every((text) => text !== null) && new Set(texts).size === texts.length
    ? texts
    : Array.from(alphabet);
}
