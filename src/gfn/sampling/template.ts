// Templates: which letters a sample may intend at each position, from a text such as `AC??GT` or from a prefix.
//
// A template restricts the actions of the policy, and the policy is renormalised over those that remain:
//   q(a | s) ∝ π(a | s)^(1/T) for the actions a that the template allows at this position,
// with the temperature T. A position with one letter forces the action. Later letters do not influence earlier ones: q
// differs from the policy given that its whole object fits the template. Under noise only the intended letter is fixed;
// the environment may still write another one.

import { UserError } from "../../issues.ts";
import { isSequence, letterTexts } from "../environment/capabilities.ts";
import type { Environment } from "../environment/environment.ts";
import type { SequenceEnvironment } from "../environment/sequence.ts";

/** How samples differ from those of the policy. */
export interface SampleConditions {
  /** Letters that are intended at each position, with `?` for any letter, such as `AC??GT`. It has as many letters as an
   * object; an object of variable length ends after it. */
  readonly template?: string;
  /** Letters that are intended at the first positions. */
  readonly prefix?: string;
  /** Divisor of the policy's logits: above 1 samples are more diverse, below 1 more of them are the most probable ones.
   * Default: 1. */
  readonly temperature?: number;
}

/** The conditions as numbers, for `Sampler.sample` and log-probabilities. */
export interface ActionConditions {
  /** 1 for each action that is allowed at a step, [maxSteps · actions]. */
  readonly allowed: Uint8Array;
  readonly temperature: number;
}

/** The sign for any letter. */
export const ANY = "?";

/** The conditions as numbers; null if there are none. Throws a UserError with all issues. */
export function actionConditions(
  environment: Environment,
  { template, prefix, temperature = 1 }: SampleConditions,
): ActionConditions | null {
  if (!(temperature > 0 && temperature < Number.POSITIVE_INFINITY)) {
    throw templateIssue("temperature", `must be a positive number, got ${temperature}`);
  }
  checkOnlyOne({ template, prefix });
  if (template === undefined && prefix === undefined) {
    return temperature === 1 ? null : { allowed: allActions(environment), temperature };
  }
  const path = template === undefined ? "prefix" : "template";
  if (!isSequence(environment)) {
    throw templateIssue(path, `must be left out, because the objects of ${environment.name} are not strings`);
  }
  const allowed = allActions(environment);
  const text = (template ?? prefix) as string;
  const positions = lettersByPosition(environment, path, text);
  checkLength(environment, path, text, positions.length);
  const { actions, outcomes } = environment;
  positions.forEach((letters, t) => {
    for (let action = 0; action < actions; action++) {
      allowed[t * actions + action] = action < outcomes && letters.includes(action) ? 1 : 0;
    }
  });
  // An object of variable length ends after the template.
  if (path === "template" && environment.variable) {
    allowed.fill(0, positions.length * actions, (positions.length + 1) * actions);
    allowed[(positions.length + 1) * actions - 1] = 1;
  }
  return { allowed, temperature };
}

/** The conditions of a temperature, with all actions allowed. */
export function temperatureConditions(environment: Environment, temperature = 1): ActionConditions {
  return actionConditions(environment, { temperature }) ?? { allowed: allActions(environment), temperature };
}

/** Throws a UserError if there is a template and a prefix. */
export function checkOnlyOne({ template, prefix }: SampleConditions): void {
  if (template === undefined || prefix === undefined) return;
  throw templateIssue(
    "prefix",
    "must be given without `template`, which has its letters; write the prefix into it",
  );
}

function allActions({ maxSteps, actions }: Environment): Uint8Array {
  return new Uint8Array(maxSteps * actions).fill(1);
}

/** The letters that are allowed at each position of a template. */
function lettersByPosition(environment: SequenceEnvironment, path: string, text: string): number[][] {
  const letters = letterTexts(environment);
  const [{ length: width }] = letters;
  if (letters.some((letter) => letter.includes(ANY))) {
    throw templateIssue(path, `must be left out, because ${ANY} is a letter of ${environment.name}`);
  }
  if (letters.some((letter) => letter.length !== width)) {
    throw templateIssue(
      path,
      `must be left out, because the letters of ${environment.name} have different lengths`,
    );
  }
  if (text.length % width !== 0) {
    throw templateIssue(path, `must consist of letters of ${width} characters, got ${JSON.stringify(text)}`);
  }
  return Array.from({ length: text.length / width }, (_, position) => {
    const wanted = text.slice(position * width, (position + 1) * width);
    const fits = (letter: string) =>
      Array.from(wanted).every((char, i) => char === ANY || char === letter[i]);
    const found = letters.flatMap((letter, i) => (fits(letter) ? [i] : []));
    if (found.length > 0) return found;
    const place = `${JSON.stringify(wanted)} at position ${position + 1} of ${JSON.stringify(text)}`;
    throw templateIssue(path, `must consist of letters of the alphabet and ${ANY}, got ${place}`);
  });
}

function checkLength(
  { length, variable, name }: SequenceEnvironment,
  path: string,
  text: string,
  count: number,
): void {
  const got = `got ${count} in ${JSON.stringify(text)}`;
  if (path === "prefix" || variable) {
    if (count > length)
      throw templateIssue(path, `must have at most ${length} letters, as ${name} do, ${got}`);
  } else if (count !== length) {
    throw templateIssue(path, `must have ${length} letters, as ${name} do, ${got}`);
  }
}

/** The error for a wrong condition. */
export function templateIssue(path: string, message: string): UserError {
  return new UserError([{ path, code: "range", message }]);
}
