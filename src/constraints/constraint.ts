// The constraints on strings, their rules, and the words for them in error messages. Tokens are given by index.

import { type Issue, show } from "../issues.ts";
import type { SequenceSpace } from "./space.ts";

interface Named {
  /** The constraint in the words of its author, for error messages. */
  readonly name?: string;
}

/** The string has as many tokens as the pattern, and each is one of those that the pattern allows at its position. */
export interface Template extends Named {
  readonly kind: "template";
  /** The allowed tokens of each position; null if all are. */
  readonly pattern: readonly (readonly number[] | null)[];
  /** Whether more tokens may follow those of the pattern, so that it is a prefix. Default: false. */
  readonly open?: boolean;
}

/** The motif occurs nowhere. */
export interface ForbiddenMotif extends Named {
  readonly kind: "forbid";
  /** For each place the token, or the tokens of which any may stand there. */
  readonly motif: readonly (number | readonly number[])[];
}

/** The motif occurs at least once. */
export interface RequiredMotif extends Named {
  readonly kind: "require";
  readonly motif: readonly number[];
}

/** Only these tokens may follow each other. */
export interface Pairs extends Named {
  readonly kind: "pairs";
  /** Whether the second token may follow the first, [first][second]. */
  readonly allowed: readonly (readonly boolean[])[];
}

/** How many tokens of a string may be among these, such as its GC content. */
export interface Composition extends Named {
  readonly kind: "composition";
  readonly tokens: readonly number[];
  readonly min: number;
  readonly max: number;
  /** Whether `min` and `max` count tokens, or are fractions of the length of the string. */
  readonly unit: "count" | "fraction";
}

/** No token occurs more often than this in a row. */
export interface Homopolymer extends Named {
  readonly kind: "homopolymer";
  readonly longest: number;
}

/** The string has as many tokens as the parent and differs from it in at most this many positions. */
export interface Mutations extends Named {
  readonly kind: "mutations";
  readonly parent: readonly number[];
  readonly most: number;
}

/** A rule that strings must meet. */
export type Constraint =
  | Template
  | ForbiddenMotif
  | RequiredMotif
  | Pairs
  | Composition
  | Homopolymer
  | Mutations;

/** The smallest and the largest number of counted tokens that a string of this length may have. */
export function countRange({ min, max, unit }: Composition, length: number): readonly [number, number] {
  if (unit === "count") return [min, max];
  // Rounding must not exclude a fraction such as 0.3 of 10 tokens.
  return [Math.ceil(min * length - 1e-9), Math.floor(max * length + 1e-9)];
}

/** The constraint in a few words: its name, or else its kind and content. */
export function constraintText(constraint: Constraint, tokens: readonly string[]): string {
  if (constraint.name !== undefined) return constraint.name;
  const separator = tokens.every((token) => token.length === 1) ? "" : " ";
  const text = (indices: readonly number[]) => indices.map((index) => tokens[index]).join(separator);
  const placeText = (place: number | readonly number[]) =>
    typeof place === "number" ? tokens[place] : place.length === 1 ? tokens[place[0]] : `[${text(place)}]`;
  switch (constraint.kind) {
    case "template": {
      const places = constraint.pattern.map((allowed) => {
        return allowed === null ? "?" : placeText(allowed);
      });
      return `${constraint.open ? "prefix" : "template"} ${places.join(separator)}`;
    }
    case "forbid":
    case "require":
      return `${constraint.kind} ${constraint.motif.map(placeText).join(separator)}`;
    case "pairs":
      return "allowed pairs";
    case "composition":
      return `${constraint.min} to ${constraint.max} (${constraint.unit}) of ${text(constraint.tokens)}`;
    case "homopolymer":
      return `runs of at most ${constraint.longest}`;
    case "mutations":
      return `at most ${constraint.most} mutations from ${text(constraint.parent)}`;
    default:
      return constraint satisfies never;
  }
}

/** Everything that is wrong with constraints on a valid space, by paths such as `constraints[2].motif`. */
export function constraintIssues(space: SequenceSpace, constraints: readonly Constraint[]): Issue[] {
  return constraints.flatMap((constraint, i) =>
    problemsOf(space, constraint).map(([key, message]) => ({
      path: `constraints[${i}].${key}`,
      code: "range",
      message,
    })),
  );
}

/** The wrong members of a constraint, each with its rule. */
function problemsOf(
  { tokens: { length: A }, length }: SequenceSpace,
  constraint: Constraint,
): [string, string][] {
  const isToken = (token: number) => Number.isSafeInteger(token) && token >= 0 && token < A;
  const tokenRule = `must be tokens by their index from 0 to ${A - 1}`;
  const listProblem = (key: string, list: readonly number[]): [string, string][] =>
    list.length > 0 && list.every(isToken) ? [] : [[key, `${tokenRule}, at least one, got ${show(list)}`]];
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  switch (constraint.kind) {
    case "template": {
      const { pattern, open = false } = constraint;
      const wrong = pattern.findIndex(
        (place) => place !== null && (place.length === 0 || !place.every(isToken)),
      );
      if (wrong >= 0)
        return [["pattern", `${tokenRule} or null, got ${show(pattern[wrong])} at position ${wrong + 1}`]];
      const [least, most] = [open ? 0 : length.min, length.max];
      if (pattern.length >= least && pattern.length <= most) return [];
      return [
        [
          "pattern",
          `must have ${least === most ? most : `${least} to ${most}`} positions, got ${pattern.length}`,
        ],
      ];
    }
    case "forbid": {
      const { motif } = constraint;
      const wrong = motif.findIndex((place) => typeof place !== "number" && place.length === 0);
      if (wrong >= 0) return [["motif", `${tokenRule}, got [] at position ${wrong + 1}`]];
      return listProblem("motif", motif.flat());
    }
    case "require":
      return listProblem("motif", constraint.motif);
    case "pairs": {
      const { allowed } = constraint;
      const isSquare = allowed.length === A && allowed.every((row) => row.length === A);
      return isSquare
        ? []
        : [["allowed", `must have ${A} rows of ${A} values, one for each token, got ${allowed.length} rows`]];
    }
    case "composition": {
      const { min, max, unit } = constraint;
      const isValid = unit === "count" ? isCount(min) && isCount(max) : min >= 0 && max <= 1;
      const rule = unit === "count" ? "whole numbers with 0 ≤ min ≤ max" : "fractions with 0 ≤ min ≤ max ≤ 1";
      return [
        ...listProblem("tokens", constraint.tokens),
        ...(isValid && min <= max
          ? []
          : [["min", `must be ${rule}, got min ${show(min)} and max ${show(max)}`] as [string, string]]),
      ];
    }
    case "homopolymer":
      if (isCount(constraint.longest) && constraint.longest > 0) return [];
      return [["longest", `must be a positive whole number, got ${show(constraint.longest)}`]];
    case "mutations": {
      const { parent, most } = constraint;
      const fits = parent.length >= length.min && parent.length <= length.max;
      const range = length.min === length.max ? `${length.max}` : `${length.min} to ${length.max}`;
      return [
        ...(parent.every(isToken)
          ? []
          : [["parent", `${tokenRule}, got ${show(parent)}`] as [string, string]]),
        ...(fits ? [] : [["parent", `must have ${range} tokens, got ${parent.length}`] as [string, string]]),
        ...(isCount(most)
          ? []
          : [["most", `must be a whole number of at least 0, got ${show(most)}`] as [string, string]]),
      ];
    }
    default:
      return constraint satisfies never;
  }
}
