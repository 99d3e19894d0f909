// The log-probability under a policy and the log reward of objects that are given as texts.

import { type EngineName, RandomStream } from "../../engine/index.ts";
import { Programs } from "../../engine/programs.ts";
import { UserError } from "../../issues.ts";
import { type Environment, enumerationOf, isEnumerable } from "../environment/environment.ts";
import type { CachedScoreFunction } from "../reward/cached-score-function.ts";
import { DEFAULT_FLOOR, logReward, type RewardOptions } from "../reward/reward.ts";
import { terminalAfter } from "./enumerated-log-probability.ts";
import type { LogPair } from "./held-out.ts";
import { logProbabilityEvaluator, logProbabilityMethod, type ProgramStore } from "./log-probability.ts";
import type { EvaluatedModel } from "./model-evaluator.ts";
import type { ModelParameters } from "./network-tables.ts";

export interface LogPairEvaluator {
  /** The logarithms of the objects, in their order. Throws a UserError if a text is not an object. */
  logPairs(parameters: ModelParameters, objects: readonly string[]): Promise<LogPair[]>;
  dispose(): Promise<void>;
}

export interface LogPairOptions {
  /** How scores of a function become rewards. */
  readonly transform: RewardOptions;
  readonly engine?: EngineName;
  readonly threads?: number;
  /** Keeps the compiled program. Default: it is disposed together with the evaluator. */
  readonly programs?: ProgramStore;
}

/** Throws a UserError if the log-probabilities of this policy are not exact. `path` names the option with the objects. */
export function logPairEvaluator(
  { model, learnsDynamics, reward, oracle }: EvaluatedModel,
  { transform, engine, threads, programs: given }: LogPairOptions,
  path: string,
): LogPairEvaluator {
  const { environment } = model;
  const method = logProbabilityMethod(model, learnsDynamics);
  if (method !== "product" && method !== "enumeration") {
    const message = `must be left out, because the policy is conditioned on the actions or the kernel of ${environment.name} is not known, so that log-probabilities are not exact`;
    throw new UserError([{ path, code: "unsupported", message }]);
  }
  const ownPrograms = new Programs();
  const programs = given ?? ownPrograms;
  const logRewards = async (objects: readonly string[]) =>
    oracle
      ? logRewardsOfScores(oracle, objects, transform)
      : Float64Array.from(objects, (object) =>
          Math.log((reward as Float64Array)[terminalOf(environment, object)]),
        );
  return {
    async logPairs(parameters, objects) {
      checkObjects(environment, objects, path);
      const rewards = await logRewards(objects);
      const options = { model, parameters, learnsDynamics, engine, threads, programs };
      const evaluator = await logProbabilityEvaluator(options);
      const logs = await evaluator.logProbabilities(objects);
      return logs.map(({ logProbability }, i) => ({ logProbability, logReward: rewards[i] }));
    },
    dispose: () => ownPrograms.dispose(),
  };
}

async function logRewardsOfScores(
  oracle: CachedScoreFunction,
  objects: readonly string[],
  { exponent = 1, floor = DEFAULT_FLOOR, largest = 1 }: RewardOptions,
): Promise<Float64Array> {
  return (await oracle.scores(objects)).map((score) => logReward(score, exponent, floor, largest));
}

/** The index of an object in the table of scores. */
function terminalOf(environment: Environment, object: string): number {
  if (!isEnumerable(environment)) {
    throw new Error(`internal: ${environment.name} has a table of scores, but no enumeration`);
  }
  const outcomes = environment.trajectoryOf(object, RandomStream.fromSeed(0));
  return terminalAfter(enumerationOf(environment), outcomes);
}

/** Largest number of wrong objects that the error lists. */
const MOST_ISSUES = 10;

/** Throws a UserError that names the texts that are not objects. */
function checkObjects(environment: Environment, objects: readonly string[], path: string): void {
  const stream = RandomStream.fromSeed(0);
  const issues = objects.flatMap((object) => {
    try {
      environment.trajectoryOf(object, stream);
      return [];
    } catch (error) {
      return [{ path, code: "range", message: (error as Error).message }];
    }
  });
  if (issues.length > 0) throw new UserError(issues.slice(0, MOST_ISSUES));
}
