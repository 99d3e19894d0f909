// The world of a plain environment: its distinct states, with the actions of each and where they lead. A state is
// examined once, when it is first needed; results are checked and the first mistake is reported.

import { type Issue, shorten, show, UserError } from "../../issues.ts";
import { type Keyed, keyed, NotPlainError, PLAIN_RULE } from "./plain-value.ts";

/** A state that an action can lead to. */
export interface PlainOutcome<S> {
  readonly state: S;
  /** Default: 1, for a step with a single outcome. */
  readonly probability?: number;
}

/** The functions of a plain environment that define its world. */
export interface WorldFunctions<S, A extends string | number, O> {
  actions(state: S): readonly A[];
  step(state: S, action: A): readonly PlainOutcome<S>[];
  objectOf?(state: S): O;
}

/** An action of a state, with the states that it can lead to. */
export interface WorldAction {
  /** Index of the action among all actions. */
  readonly action: number;
  readonly outcomes: readonly { readonly state: number; readonly probability: number }[];
}

export interface World<S, O> {
  /** Index of the start. */
  readonly start: number;
  /** The states that were found so far, by index. */
  readonly states: readonly Keyed<S>[];
  /** The names of the actions that were found so far, by index. */
  readonly actionNames: readonly string[];
  /** The objects that were found so far, by index. */
  readonly objects: readonly Keyed<O>[];
  /** The actions of a state. Empty if it is terminal. */
  actionsOf(state: number): readonly WorldAction[];
  /** Index of the object that a trajectory ends with in this state. */
  objectOf(state: number): number;
}

/** Largest number of transitions, in the world and between pairs of step and state. */
export const MAX_TRANSITIONS = 2_000_000;
/** The alternative to a plain environment, for messages. */
export const ALTERNATIVE =
  "use fewer steps or coarser states, or an environment of array functions (docs/add-an-environment.md)";

/** Throws a `UserError` that names the environment and the function. */
export type Refuse = (path: string, message: string, cause?: unknown) => never;

export function refusal(name: string): Refuse {
  return (path, message, cause) => {
    const issue: Issue = { path, code: "invalid", message };
    throw new UserError([issue], { source: name, cause });
  };
}

export function plainWorld<S, A extends string | number, O>(
  start: S,
  functions: WorldFunctions<S, A, O>,
  refuse: Refuse,
): World<S, O> {
  const states: Keyed<S>[] = [];
  const stateOfKey = new Map<string, number>();
  const actionNames: string[] = [];
  const actionOfValue = new Map<A, number>();
  const objects: Keyed<O>[] = [];
  const objectOfKey = new Map<string, number>();
  const actionsOfState = new Map<number, readonly WorldAction[]>();
  const objectOfState = new Map<number, number>();
  let transitions = 0;

  return {
    start: stateIndex(start, "start", "start"),
    states,
    actionNames,
    objects,
    actionsOf: (state) => remembered(actionsOfState, state, examine),
    objectOf: (state) => remembered(objectOfState, state, findObject),
  };

  function stateIndex(state: S, path: string, what: string): number {
    return indexOf(states, stateOfKey, plain(state, path, what));
  }

  function findObject(state: number): number {
    const { key, value } = states[state];
    const object = functions.objectOf
      ? plain(
          call("objectOf", key, () => functions.objectOf?.(value) as O),
          "objectOf",
          `objectOf(${shorten(key)})`,
        )
      : (states[state] as unknown as Keyed<O>);
    return indexOf(objects, objectOfKey, object);
  }

  function examine(state: number): readonly WorldAction[] {
    const { key, value } = states[state];
    const actions = call("actions", key, () => functions.actions(value));
    if (!Array.isArray(actions)) {
      refuse("actions", `must return an array, got ${show(actions)} for ${shorten(key)}`);
    }
    if (new Set(actions).size !== actions.length) {
      refuse("actions", `must list each action once, got ${show(actions)} for ${shorten(key)}`);
    }
    return actions.map((action) => ({
      action: actionIndex(action, key),
      outcomes: outcomesOf(state, action),
    }));
  }

  function actionIndex(action: A, key: string): number {
    const known = actionOfValue.get(action);
    if (known !== undefined) return known;
    if (typeof action !== "string" && !Number.isFinite(action)) {
      refuse("actions", `must be texts or finite numbers, got ${show(action)} for ${shorten(key)}`);
    }
    if (actionNames.includes(String(action))) {
      refuse("actions", `must not have both the text and the number ${action}, got both`);
    }
    actionOfValue.set(action, actionNames.length);
    return actionNames.push(String(action)) - 1;
  }

  function outcomesOf(state: number, action: A): WorldAction["outcomes"] {
    const { key, value } = states[state];
    const text = `${shorten(key)}, ${show(action)}`;
    const outcomes = call("step", text, () => functions.step(value, action));
    if (!Array.isArray(outcomes) || outcomes.length === 0) {
      refuse(
        "step",
        `must return a list of one or more { state, probability }, got ${show(outcomes)} for (${text})`,
      );
    }
    transitions += outcomes.length;
    if (transitions > MAX_TRANSITIONS)
      refuse(
        "step",
        tooMany(MAX_TRANSITIONS, "transitions", `in the first ${grouped(states.length)} states`),
      );
    const probabilities = new Map<number, number>();
    let sum = 0;
    for (const outcome of outcomes) {
      if (outcome === null || typeof outcome !== "object" || !("state" in outcome)) {
        refuse(
          "step",
          `must return a list of { state, probability }, got ${show(outcome)} in it for (${text})`,
        );
      }
      const { probability = 1 } = outcome;
      if (!(typeof probability === "number" && probability >= 0 && probability <= 1 + TOLERANCE)) {
        refuse("step", `must return probabilities from 0 to 1, got ${show(probability)} for (${text})`);
      }
      const next = stateIndex(outcome.state, "step", `a state of step(${text})`);
      sum += probability;
      if (probability > 0) probabilities.set(next, (probabilities.get(next) ?? 0) + probability);
    }
    if (Math.abs(sum - 1) > TOLERANCE) {
      refuse("step", `must return probabilities that sum to 1, got ${sum} for (${text})`);
    }
    return Array.from(probabilities, ([state, probability]) => ({ state, probability: probability / sum }));
  }

  function plain<V>(value: V, path: string, what: string): Keyed<V> {
    try {
      return keyed(value);
    } catch (error) {
      if (!(error instanceof NotPlainError)) throw error;
      return refuse(path, `${what} must be a plain value, but ${error.message}; ${PLAIN_RULE}`, error);
    }
  }

  function call<R>(path: string, input: string, f: () => R): R {
    try {
      return f();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refuse(path, `throws for (${input}): ${reason}`, error);
    }
  }
}

/** The message about a limit. */
export function tooMany(most: number, what: string, where: string): string {
  return `must give at most ${grouped(most)} ${what}, got more ${where}; ${ALTERNATIVE}`;
}

/** A number with separated thousands. */
export function grouped(value: number): string {
  return value.toLocaleString("en");
}

/** Largest difference between 1 and the sum of probabilities. */
const TOLERANCE = 1e-9;

function indexOf<V>(values: Keyed<V>[], indices: Map<string, number>, value: Keyed<V>): number {
  return remembered(indices, value.key, () => values.push(value) - 1);
}

function remembered<K, V>(map: Map<K, V>, key: K, compute: (key: K) => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute(key);
  map.set(key, value);
  return value;
}
