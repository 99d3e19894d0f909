// Log-probabilities of objects in an environment whose states can be enumerated: dynamic programming gives the probability
// of every object at once.

import { RandomStream } from "../../engine/index.ts";
import { type Enumeration, terminalTarget } from "../environment/enumeration.ts";
import { type EnumeratedStates, enumeratedStates } from "./enumerated-states.ts";
import { visitation } from "./exact.ts";
import type { LogProbabilityEvaluator, LogProbabilityOptions } from "./log-probability.ts";
import { type NetworkTabulator, networkTabulator } from "./network-tables.ts";

export async function enumeratedLogProbability(
  options: LogProbabilityOptions,
): Promise<LogProbabilityEvaluator> {
  const { model, parameters, programs } = options;
  const { environment } = model;
  const states = statesOf(options);
  const { enumeration } = states;
  const tabulator = await policyTabulator(options, states);
  try {
    const { policy } = await tabulator.tabulate(parameters);
    const { terminals } = visitation(enumeration, policy);
    const stream = RandomStream.fromSeed(0);
    return {
      logProbabilities: async (objects) =>
        objects.map((object) => {
          // Several trajectories may lead to the object; any of them identifies it.
          const terminal = terminalAfter(enumeration, environment.trajectoryOf(object, stream));
          return { logProbability: Math.log(terminals[terminal]), kernel: "known", exact: true };
        }),
      dispose: async () => {},
    };
  } finally {
    if (!programs) await tabulator.dispose();
  }
}

/** The program that tabulates the policy: that of `programs`, if it is given, else a new one. */
export function policyTabulator(
  options: Pick<LogProbabilityOptions, "model" | "engine" | "threads" | "programs">,
  states = statesOf(options),
): Promise<NetworkTabulator> {
  const { model, engine, threads, programs } = options;
  const create = () => networkTabulator({ model, states, usesDynamics: false, engine, threads });
  return programs ? programs.once("tabulate", create) : create();
}

function statesOf({ model }: Pick<LogProbabilityOptions, "model">): EnumeratedStates {
  const states = enumeratedStates(model);
  if (states) return states;
  throw new RangeError(`enumeratedLogProbability: internal: ${model.environment.name} has no enumeration`);
}

/** The terminal object that these outcomes lead to, followed by a stop if the trajectory has not ended. */
export function terminalAfter(enumeration: Enumeration, outcomes: readonly number[]): number {
  const { actions, offsets, targets, outcome } = enumeration;
  const next = (state: number, wanted: number): number => {
    for (let i = offsets[state * actions]; i < offsets[(state + 1) * actions]; i++) {
      if (outcome[i] === wanted) return targets[i];
    }
    throw new RangeError(`terminalAfter: state ${state} has no outcome ${wanted}`);
  };
  const end = outcomes.reduce((state, wanted) => (state < 0 ? state : next(state, wanted)), 0);
  return terminalTarget(end < 0 ? end : next(end, -1));
}
