// Whether an environment is one whose parts have names for people: strings with letters, or a grid with axes.

import { type Environment, isEnumerable } from "../environment.ts";
import type { HypergridEnvironment } from "./hypergrid.ts";
import type { LongSequenceEnvironment } from "./sequence.ts";

export function isStrings(environment: Environment): environment is LongSequenceEnvironment {
  const { alphabet, length, variable } = environment as Partial<LongSequenceEnvironment>;
  if (typeof alphabet !== "string" || typeof length !== "number") return false;
  const { outcomes, features, stops } = environment;
  return outcomes === alphabet.length && features === length * outcomes && stops === variable;
}

export function isGrid(environment: Environment): environment is HypergridEnvironment {
  const { dimensions, side } = environment as Partial<HypergridEnvironment>;
  if (typeof dimensions !== "number" || typeof side !== "number") return false;
  const { outcomes, features, stops, states } = environment;
  const fits = outcomes === dimensions && features === dimensions * side && states === side ** dimensions;
  return fits && stops && isEnumerable(environment);
}

/** The letters as the environment writes them in objects: those of the alphabet, or words for them, such as bits. */
export function lettersOf(environment: LongSequenceEnvironment): string[] {
  const { alphabet, length } = environment;
  const words = Array.from(alphabet, (_, letter) => {
    const text = environment.describe(new Array<number>(length).fill(letter));
    const word = text.slice(0, text.length / length);
    return word.repeat(length) === text && /^\S+$/.test(word) ? word : null;
  });
  return words.every((word) => word !== null) && new Set(words).size === words.length
    ? words
    : Array.from(alphabet);
}
