// The log-probability with which a trained policy ends in an object, under the noise of the environment.
//
// A sequence is built in one order only, so its probability is a product over its letters x₁ … x_L:
//   P(x) = Π_t Σ_a π(a | x₁ … x_{t−1}) K(x_t | x₁ … x_{t−1}, a)
// for a policy that depends on the state, however long the sequence is. If the policy or the kernel K depends on earlier
// actions, P(x) is a sum over all action sequences. It is computed exactly if they are few, and otherwise by importance
// sampling: actions are drawn in proportion to π(a | history) K(x_t | history, a), and the weight of a draw is the
// product of the normalising sums. Its mean is P(x). For other environments, the enumeration gives all probabilities.

import type { EngineName } from "../../engine/index.ts";
import { isSequence } from "../environment/capabilities.ts";
import { isHistoryDependent } from "../environment/environment.ts";
import { isThoughtConditioned } from "../policy/history-embedding.ts";
import type { Model } from "../policy/model.ts";
import type { ActionConditions } from "../sampling/template.ts";
import { enumeratedLogProbability } from "./enumerated-log-probability.ts";
import { canEnumerateStates } from "./enumerated-states.ts";
import type { ModelParameters } from "./network-tables.ts";
import { knownKernel, sequenceLogProbability } from "./sequence-log-probability.ts";

/** The log-probability of an object, and how it was computed. */
export interface LogProbability {
  /** Natural logarithm of the probability that the policy ends in the object; −Infinity if it cannot. */
  readonly logProbability: number;
  /** `known`: with the kernel of the environment. `learned`: with the learned dynamics, because the environment does not
   * declare its kernel; the value is then the model's own probability. */
  readonly kernel: "known" | "learned";
  /** Whether the value is exact, apart from rounding. Otherwise it is an estimate by importance sampling. */
  readonly exact: boolean;
  /** Standard error of `logProbability`; only for an estimate. */
  readonly standardError?: number;
  /** Effective sample size, (Σ w)² / Σ w² over the weights w; only for an estimate. */
  readonly effectiveSampleSize?: number;
}

export interface LogProbabilityOptions {
  readonly model: Model;
  readonly parameters: ModelParameters;
  /** Whether the model has learned the dynamics. */
  readonly learnsDynamics: boolean;
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Largest number of action sequences over which the probability of an object is summed exactly. Default: 100,000. */
  readonly maxActionSequences?: number;
  /** Number of importance samples for each object. Default: 1000. */
  readonly samples?: number;
  /** Seed of the importance samples. Default: 0. */
  readonly seed?: number;
  /** Keeps the compiled program, for other parameters or conditions. Default: it is disposed together with the evaluator. */
  readonly programs?: ProgramStore;
  /** Log-probabilities of samples that were drawn under these conditions, instead of those of the policy. For sequences
   * whose probability is a product over the letters. Default: none. */
  readonly conditions?: ActionConditions;
}

/** Keeps programs by name and disposes them. */
export interface ProgramStore {
  once<P extends { dispose(): Promise<void> }>(name: string, create: () => Promise<P>): Promise<P>;
}

export interface LogProbabilityEvaluator {
  /** The log-probability of each object, given as text. Throws a RangeError for a text that is not an object. */
  logProbabilities(objects: readonly string[]): Promise<LogProbability[]>;
  dispose(): Promise<void>;
}

/** Up to this many states, all probabilities are computed at once, which is fast, and serves any number of objects. */
const MAX_TABULATED_STATES = 2 ** 20;

/** How the probability of an object is computed: as a product over its letters, from the enumeration of all states or
 * histories, or by a sum over the actions that may have led to it. Null if none is possible. */
export function logProbabilityMethod(
  model: Model,
  learnsDynamics: boolean,
): "product" | "enumeration" | "actions" | null {
  const { environment } = model;
  const hasKernel = isSequence(environment) && knownKernel(environment) !== null;
  const isLarge = environment.states > MAX_TABULATED_STATES;
  if (isProductOfLetters(model) && isLarge) return "product";
  if (canEnumerateStates(model)) return "enumeration";
  if (!isSequence(environment) || !(hasKernel || learnsDynamics)) return null;
  return dependsOnActions(model) ? "actions" : "product";
}

/** Whether the probability of an object is a product over its letters, with the kernel of the environment. */
export function isProductOfLetters(model: Model): boolean {
  const { environment } = model;
  return isSequence(environment) && knownKernel(environment) !== null && !dependsOnActions(model);
}

/** Whether the probability of a letter depends on earlier actions, and not on the earlier letters alone. */
function dependsOnActions(model: Model): boolean {
  return isHistoryDependent(model.environment) || isThoughtConditioned(model);
}

export async function logProbabilityEvaluator(
  options: LogProbabilityOptions,
): Promise<LogProbabilityEvaluator> {
  const { model, learnsDynamics } = options;
  const { environment } = model;
  const method = logProbabilityMethod(model, learnsDynamics);
  if (options.conditions && isProductOfLetters(model)) return sequenceLogProbability(options, "product");
  if (options.conditions) {
    throw new RangeError(
      `logProbability: a template or a temperature requires strings whose letters depend on the earlier letters alone, got ${environment.name}`,
    );
  }
  if (method === "enumeration") return enumeratedLogProbability(options);
  if (method === null) {
    throw new RangeError(
      isSequence(environment)
        ? `logProbability: the kernel must be known or learned, but ${environment.name} does not declare it and the objective learns no dynamics`
        : `logProbability: the objects must be sequences, or the states must be enumerable, got ${environment.name}`,
    );
  }
  return sequenceLogProbability(options, method);
}
