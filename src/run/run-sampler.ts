// Samples from a trained run, and its metrics: exact if the states can be enumerated, else estimated from samples.

import { RandomStream } from "../engine/index.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { type DistributionMetrics, distributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import { canEnumerateStates, enumeratedStates } from "../gfn/evaluate/enumerated-states.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { exactEvaluator, type LimitMetrics } from "../gfn/evaluate/exact-evaluator.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import type { Model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { type Sample, sampler } from "../gfn/sampling/sampler.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { normaliseRewards } from "../math/distances.ts";
import type { Task } from "../tasks/task.ts";

/** A trained model with its task, its training options and a snapshot. */
export interface TrainedModel {
  readonly model: Model;
  readonly task: Task;
  readonly options: TrainOptions;
  readonly snapshot: Snapshot;
}

export interface ScoredSample extends Sample {
  readonly score: number;
  /** Exact log-probability of the object under the environment's noise; null if the states cannot be enumerated. */
  readonly logProbability: number | null;
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
}

export interface RunSampler {
  /** The next samples of a sequence that the seed determines. The sequence does not depend on how it is divided into calls,
   * as long as every `count` except the last is a multiple of `SAMPLE_BATCH`. */
  sample(count: number): Promise<ScoredSample[]>;
  /** Exact metrics, or metrics of these samples. */
  metricsOf(samples: readonly ScoredSample[]): PolicyMetrics;
  dispose(): Promise<void>;
}

/** Objects that one program call samples. */
export const SAMPLE_BATCH = 512;

export async function runSampler(
  trained: TrainedModel,
  { seed, greedy }: { readonly seed: number; readonly greedy?: boolean },
): Promise<RunSampler> {
  const { model, task, options, snapshot } = trained;
  const { engine, threads, rewardExponent: exponent, rewardFloor: floor } = options;
  const reward = rewardTable(task.scores, { exponent, floor });
  const evaluated = canEnumerateStates(model)
    ? await evaluateExactly(trained, reward)
    : evaluateSamples(task, reward);
  const objects = await sampler(model, { engine, threads, batch: SAMPLE_BATCH, greedy });
  const stream = RandomStream.fromSeed(seed).split("samples");
  const { policy } = parametersOf(model, snapshot);
  return {
    metricsOf: evaluated.metricsOf,
    async sample(count) {
      const samples = await objects.sample(policy, count, stream);
      return samples.map((sample) => ({
        ...sample,
        object: task.decode(sample.terminal),
        score: task.scores[sample.terminal],
        logProbability: evaluated.terminals && Math.log(evaluated.terminals[sample.terminal]),
      }));
    },
    dispose: () => objects.dispose(),
  };
}

interface Evaluated extends Pick<RunSampler, "metricsOf"> {
  /** Exact probability of each object; null if it is unknown. */
  readonly terminals: Float64Array | null;
}

async function evaluateExactly(
  { model, options, snapshot }: TrainedModel,
  reward: Float64Array,
): Promise<Evaluated> {
  const { engine, threads, balance } = options;
  const evaluator = await exactEvaluator({
    model,
    reward,
    balance,
    usesDynamics: learnsDynamics(options),
    engine,
    threads,
  });
  try {
    const { limit, uniform } = evaluator;
    const { reached, terminals } = await evaluator.evaluate(parametersOf(model, snapshot));
    const metrics: PolicyMetrics = {
      exact: true,
      ...reached,
      limit: { ...distanceOf(limit), gap: limit.gap },
      uniform: distanceOf(uniform),
    };
    return { terminals, metricsOf: () => metrics };
  } finally {
    await evaluator.dispose();
  }
}

/** Metrics estimated from samples, if there are too many histories to enumerate. Those of the limit and of the uniform
 * policy are exact. */
function evaluateSamples({ environment }: Task, reward: Float64Array): Evaluated {
  return {
    terminals: null,
    metricsOf(samples) {
      const terminals = samples.map(({ terminal }) => terminal);
      const { tv, floor, samples: count } = sampledTotalVariation(terminals, normaliseRewards(reward).target);
      return {
        exact: false,
        ...{ tv, floor, samples: count, kl: null },
        expectedReward: terminals.reduce((sum, terminal) => sum + reward[terminal], 0) / count,
        ...{ pearson: null, spearman: null, logZError: null, dynamicsKl: null },
        ...limitMetrics(environment, reward),
      };
    },
  };
}

/** The limit of policies that depend on the state alone, or on the thought too, beside the uniform policy. */
export function limitMetrics(
  environment: Environment,
  reward: Float64Array,
  historyInputs?: "thought",
): Pick<PolicyMetrics, "limit" | "uniform"> {
  const states = enumeratedStates({ environment, historyInputs: { policy: historyInputs } });
  if (!states) throw new RangeError(`limitMetrics: internal: ${environment.name} has no enumeration`);
  const { target } = normaliseRewards(reward);
  const best = states.limit(target);
  const uniform = visitation(states.enumeration, uniformPolicy(states.enumeration)).terminals;
  return {
    limit: { ...distanceOf(distributionMetrics(target, reward, best.terminals)), gap: best.gap },
    uniform: distanceOf(distributionMetrics(target, reward, uniform)),
  };
}

function distanceOf({ tv, kl, expectedReward }: DistributionMetrics): Distance {
  return { tv, kl, expectedReward };
}

export function parametersOf(model: Model, { tensors }: Snapshot) {
  const dynamics = tensors.dynamics ?? new Float32Array(model.dynamicsLayout.size);
  return { policy: tensors.policy as Float32Array, dynamics: dynamics as Float32Array };
}
