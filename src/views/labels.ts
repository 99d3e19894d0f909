// Names of actions, outcomes and states of an environment, as views show them.

import { isConstrained, isGrid, isSequence, letterTexts } from "../gfn/environment/capabilities.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { objectEnvironment } from "../gfn/environment/preference.ts";

/** The outcome of a stop in paths. */
export const STOP = -1;

export interface Labels {
  /** By action, the stop included. */
  readonly actions: readonly string[];
  readonly outcomes: readonly string[];
  /** The outcome that follows a path; `STOP` for a stop. */
  outcomeAfter(path: readonly number[], outcome: number): string;
  /** The state that a path of outcomes leads to. `index` is its number, for states that have no text. */
  state(path: readonly number[], index?: number): string;
}

/** The letters of a sequence environment as texts. */
export function lettersOf(environment: Environment): readonly string[] {
  if (isConstrained(environment)) return environment.space.tokens;
  if (isSequence(environment)) return letterTexts(environment);
  throw new RangeError(`lettersOf: internal: the objects of ${environment.name} are not strings`);
}

export function labelsOf(given: Environment): Labels {
  const environment = objectEnvironment(given);
  const { hasStop } = environment;
  const outcomes = outcomeNames(environment);
  const actions = [...(environment.actionNames ?? outcomes), ...(hasStop ? ["stop"] : [])];
  const state = (path: readonly number[], index?: number): string => {
    if (path.length === 0 && !isGrid(environment)) return "start";
    if (isSequence(environment)) return path.map((outcome) => outcomes[outcome]).join("");
    return (
      described(environment, path) ??
      (index === undefined ? path.map((outcome) => outcomes[outcome] ?? outcome).join(" ") : `state ${index}`)
    );
  };
  return {
    actions,
    outcomes,
    state,
    outcomeAfter(path, outcome) {
      if (outcome === STOP) return "stop";
      if (isSequence(environment) || isGrid(environment) || environment.actionNames) return outcomes[outcome];
      // Where the text of a state begins with that of its parent, the rest of it names the outcome.
      const [before, after] = [described(environment, path), described(environment, [...path, outcome])];
      return before !== null && after?.startsWith(before) && after !== before
        ? after.slice(before.length)
        : outcomes[outcome];
    },
  };
}

function outcomeNames(environment: Environment): readonly string[] {
  if (isSequence(environment)) return lettersOf(environment);
  const { outcomes, actionNames, outcomeAllowed } = environment;
  return Array.from({ length: outcomes }, (_, outcome) => {
    if (isGrid(environment)) return `axis ${outcome + 1}`;
    // Outcome i is the one that action i intends, unless the environment says otherwise.
    return outcomeAllowed ? `outcome ${outcome}` : (actionNames?.[outcome] ?? String(outcome));
  });
}

/** The text of a path that may not be an object; null if the environment has none. */
function described(environment: Environment, path: readonly number[]): string | null {
  try {
    return environment.describe(path);
  } catch {
    return null;
  }
}
