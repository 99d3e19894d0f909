// The metrics of a trained policy beside the limit and the uniform policy: exact if the states can be enumerated, else
// estimated from samples.

import type { Programs } from "../engine/programs.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { type DistributionMetrics, distributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import { canEnumerateStates, enumeratedStates } from "../gfn/evaluate/enumerated-states.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { type ExactEvaluator, exactEvaluator, type LimitMetrics } from "../gfn/evaluate/exact-evaluator.ts";
import { type IllegalProbabilities, illegalProbabilities } from "../gfn/evaluate/illegal-probability.ts";
import type { KnownDistributions } from "../gfn/evaluate/mode-counts.ts";
import { rememberedLimit } from "../gfn/evaluate/remembered-limit.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import type { Model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import type { Sample } from "../gfn/sampling/sampler.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { normaliseRewards } from "../math/distances.ts";
import type { Task } from "../tasks/task.ts";
import { parametersOf } from "../trained/trained.ts";

/** A trained model with its task, its training options and a snapshot. */
export interface TrainedModel<T = Task> {
  readonly model: Model;
  readonly task: T;
  readonly options: TrainOptions;
  readonly snapshot: Snapshot;
}

export type Distance = Pick<DistributionMetrics, "tv" | "kl" | "expectedReward">;

/** Metrics of a policy beside the limit and the uniform policy. */
export interface PolicyMetrics {
  /** Whether the metrics of the policy are exact. Those of the limit and the uniform policy always are. */
  readonly exact: boolean;
  readonly tv: number;
  /** The total variation that a perfect sampler is expected to show; only for sampled metrics. */
  readonly floor?: number;
  /** The number of samples; only for sampled metrics. */
  readonly samples?: number;
  readonly kl: number | null;
  readonly expectedReward: number;
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly logZError: number | null;
  readonly dynamicsKl: number | null;
  readonly limit: Distance & Pick<LimitMetrics, "gap">;
  readonly uniform: Distance;
  /** Only if noise may write illegal strings and the metrics are exact. */
  readonly illegal?: IllegalProbabilities;
}

/** The metrics of a policy, with the exact distributions that they were computed from. */
export interface EvaluatedPolicy {
  readonly metrics: PolicyMetrics;
  readonly distributions: KnownDistributions;
}

/** Exact metrics if the states or histories can be enumerated, otherwise metrics of these samples. `programs` keeps the
 * compiled evaluator for other snapshots. */
export async function policyMetrics(
  trained: TrainedModel,
  samples: readonly Pick<Sample, "terminal">[],
  programs: Programs,
): Promise<EvaluatedPolicy> {
  const { model, task, options, snapshot } = trained;
  if (!canEnumerateStates(model)) {
    const reward = rewardOf(task, options);
    const { target } = normaliseRewards(reward);
    return { metrics: sampledMetrics(task, reward, samples), distributions: { target } };
  }
  const evaluator = await policyEvaluator(trained, programs);
  const { limit, uniform, target } = evaluator;
  const { reached, terminals } = await evaluator.evaluate(parametersOf(model, snapshot));
  const illegal = illegalProbabilities(task.environment, { ...evaluator.terminals, policy: terminals });
  const metrics: PolicyMetrics = {
    exact: true,
    ...reached,
    limit: { ...distanceOf(limit), gap: limit.gap },
    uniform: distanceOf(uniform),
    ...(illegal && { illegal }),
  };
  return { metrics, distributions: { target, policy: terminals } };
}

/** The compiled evaluator of exact metrics. */
export function policyEvaluator(
  { model, task, options }: Omit<TrainedModel, "snapshot">,
  programs: Programs,
): Promise<ExactEvaluator> {
  const { engine, threads, balance } = options;
  const usesDynamics = learnsDynamics(options);
  return programs.once("exact metrics", () =>
    exactEvaluator({ model, reward: rewardOf(task, options), balance, usesDynamics, engine, threads }),
  );
}

function rewardOf({ scores }: Task, { rewardExponent, rewardFloor }: TrainOptions): Float64Array {
  return rewardTable(scores, { exponent: rewardExponent, floor: rewardFloor });
}

/** Metrics estimated from samples, if there are too many histories to enumerate. Those of the limit and of the uniform
 * policy are exact. */
function sampledMetrics(
  { environment }: Task,
  reward: Float64Array,
  samples: readonly Pick<Sample, "terminal">[],
): PolicyMetrics {
  const terminals = samples.map(({ terminal }) => terminal);
  const { tv, floor, samples: count } = sampledTotalVariation(terminals, normaliseRewards(reward).target);
  return {
    exact: false,
    ...{ tv, floor, samples: count, kl: null },
    expectedReward: terminals.reduce((sum, terminal) => sum + reward[terminal], 0) / count,
    ...{ pearson: null, spearman: null, logZError: null, dynamicsKl: null },
    ...limitMetrics(environment, reward),
  };
}

/** The limit of policies that depend on the state alone, or on the thought too, beside the uniform policy. */
export function limitMetrics(
  environment: Environment,
  reward: Float64Array,
  historyInputs?: "thought",
): Pick<PolicyMetrics, "limit" | "uniform"> {
  const inputs = { policy: historyInputs };
  const states = enumeratedStates({ environment, historyInputs: inputs });
  if (!states) throw new RangeError(`limitMetrics: internal: ${environment.name} has no enumeration`);
  const { target } = normaliseRewards(reward);
  const best = rememberedLimit({ environment, historyInputs: inputs }, target, () => states.limit(target));
  const uniform = visitation(states.enumeration, uniformPolicy(states.enumeration)).terminals;
  return {
    limit: { ...distanceOf(distributionMetrics(target, reward, best.terminals)), gap: best.gap },
    uniform: distanceOf(distributionMetrics(target, reward, uniform)),
  };
}

function distanceOf({ tv, kl, expectedReward }: DistributionMetrics): Distance {
  return { tv, kl, expectedReward };
}
