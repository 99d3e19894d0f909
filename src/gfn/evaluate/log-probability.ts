// The log-probability with which a trained policy ends in an object, under the noise of the environment.
//
// A sequence is built in one order only, so its probability is a product over its letters x₁ … x_L:
//   P(x) = Π_t Σ_a π(a | x₁ … x_{t−1}) K(x_t | x₁ … x_{t−1}, a)
// for a policy that depends on the state, however long the sequence is. If the policy or the kernel K depends on earlier
// actions, P(x) is a sum over all action sequences. It is computed exactly if they are few, and otherwise by importance
// sampling: actions are drawn in proportion to π(a | history) K(x_t | history, a), and the weight of a draw is the
// product of the normalising sums. Its mean is P(x). For other environments, the enumeration gives all probabilities.

import { type EngineName, RandomStream } from "../../engine/index.ts";
import { isSequence } from "../environment/capabilities.ts";
import { isHistoryDependent } from "../environment/environment.ts";
import { isThoughtConditioned } from "../policy/history-embedding.ts";
import type { Model } from "../policy/model.ts";
import { enumeratedLogProbability } from "./enumerated-log-probability.ts";
import { canEnumerateStates } from "./enumerated-states.ts";
import type { ModelParameters } from "./network-tables.ts";
import {
  byImportanceSampling,
  byState,
  bySum,
  knownKernel,
  stepProbabilities,
} from "./sequence-log-probability.ts";
import { trajectoryLogits } from "./trajectory-logits.ts";

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
}

export interface LogProbabilityEvaluator {
  /** The log-probability of each object, given as text. Throws a RangeError for a text that is not an object. */
  logProbabilities(objects: readonly string[]): Promise<LogProbability[]>;
  dispose(): Promise<void>;
}

const MAX_ACTION_SEQUENCES = 1e5;
const DEFAULT_SAMPLES = 1000;
/** Bounds of the trajectories per program call, and of the features of all their states, which decide its memory. */
const MAX_ROWS = 128;
const MAX_FEATURES = 2 ** 23;

export async function logProbabilityEvaluator(
  options: LogProbabilityOptions,
): Promise<LogProbabilityEvaluator> {
  const { model, learnsDynamics } = options;
  const { environment } = model;
  const kernelOf = isSequence(environment) ? knownKernel(environment) : null;
  if (!kernelOf && canEnumerateStates(model)) return enumeratedLogProbability(options);
  if (!isSequence(environment)) {
    throw new RangeError(
      `logProbability: the objects must be sequences, or the states must be enumerable, got ${environment.name}`,
    );
  }
  if (!kernelOf && !learnsDynamics) {
    throw new RangeError(
      `logProbability: the kernel must be known or learned, but ${environment.name} does not declare it and the objective learns no dynamics`,
    );
  }
  const { maxActionSequences = MAX_ACTION_SEQUENCES, samples = DEFAULT_SAMPLES, seed = 0 } = options;
  const affordable = Math.floor(MAX_FEATURES / (environment.maxSteps * environment.features));
  const rows = Math.max(1, Math.min(MAX_ROWS, affordable));
  const network = await trajectoryLogits({ ...options, rows, usesDynamics: !kernelOf });
  const dependsOnActions = isHistoryDependent(environment) || isThoughtConditioned(model);
  const step = stepProbabilities(environment, kernelOf);
  const kernel = kernelOf ? "known" : "learned";
  return {
    async logProbabilities(objects) {
      const outcomes = objects.map((object) => environment.trajectoryOf(object, NO_CHOICE));
      if (!dependsOnActions) {
        const values = await byState(network, environment, outcomes, step);
        return values.map((logProbability) => ({ logProbability, kernel, exact: true }));
      }
      const results: LogProbability[] = [];
      for (const letters of outcomes) {
        const sequences = environment.outcomes ** Math.max(letters.length - 1, 0);
        if (sequences <= maxActionSequences) {
          const logProbability = await bySum(network, environment, letters, sequences, step);
          results.push({ logProbability, kernel, exact: true });
        } else {
          const stream = RandomStream.fromSeed(seed).split("logProbability");
          results.push({
            ...(await byImportanceSampling(network, environment, letters, samples, step, stream)),
            kernel,
            exact: false,
          });
        }
      }
      return results;
    },
    dispose: () => network.dispose(),
  };
}

/** `trajectoryOf` of a sequence draws nothing, because a sequence has a single trajectory. */
const NO_CHOICE = RandomStream.fromSeed(0);
