// Compiles constraints to an automaton, and explains why they cannot be compiled: mistakes, constraints that clash, or too
// many states.

import { throwIssues, UserError } from "../issues.ts";
import type { Automaton } from "./automaton.ts";
import { buildAutomaton, type Excess, hasLegalString } from "./build.ts";
import { type Constraint, constraintIssues, constraintText } from "./constraint.ts";
import { TooManyStates } from "./forbidden-motifs.ts";
import { partsOf } from "./parts.ts";
import { lengthText, type SequenceSpace, spaceIssues } from "./space.ts";

/** Largest number of combined states. */
export const MOST_STATES = 2_000_000;

/** Largest number of transitions: each state has one for each token, of four bytes. With more than 32 tokens it limits the
 * states. */
const MOST_TRANSITIONS = 32 * MOST_STATES;

/** Transitions that are tried to name as few clashing constraints as possible, and how many of them a place of a forbidden
 * motif counts as. */
const [SEARCHED_TRANSITIONS, TRANSITIONS_PER_PLACE] = [40_000_000, 100];

/** Constraints that a sentence about too many states names. */
const NAMED_FACTORS = 3;

export interface CompileOptions {
  /** Largest number of combined states of all constraints. Default: 2,000,000, and 64,000,000 divided by the number of
   * tokens if that is less. */
  readonly mostStates?: number;
}

/** The automaton of all strings that meet the constraints. Throws a UserError if there is no such string, or if the
 * automaton would have too many states. */
export function compileConstraints(
  space: SequenceSpace,
  constraints: readonly Constraint[],
  { mostStates }: CompileOptions = {},
): Automaton {
  throwIssues(spaceIssues(space));
  throwIssues(constraintIssues(space, constraints));
  const limit = mostStates ?? Math.min(MOST_STATES, Math.floor(MOST_TRANSITIONS / space.tokens.length));
  try {
    const built = buildAutomaton(space, partsOf(space, constraints), limit);
    if (built === null) throw clashError(space, constraints, limit);
    if (!("factors" in built)) return built;
    throw excessError(space, constraints, built, limit);
  } catch (error) {
    if (!(error instanceof TooManyStates)) throw error;
    const names = namesOf(space, constraints, error.constraints);
    const message = `have too many states for ${listText(names)} alone; remove ${names.length === 1 ? "it" : "some of them"}`;
    throw new UserError([{ path: "constraints", code: "size", message }], { cause: error });
  }
}

function excessError(
  space: SequenceSpace,
  constraints: readonly Constraint[],
  { factors, position }: Excess,
  limit: number,
): UserError {
  const { tokens, length } = space;
  const count = (value: number) => value.toLocaleString("en");
  const states =
    limit < MOST_STATES && tokens.length > MOST_TRANSITIONS / MOST_STATES
      ? `${count(limit)} states with ${count(tokens.length)} transitions each`
      : `${count(limit)} states`;
  const named = factors.slice(0, NAMED_FACTORS).map(({ constraints: indices, factor }, i) => {
    const names = namesOf(space, constraints, indices);
    const verb = names.length === 1 ? "multiplies them" : "multiply them";
    return `${listText(names)} ${i === 0 ? `${verb} ` : ""}by ${Number(factor.toPrecision(3))}`;
  });
  const only = named.length === 1 && factors[0].constraints.length === 1;
  const reason =
    named.length === 0
      ? "use shorter strings"
      : `after ${position} of ${length.max} tokens, ${named.join(", ")}; loosen or remove ${only ? "it" : "some of them"}, or use shorter strings`;
  const message = `need more than ${states}${named.length === 0 ? "; " : ": "}${reason}`;
  return new UserError([{ path: "constraints", code: "size", message }]);
}

/** Names constraints that no string meets together. Without any one of them some string is legal, unless this takes too
 * long or too many states to know. */
function clashError(space: SequenceSpace, constraints: readonly Constraint[], limit: number): UserError {
  const { tokens, length } = space;
  let rest = SEARCHED_TRANSITIONS;
  /** What is not known counts as possible: then more constraints than necessary are named, which clash as well. */
  const maybeLegal = (indices: readonly number[]): boolean => {
    if (rest <= 0) return true;
    const some = indices.map((i) => constraints[i]);
    for (const each of some) if (each.kind === "forbid") rest -= TRANSITIONS_PER_PLACE * each.motif.length;
    try {
      const most = Math.max(Math.min(limit, Math.floor(rest / tokens.length)), 1);
      const { legal, states } = hasLegalString(space, partsOf(space, some), most);
      rest -= states * tokens.length;
      return legal !== false;
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error;
      return true;
    }
  };
  const clashing = clashingWith([], [...constraints.keys()], maybeLegal).sort((a, b) => a - b);
  const names = namesOf(space, constraints, clashing);
  const what = names.length === 1 ? `meets ${names[0]}` : `meets ${listText(names)} together`;
  const remedy = names.length === 1 ? "it" : rest > 0 ? "one of them" : "some of them";
  const message = `must leave at least one string, but no string of ${lengthText(length)} ${what}; loosen or remove ${remedy}`;
  return new UserError([{ path: "constraints", code: "conflict", message }]);
}

/**
 * A smallest selection of candidates that clashes with the given constraints, which are taken for granted, by halving
 * (QuickXplain). Together with all candidates they clash.
 * @param isNew Whether constraints were added since it was known that the given ones alone do not clash.
 */
function clashingWith(
  given: readonly number[],
  candidates: readonly number[],
  maybeLegal: (constraints: readonly number[]) => boolean,
  isNew = false,
): number[] {
  if (isNew && !maybeLegal(given)) return [];
  if (candidates.length <= 1) return [...candidates];
  const middle = Math.ceil(candidates.length / 2);
  const [first, second] = [candidates.slice(0, middle), candidates.slice(middle)];
  const ofSecond = clashingWith([...given, ...first], second, maybeLegal, true);
  const ofFirst = clashingWith([...given, ...ofSecond], first, maybeLegal, ofSecond.length > 0);
  return [...ofFirst, ...ofSecond];
}

/** The names of constraints in quotes, each once. */
function namesOf(
  { tokens }: SequenceSpace,
  constraints: readonly Constraint[],
  indices: readonly number[],
): string[] {
  const names = indices.map((i) => constraintText(constraints[i], tokens));
  return [...new Set(names)].map((text) => `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`);
}

/** Names with commas and "and"; of many only the first ones. */
function listText(names: readonly string[]): string {
  const most = 5;
  const shown = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}
