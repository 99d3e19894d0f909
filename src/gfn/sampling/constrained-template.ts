// Templates for strings under constraints. Letters that cannot lead to a legal string with the template are not intended,
// so that samples never get stuck: the automaton of the constraints knows which letters these are.

import { type Template, tokenText } from "../../constraints/index.ts";
import { UserError } from "../../issues.ts";
import {
  type ConstrainedSequenceEnvironment,
  withIntendedTemplate,
} from "../environment/constrained-sequence.ts";
import { ANY, checkOnlyOne, type SampleConditions, templateIssue } from "./template.ts";

/** The environment in which the policy intends the letters of a template or a prefix; null if there is neither. Throws a
 * UserError if no legal string matches. */
export function environmentIntending(
  environment: ConstrainedSequenceEnvironment,
  conditions: SampleConditions,
): ConstrainedSequenceEnvironment | null {
  checkOnlyOne(conditions);
  const { template, prefix } = conditions;
  const text = template ?? prefix;
  if (text === undefined) return null;
  const path = template === undefined ? "prefix" : "template";
  const pattern = patternOf(environment, path, text);
  checkLength(environment, path, text, pattern.length);
  try {
    return withIntendedTemplate(environment, { pattern, open: path === "prefix" });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // "must leave at least one string, but no string … meets …" names the constraints that clash.
    const [first, reason = first] = error.issues[0].message.split(", but ");
    throw templateIssue(path, `must match a legal string, but ${reason}`);
  }
}

/** The tokens of each position; null for `?`. */
function patternOf(
  { space: { tokens }, name }: ConstrainedSequenceEnvironment,
  path: string,
  text: string,
): Template["pattern"] {
  if (tokens.some((token) => token.includes(ANY))) {
    throw templateIssue(path, `must be left out, because ${ANY} is part of a token of ${name}`);
  }
  const { parse } = tokenText(tokens);
  const read = (part: string): number[] => {
    try {
      return parse(part);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw templateIssue(path, `must consist of tokens of the alphabet and ${ANY}: ${error.message}`);
    }
  };
  return text
    .split(ANY)
    .flatMap((part, i) => [...(i > 0 ? [null] : []), ...read(part).map((token) => [token])]);
}

function checkLength(
  { space: { length }, name }: ConstrainedSequenceEnvironment,
  path: string,
  text: string,
  count: number,
): void {
  const least = path === "prefix" ? 0 : length.min;
  if (count >= least && count <= length.max) return;
  const wanted =
    path === "prefix"
      ? `at most ${length.max}`
      : length.min === length.max
        ? `${length.max}`
        : `${length.min} to ${length.max}`;
  throw templateIssue(
    path,
    `must have ${wanted} tokens, as ${name} do, got ${count} in ${JSON.stringify(text)}`,
  );
}
