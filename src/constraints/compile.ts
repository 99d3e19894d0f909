// Compiles constraints to an automaton, and explains why they cannot be compiled: mistakes, constraints that clash, or too
// many states.

import { throwIssues, UserError } from "../issues.ts";
import type { Automaton } from "./automaton.ts";
import { buildAutomaton, type Excess } from "./build.ts";
import { type Constraint, constraintIssues, constraintText } from "./constraint.ts";
import { partsOf } from "./parts.ts";
import { lengthText, type SequenceSpace, spaceIssues } from "./space.ts";

/** Largest number of combined states. Memory for a node is four bytes per token. */
export const MOST_STATES = 2_000_000;

export interface CompileOptions {
  /** Largest number of combined states of all constraints. Default: 2,000,000. */
  readonly mostStates?: number;
}

/** The automaton of all strings that meet the constraints. Throws a UserError if there is no such string, or if the
 * automaton would have too many states. */
export function compileConstraints(
  space: SequenceSpace,
  constraints: readonly Constraint[],
  { mostStates = MOST_STATES }: CompileOptions = {},
): Automaton {
  throwIssues(spaceIssues(space));
  throwIssues(constraintIssues(space, constraints));
  const built = buildAutomaton(space, partsOf(space, constraints), mostStates);
  if (built === null) throw clashError(space, constraints, mostStates);
  if (!("part" in built)) return built;
  throw excessError(space, constraints, built, mostStates);
}

function excessError(
  space: SequenceSpace,
  constraints: readonly Constraint[],
  { part, factor, position }: Excess,
  mostStates: number,
): UserError {
  const names = part.constraints.map((i) => quoted(space, constraints[i]));
  const one = names.length === 1;
  const message =
    `need more than ${mostStates.toLocaleString("en")} states: after ${position} of ${space.length.max} tokens, ` +
    `${listText(names)} ${one ? "multiplies" : "multiply"} them by ${Number(factor.toPrecision(3))}; ` +
    `loosen or remove ${one ? "it" : "some of them"}, or use shorter strings`;
  return new UserError([{ path: "constraints", code: "size", message }]);
}

/** Names constraints that no string meets together. Without any one of them some string is legal, or the states are too
 * many to know. */
function clashError(space: SequenceSpace, constraints: readonly Constraint[], mostStates: number): UserError {
  let clashing = constraints;
  for (const constraint of constraints) {
    const others = clashing.filter((other) => other !== constraint);
    if (buildAutomaton(space, partsOf(space, others), mostStates) === null) clashing = others;
  }
  const names = clashing.map((constraint) => quoted(space, constraint));
  const what = names.length === 1 ? `meets ${names[0]}` : `meets ${listText(names)} together`;
  const message = `must leave at least one string, but no string of ${lengthText(space.length)} ${what}; loosen or remove ${names.length === 1 ? "it" : "one of them"}`;
  return new UserError([{ path: "constraints", code: "conflict", message }]);
}

function quoted({ tokens }: SequenceSpace, constraint: Constraint): string {
  const text = constraintText(constraint, tokens);
  return `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`;
}

/** Names with commas and "and"; of many only the first ones. */
function listText(names: readonly string[]): string {
  const most = 5;
  const shown = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}
