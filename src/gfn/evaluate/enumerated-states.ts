// The states that exact evaluation of a model enumerates: states of the environment, or histories if a network is
// conditioned on the thought.

import { oneHotRows } from "../../nn/one-hot.ts";
import type { Enumeration } from "../environment/enumeration.ts";
import { enumerationOf, isEnumerable, isHistoryDependent } from "../environment/environment.ts";
import {
  featuresContainOutcomes,
  isThoughtConditioned,
  maxHistoryLength,
  needsThoughtInput,
} from "../policy/history-embedding.ts";
import type { Model } from "../policy/model.ts";
import { canEnumerateHistories, enumerateHistories } from "./history-enumeration.ts";
import {
  type ExpectationMaximisationOptions,
  type Limit,
  limitByExpectationMaximisation,
  limitOf,
} from "./limit.ts";

export interface EnumeratedStates {
  readonly enumeration: Enumeration;
  /** The best reachable distribution among policies with the same inputs as the policy of the model. `maxSteps` bounds the
   * time of expectation maximisation. */
  limit(target: Float64Array, options?: Pick<ExpectationMaximisationOptions, "maxSteps">): Limit;
  /** Network inputs of these states, one row each. `thought` is present if a network takes it as input. */
  networkInputs(states: Int32Array): {
    readonly index: Int32Array;
    readonly features: Float32Array;
    readonly thought?: Int32Array;
  };
}

type ModelInputs = Pick<Model, "environment" | "historyInputs">;

/** Null if neither states nor histories can be enumerated. */
export function enumeratedStates(model: ModelInputs): EnumeratedStates | null {
  const { environment } = model;
  if (!canEnumerateStates(model)) return null;
  if (isThoughtConditioned(model) || !isEnumerable(environment)) return enumeratedHistories(model);
  const enumeration = enumerationOf(environment);
  return {
    enumeration,
    limit: (target, options) => limitOf(environment, enumeration, target, options),
    networkInputs: (states) => ({ index: states, features: environment.featuresOf(states) }),
  };
}

/** Whether `enumeratedStates` supports the model. Enumerates nothing. */
export function canEnumerateStates(model: ModelInputs): boolean {
  const { environment, historyInputs } = model;
  const isHistoryConditioned = historyInputs.policy !== undefined || historyInputs.dynamics !== undefined;
  if (isHistoryConditioned && !featuresContainOutcomes(environment)) return false;
  return (isEnumerable(environment) && !isThoughtConditioned(model)) || canEnumerateHistories(environment);
}

function enumeratedHistories(model: ModelInputs): EnumeratedStates {
  const { environment, historyInputs } = model;
  const enumeration = enumerateHistories(environment);
  const needsThought = needsThoughtInput(model);
  const { actionHistory, outcomeHistory, length, outcomes } = enumeration;
  return {
    enumeration,
    limit(target, options) {
      // If the kernel depends on the state alone, conditioning on the thought cannot improve the limit.
      if (isEnumerable(environment) && !isHistoryDependent(environment)) {
        return limitOf(environment, enumerationOf(environment), target, options);
      }
      const usesThought = historyInputs.policy === "thought" || historyInputs.policy === "both";
      const groups = usesThought ? {} : { groups: enumeration.stateIndex };
      return limitByExpectationMaximisation(enumeration, target, { ...options, ...groups });
    },
    networkInputs(states) {
      return {
        index: states.map((state) => enumeration.stateIndex[state]),
        features: oneHotRows(firstSteps(outcomeHistory, length, states, length), outcomes),
        ...(needsThought && {
          thought: firstSteps(actionHistory, length, states, maxHistoryLength(environment)),
        }),
      };
    },
  };
}

/** The first `steps` of the `length` entries that a history has for each of these states, [states, steps]. */
function firstSteps(history: Int16Array, length: number, states: Int32Array, steps: number): Int32Array {
  const rows = new Int32Array(states.length * steps);
  states.forEach((state, row) => {
    rows.set(history.subarray(state * length, state * length + steps), row * steps);
  });
  return rows;
}
