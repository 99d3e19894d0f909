// Whether a given string meets a constraint, by the definition of the constraint and without an automaton, and otherwise
// where and how it breaks it.

import { type Constraint, constraintText, countRange, type ForbiddenMotif } from "./constraint.ts";
import { lengthText, type SequenceSpace } from "./space.ts";

/** How a string breaks a rule. */
export interface Violation {
  /** Index of the broken constraint; −1 if the length of the string is wrong. */
  readonly constraint: number;
  /** Position of the first token at which the string breaks it, counted from 0; null if it is the string as a whole. */
  readonly position: number | null;
  /** Half a sentence that continues the text of the string: "has the forbidden motif GGG at position 4 (forbid GGG)". */
  readonly message: string;
}

/** The first rule that a string of tokens breaks; null if it is legal. */
export function violationOf(
  space: SequenceSpace,
  constraints: readonly Constraint[],
  string: readonly number[],
): Violation | null {
  const { min, max } = space.length;
  if (string.length < min || string.length > max) {
    const message = `has ${string.length} ${string.length === 1 ? "token" : "tokens"} instead of ${lengthText(space.length)}`;
    return { constraint: -1, position: null, message };
  }
  for (const [index, constraint] of constraints.entries()) {
    const found = breaks(constraint, space.tokens, string);
    if (!found) continue;
    const [position, what] = found;
    return { constraint: index, position, message: `${what} (${constraintText(constraint, space.tokens)})` };
  }
  return null;
}

/** Where and how a string breaks a constraint; null if it meets it. */
function breaks(
  constraint: Constraint,
  tokens: readonly string[],
  string: readonly number[],
): readonly [number | null, string] | null {
  switch (constraint.kind) {
    case "template": {
      const { pattern, open = false } = constraint;
      if (open ? string.length < pattern.length : string.length !== pattern.length) {
        return [null, `has ${string.length} tokens instead of ${pattern.length}${open ? " or more" : ""}`];
      }
      const wrong = pattern.findIndex((allowed, i) => allowed !== null && !allowed.includes(string[i]));
      if (wrong < 0) return null;
      const allowed = (pattern[wrong] as readonly number[]).map((token) => tokens[token]).join(" or ");
      return [wrong, `has ${tokens[string[wrong]]} instead of ${allowed} at position ${wrong + 1}`];
    }
    case "forbid": {
      const place = occurrence(string, constraint.motif);
      return place < 0 ? null : [place, `has a forbidden motif at position ${place + 1}`];
    }
    case "require":
      return occurrence(string, constraint.motif) < 0 ? [null, "lacks a required motif"] : null;
    case "pairs": {
      const place = string.findIndex((token, i) => i > 0 && !constraint.allowed[string[i - 1]][token]);
      if (place < 0) return null;
      const pair = `${tokens[string[place - 1]]} before ${tokens[string[place]]}`;
      return [place, `has ${pair} at position ${place}, which is not an allowed pair`];
    }
    case "composition": {
      const count = string.filter((token) => constraint.tokens.includes(token)).length;
      const [least, most] = countRange(constraint, string.length);
      if (count >= least && count <= most) return null;
      const names = constraint.tokens.map((token) => tokens[token]).join(" or ");
      return [null, `has ${count} tokens that are ${names} instead of ${least} to ${most}`];
    }
    case "homopolymer": {
      const { longest } = constraint;
      const place = string.findIndex(
        (token, i) => i >= longest && string.slice(i - longest, i).every((before) => before === token),
      );
      if (place < 0) return null;
      return [
        place,
        `has a run of more than ${longest} ${tokens[string[place]]} at position ${place - longest + 1}`,
      ];
    }
    case "mutations": {
      const { parent, most } = constraint;
      if (string.length !== parent.length) {
        return [null, `has ${string.length} tokens instead of the parent's ${parent.length}`];
      }
      const changed = string.flatMap((token, i) => (token === parent[i] ? [] : [i]));
      if (changed.length <= most) return null;
      return [changed[most], `has ${changed.length} mutations instead of at most ${most}`];
    }
    default:
      return constraint satisfies never;
  }
}

/** First place of a motif in a string; −1 if it does not occur. */
function occurrence(string: readonly number[], motif: ForbiddenMotif["motif"]): number {
  const fits = (place: number | readonly number[], token: number) =>
    typeof place === "number" ? place === token : place.includes(token);
  return string.findIndex(
    (_, i) => i + motif.length <= string.length && motif.every((place, j) => fits(place, string[i + j])),
  );
}
