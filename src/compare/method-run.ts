// A running method of an experiment: a common interface of learned methods and searches, with the same exact metrics.

import { gflownetLearner, type Learner } from "../baselines/learner.ts";
import { ppoLearner } from "../baselines/ppo.ts";
import { realisedDistribution } from "../baselines/realised-distribution.ts";
import type { SavedSearch } from "../baselines/search.ts";
import type { EngineName } from "../engine/index.ts";
import { decodeState, encodeState } from "../formats/saved-state.ts";
import { type EnumerableEnvironment, enumerationOf, isEnumerable } from "../gfn/environment/environment.ts";
import { type DistributionMetrics, distributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import { kernelEntropy, uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../gfn/evaluate/exact-evaluator.ts";
import { limitOf } from "../gfn/evaluate/limit.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { normaliseRewards } from "../math/distances.ts";
import type { Task } from "../tasks/task.ts";
import {
  type CommonSettings,
  findMethod,
  type GflownetMethod,
  type PpoMethod,
  type SearchMethod,
} from "./methods.ts";

export interface MethodRunOptions {
  readonly task: Task;
  readonly method: string;
  readonly seed: number;
  readonly common: CommonSettings;
  readonly engine?: EngineName;
}

/** The result of a step. */
export interface MethodStep {
  /** Scored objects. */
  readonly terminals: Int32Array;
  /** 1 for each scored object that the method did not sample itself. Null if it sampled all. */
  readonly offPolicy: Uint8Array | null;
  /** Samples for the sampled total variation. Null for learned methods, which are evaluated exactly. */
  readonly samples: Int32Array | null;
  readonly loss: number | null;
  readonly dynamicsLoss: number | null;
  readonly entropyRatio: number | null;
}

/** Exact metrics. A metric is null if it cannot be computed. */
export interface ExactEvaluation {
  readonly metrics: DistributionMetrics | null;
  readonly dynamicsFloor: number | null;
}

export interface MethodRun {
  /** Oracle calls per step. */
  readonly batch: number;
  readonly target: Float64Array;
  readonly limit: DistributionMetrics;
  readonly uniform: DistributionMetrics;
  /** Whether the distance from the target is estimated from samples. */
  readonly evaluatedBySamples: boolean;
  step(iteration: number, progress: number): Promise<MethodStep>;
  evaluate(): Promise<ExactEvaluation>;
  /** The complete state between two steps, as bytes. */
  save(): Promise<Uint8Array>;
  /** Continues bit-identically from a state that a run with the same options saved. Throws if it does not fit. */
  restore(saved: Uint8Array): void;
  dispose(): Promise<void>;
}

export async function createMethodRun(options: MethodRunOptions): Promise<MethodRun> {
  const method = findMethod(options.method);
  const reward = rewardTable(options.task.scores, {
    exponent: options.common.rewardExponent,
    floor: options.common.rewardFloor,
  });
  if (method.kind === "search") return searchRun(method, options, reward);
  const plan = method.kind === "ppo" ? ppoPlan(method, options) : gflownetPlan(method, options);
  const learner = await plan.create();
  try {
    return await learnedRun(learner, { ...plan, reward, engine: options.engine });
  } catch (error) {
    await learner.dispose();
    throw error;
  }
}

/** A function that creates a learner, and the properties of the learner that its evaluation needs. */
interface LearnerPlan {
  readonly batch: number;
  readonly usesDynamics: boolean;
  create(): Promise<Learner>;
}

function gflownetPlan(method: GflownetMethod, { task, common, seed, engine }: MethodRunOptions): LearnerPlan {
  const { environment, scores } = task;
  const settings = method.settings(environment, common);
  return {
    batch: settings.batch,
    usesDynamics: learnsDynamics(settings),
    create: () => gflownetLearner({ ...settings, environment, scores, seed, engine, threads: 1 }),
  };
}

function ppoPlan(method: PpoMethod, { task, common, seed, engine }: MethodRunOptions): LearnerPlan {
  const { environment, scores } = task;
  const settings = method.settings(environment, common);
  return {
    batch: settings.batch,
    usesDynamics: false,
    create: () => ppoLearner({ environment, scores, settings, seed, engine, threads: 1 }),
  };
}

async function learnedRun(
  learner: Learner,
  {
    reward,
    batch,
    usesDynamics,
    engine,
  }: LearnerPlan & Pick<MethodRunOptions, "engine"> & { readonly reward: Float64Array },
): Promise<MethodRun> {
  const evaluator = await exactEvaluator({
    ...{ model: learner.model, reward, balance: "db", usesDynamics, engine, threads: 1 },
  });
  const { enumeration, target, limit, uniform } = evaluator;
  return {
    ...{ batch, target, limit, uniform, evaluatedBySamples: false },
    async step(iteration, progress) {
      return { ...(await learner.step(iteration, progress)), samples: null };
    },
    async evaluate() {
      const { reached, policy } = await evaluator.evaluate(await learner.parameters());
      const floor = usesDynamics
        ? kernelEntropy(enumeration, policy, visitation(enumeration, policy).states)
        : null;
      return { metrics: reached, dynamicsFloor: floor };
    },
    save: () => learner.save(),
    restore: (saved) => learner.restore(saved),
    async dispose() {
      await evaluator.dispose();
      await learner.dispose();
    },
  };
}

function searchRun(method: SearchMethod, { task, seed }: MethodRunOptions, reward: Float64Array): MethodRun {
  const { environment } = task;
  if (!isEnumerable(environment)) {
    throw new RangeError(
      `searches need states that can be enumerated, but those of ${environment.name} cannot`,
    );
  }
  const search = method.create({ environment, reward, seed });
  const enumeration = enumerationOf(environment);
  const { target } = normaliseRewards(reward);
  const metricsOf = (terminals: Float64Array) => distributionMetrics(target, reward, terminals);
  const distribution = method.intendsUniformly ? uniformDistribution(environment) : null;
  const evaluation = { metrics: distribution && metricsOf(distribution), dynamicsFloor: null };
  return {
    batch: method.batch,
    target,
    limit: metricsOf(limitOf(environment, enumeration, target).terminals),
    uniform: metricsOf(visitation(enumeration, uniformPolicy(enumeration)).terminals),
    evaluatedBySamples: distribution === null,
    async step() {
      return { ...search.step(), offPolicy: null, loss: null, dynamicsLoss: null, entropyRatio: null };
    },
    evaluate: async () => evaluation,
    async save() {
      const { arrays, ...data } = search.save();
      return encodeState(search.name, { arrays, data });
    },
    restore(saved) {
      const { arrays, data } = decodeState(search.name, saved, "the saved search");
      search.restore({ arrays, ...(data as object) } as SavedSearch);
    },
    dispose: async () => {},
  };
}

/** The realised distribution of uniform objects. Null if there are too many objects to compute it. */
function uniformDistribution(environment: EnumerableEnvironment): Float64Array | null {
  const { terminals } = enumerationOf(environment);
  try {
    return realisedDistribution(environment, new Float64Array(terminals).fill(1 / terminals));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
