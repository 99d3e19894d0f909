// Log-probabilities of sequences under a policy and a kernel, from the network outputs along their trajectories.
//
// `byState`, `bySum` and `byImportanceSampling` are the three methods; log-probability.ts explains them.

import { RandomStream } from "../../engine/index.ts";
import { effectiveSampleSize } from "../../math/effective-sample-size.ts";
import { indexSampler } from "../../math/index-sampler.ts";
import { logSumExp, softmax } from "../../math/softmax.ts";
import { mean, standardDeviation, sum } from "../../math/statistics.ts";
import { type Environment, isHistoryDependent } from "../environment/environment.ts";
import type { ActionConditions } from "../sampling/template.ts";
import type { LogProbability, LogProbabilityEvaluator, LogProbabilityOptions } from "./log-probability.ts";
import {
  type GivenTrajectories,
  type StepOutputs,
  type TrajectoryLogits,
  trajectoryLogits,
} from "./trajectory-logits.ts";

const MAX_ACTION_SEQUENCES = 1e5;
const DEFAULT_SAMPLES = 1000;
/** Bounds of the trajectories per program call, and of the numbers of all their states, which decide its memory: the
 * features, or about four numbers per earlier step where the networks read the letters of long sequences. */
const MAX_ROWS = 128;
const MAX_NUMBERS = 2 ** 23;
const NUMBERS_PER_STEP = 4;

/** `product`: policy and kernel depend on the letters alone. `actions`: they may depend on earlier actions. */
export async function sequenceLogProbability(
  options: LogProbabilityOptions,
  method: "product" | "actions",
): Promise<LogProbabilityEvaluator> {
  const { environment } = options.model;
  const kernelOf = knownKernel(environment);
  const { maxActionSequences = MAX_ACTION_SEQUENCES, samples = DEFAULT_SAMPLES, seed = 0 } = options;
  const program = await trajectoryProgram(options);
  const network: Network = {
    rows: program.rows,
    run: (trajectories) => program.run(options.parameters, trajectories),
  };
  const step = stepProbabilities(environment, kernelOf, options.conditions);
  const kernel = kernelOf ? "known" : "learned";
  return {
    async logProbabilities(objects) {
      const outcomes = objects.map((object) => environment.trajectoryOf(object, NO_CHOICE));
      if (method === "product") {
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
    dispose: async () => {
      if (!options.programs) await program.dispose();
    },
  };
}

/** The compiled networks with the parameters that are evaluated. */
type Network = Pick<TrajectoryLogits, "rows"> & {
  run(trajectories: GivenTrajectories): Promise<StepOutputs>;
};

/** The program that evaluates the networks along trajectories: that of `programs`, if it is given, else a new one. */
export function trajectoryProgram(
  options: Pick<LogProbabilityOptions, "model" | "engine" | "threads" | "programs">,
): Promise<TrajectoryLogits> {
  const { model, engine, threads, programs } = options;
  const { environment } = model;
  const perState = Math.min(environment.features, NUMBERS_PER_STEP * environment.maxSteps);
  const affordable = Math.floor(MAX_NUMBERS / (environment.maxSteps * perState));
  const rows = Math.max(1, Math.min(MAX_ROWS, affordable));
  const usesDynamics = knownKernel(environment) === null;
  const create = () => trajectoryLogits({ model, rows, usesDynamics, engine, threads });
  return programs ? programs.once("trajectory-logits", create) : create();
}

/** `trajectoryOf` of a sequence draws nothing, because a sequence has a single trajectory. */
const NO_CHOICE = RandomStream.fromSeed(0);

/** The kernel after a history, [actions without the stop · outcomes], row by row. */
type Kernel = (actions: readonly number[], outcomes: readonly number[]) => Float64Array;

export function knownKernel(environment: Environment): Kernel | null {
  if (isHistoryDependent(environment)) return environment.kernelAfter.bind(environment);
  const { kernelAt } = environment;
  return kernelAt ? (_, outcomes) => kernelAt(outcomes) : null;
}

/** π(a | history) K(c | history, a) of every action except the stop, for the observed outcome c of step t. For the step
 * after the last letter of a sequence of variable length, a single entry with the probability of the stop. */
type StepProbabilities = (
  outputs: StepOutputs,
  place: { readonly t: number; readonly row: number; readonly rows: number },
  actions: readonly number[],
  outcomes: readonly number[],
) => Float64Array;

function stepProbabilities(
  environment: Environment,
  kernelOf: Kernel | null,
  conditions?: ActionConditions,
): StepProbabilities {
  const { actions: A, outcomes: C } = environment;
  return ({ logits, allowed, logDynamics }, { t, row, rows }, actions, outcomes) => {
    const position = t * rows + row;
    const from = position * A;
    const mayTake = (a: number) =>
      allowed[from + a] > 0 && (!conditions || conditions.allowed[t * A + a] > 0);
    const stepLogits = logits.subarray(from, from + A);
    const policy = softmax(
      conditions ? Float64Array.from(stepLogits, (x) => x / conditions.temperature) : stepLogits,
      mayTake,
    );
    if (t === outcomes.length) return Float64Array.of(policy[A - 1]);
    const before = outcomes.slice(0, t);
    const kernel = kernelOf?.(actions.slice(0, t), before);
    const probability = (a: number) =>
      kernel
        ? kernel[a * C + outcomes[t]]
        : Math.exp((logDynamics as Float32Array)[(position * C + a) * C + outcomes[t]]);
    return Float64Array.from({ length: C }, (_, a) => policy[a] * probability(a));
  };
}

/** Number of steps of the trajectory of a sequence, including the stop. */
function stepsOf({ hasStop }: Environment, letters: readonly number[]): number {
  return letters.length + (hasStop ? 1 : 0);
}

/** A policy and a kernel that depend on the outcomes alone: the sum over actions factorises over the steps. */
async function byState(
  network: Network,
  environment: Environment,
  sequences: readonly (readonly number[])[],
  probabilities: StepProbabilities,
): Promise<number[]> {
  const results: number[] = [];
  for (let from = 0; from < sequences.length; from += network.rows) {
    const chunk = sequences.slice(from, from + network.rows);
    const outputs = await network.run(
      trajectories(
        environment,
        network.rows,
        chunk.map((outcomes) => ({ outcomes, actions: outcomes })),
      ),
    );
    chunk.forEach((outcomes, row) => {
      let log = 0;
      for (let t = 0; t < stepsOf(environment, outcomes); t++) {
        log += Math.log(sum(probabilities(outputs, { t, row, rows: network.rows }, outcomes, outcomes)));
      }
      results.push(log);
    });
  }
  return results;
}

/** Sums over all sequences of the actions before the last letter; the action of the last letter is summed in its step. */
async function bySum(
  network: Network,
  environment: Environment,
  outcomes: readonly number[],
  sequences: number,
  probabilities: StepProbabilities,
): Promise<number> {
  const { outcomes: C } = environment;
  // The last action matters only as the history of a stop.
  const count = environment.hasStop ? sequences * (outcomes.length > 0 ? C : 1) : sequences;
  const length = environment.hasStop ? outcomes.length : Math.max(outcomes.length - 1, 0);
  const logs = new Float64Array(count);
  for (let from = 0; from < count; from += network.rows) {
    const size = Math.min(network.rows, count - from);
    const chunk = Array.from({ length: size }, (_, i) => ({
      outcomes,
      actions: digits(from + i, C, length),
    }));
    const outputs = await network.run(trajectories(environment, network.rows, chunk));
    chunk.forEach(({ actions }, row) => {
      let log = 0;
      for (let t = 0; t < stepsOf(environment, outcomes); t++) {
        const each = probabilities(outputs, { t, row, rows: network.rows }, actions, outcomes);
        log += Math.log(t < length ? each[actions[t]] : sum(each));
      }
      logs[from + row] = log;
    });
  }
  return logSumExp(logs);
}

interface ImportanceEstimate {
  /** Logarithm of the mean weight. */
  readonly logProbability: number;
  /** Standard error of the logarithm, to first order. */
  readonly standardError: number;
  readonly effectiveSampleSize: number;
}

async function byImportanceSampling(
  network: Network,
  environment: Environment,
  outcomes: readonly number[],
  samples: number,
  probabilities: StepProbabilities,
  stream: RandomStream,
): Promise<ImportanceEstimate> {
  const logs = new Float64Array(samples);
  for (let from = 0; from < samples; from += network.rows) {
    const size = Math.min(network.rows, samples - from);
    const chunk = Array.from({ length: size }, () => ({ outcomes, actions: [] as number[] }));
    for (let t = 0; t < stepsOf(environment, outcomes); t++) {
      const outputs = await network.run(trajectories(environment, network.rows, chunk));
      chunk.forEach(({ actions }, row) => {
        const each = probabilities(outputs, { t, row, rows: network.rows }, actions, outcomes);
        const sampler = indexSampler(each);
        logs[from + row] += Math.log(sampler.sum);
        actions.push(sampler.indexOf(stream.uniform()));
      });
    }
  }
  const logMean = logSumExp(logs) - Math.log(samples);
  if (logMean === Number.NEGATIVE_INFINITY) {
    return { logProbability: logMean, standardError: 0, effectiveSampleSize: 0 };
  }
  const weights = logs.map((log) => Math.exp(log - logMean)); // their mean is 1
  const average = mean(weights);
  return {
    logProbability: logMean,
    standardError: standardDeviation(weights) / (average * Math.sqrt(samples)),
    effectiveSampleSize: effectiveSampleSize(logs),
  };
}

/** Rows as index arrays. The stop follows the last letter; rows that are not used stay empty. */
function trajectories(
  environment: Environment,
  rows: number,
  given: readonly { readonly outcomes: readonly number[]; readonly actions: readonly number[] }[],
) {
  const { maxSteps: T, actions: A, hasStop } = environment;
  const actions = new Int32Array(T * rows).fill(-1);
  const outcomes = new Int32Array(T * rows).fill(-1);
  given.forEach((trajectory, row) => {
    trajectory.outcomes.forEach((outcome, t) => {
      outcomes[t * rows + row] = outcome;
      actions[t * rows + row] = trajectory.actions[t] ?? -1;
    });
    if (hasStop) actions[trajectory.outcomes.length * rows + row] = A - 1;
  });
  return { actions, outcomes };
}

/** The digits of a number in a base, least significant first. */
function digits(value: number, base: number, length: number): number[] {
  const result: number[] = [];
  for (let rest = value; result.length < length; rest = Math.floor(rest / base)) result.push(rest % base);
  return result;
}
