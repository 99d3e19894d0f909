// Samples from a trained run, and its metrics: exact if the states can be enumerated, else estimated from samples.

import { RandomStream } from "../engine/index.ts";
import type { Environment } from "../gfn/environment/environment.ts";
import { type DistributionMetrics, distributionMetrics } from "../gfn/evaluate/distribution-metrics.ts";
import { canEnumerateStates, enumeratedStates } from "../gfn/evaluate/enumerated-states.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { exactEvaluator, type LimitMetrics } from "../gfn/evaluate/exact-evaluator.ts";
import { rememberedLimit } from "../gfn/evaluate/remembered-limit.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampling-floor.ts";
import type { Model } from "../gfn/policy/model.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { type Sample, sampler } from "../gfn/sampling/sampler.ts";
import { learnsDynamics } from "../gfn/training/settings.ts";
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

/** The programs of a sampler, which can be compiled before training ends. */
export interface SamplerPrograms {
  /** Whether metrics are exact, which takes an evaluation for each snapshot. */
  readonly exact: boolean;
  sampler(snapshot: Snapshot, seed: number): Promise<Omit<RunSampler, "dispose">>;
  /** Does the work of `sample` and of metrics that are not exact, with untrained networks. */
  rehearse(count: number): Promise<ScoredSample[]>;
  dispose(): Promise<void>;
}

export async function runSampler(
  trained: TrainedModel,
  { seed, greedy }: { readonly seed: number; readonly greedy?: boolean },
): Promise<RunSampler> {
  const programs = await samplerPrograms(trained, greedy);
  try {
    return { ...(await programs.sampler(trained.snapshot, seed)), dispose: programs.dispose };
  } catch (error) {
    await programs.dispose();
    throw error;
  }
}

/** Does everything that does not depend on the trained parameters: compiles programs, and computes the limit. */
export async function samplerPrograms(
  untrained: Omit<TrainedModel, "snapshot">,
  greedy?: boolean,
): Promise<SamplerPrograms> {
  const { model, task, options } = untrained;
  const { engine, threads, rewardExponent: exponent, rewardFloor: floor } = options;
  const reward = rewardTable(task.scores, { exponent, floor });
  const evaluated = canEnumerateStates(model)
    ? await evaluateExactly(untrained, reward)
    : evaluateSamples(task, reward);
  try {
    const objects = await sampler(model, { engine, threads, batch: SAMPLE_BATCH, greedy });
    const samplesOf = (policy: Float32Array, seed: number, terminals: Float64Array | null) => {
      const stream = RandomStream.fromSeed(seed).split("samples");
      return async (count: number): Promise<ScoredSample[]> => {
        const samples = await objects.sample(policy, count, stream);
        return samples.map((sample) => ({
          ...sample,
          object: task.decode(sample.terminal),
          score: task.scores[sample.terminal],
          logProbability: terminals && Math.log(terminals[sample.terminal]),
        }));
      };
    };
    return {
      exact: evaluated.exact,
      async sampler(snapshot, seed) {
        const { metricsOf, terminals } = await evaluated.evaluate(snapshot);
        return { metricsOf, sample: samplesOf(parametersOf(model, snapshot).policy, seed, terminals) };
      },
      async rehearse(count) {
        const samples = await samplesOf(new Float32Array(model.policyLayout.size), 0, null)(count);
        evaluated.rehearse(samples);
        return samples;
      },
      async dispose() {
        await objects.dispose();
        await evaluated.dispose();
      },
    };
  } catch (error) {
    await evaluated.dispose();
    throw error;
  }
}

interface Evaluated extends Pick<RunSampler, "metricsOf"> {
  /** Exact probability of each object; null if it is unknown. */
  readonly terminals: Float64Array | null;
}

/** A way to evaluate snapshots. */
interface SnapshotEvaluator {
  readonly exact: boolean;
  evaluate(snapshot: Snapshot): Promise<Evaluated>;
  /** Does the work of metrics that need no evaluation. */
  rehearse(samples: readonly ScoredSample[]): void;
  dispose(): Promise<void>;
}

async function evaluateExactly(
  { model, options }: Omit<TrainedModel, "snapshot">,
  reward: Float64Array,
): Promise<SnapshotEvaluator> {
  const { engine, threads, balance } = options;
  const usesDynamics = learnsDynamics(options);
  const evaluator = await exactEvaluator({ model, reward, balance, usesDynamics, engine, threads });
  const { limit, uniform } = evaluator;
  return {
    exact: true,
    async evaluate(snapshot) {
      const { reached, terminals } = await evaluator.evaluate(parametersOf(model, snapshot));
      const metrics: PolicyMetrics = {
        exact: true,
        ...reached,
        limit: { ...distanceOf(limit), gap: limit.gap },
        uniform: distanceOf(uniform),
      };
      return { terminals, metricsOf: () => metrics };
    },
    rehearse() {},
    dispose: () => evaluator.dispose(),
  };
}

/** Metrics estimated from samples, if there are too many histories to enumerate. Those of the limit and of the uniform
 * policy are exact. */
function evaluateSamples({ environment }: Task, reward: Float64Array): SnapshotEvaluator {
  const others = once(() => limitMetrics(environment, reward));
  const metricsOf = (samples: readonly ScoredSample[]): PolicyMetrics => {
    const terminals = samples.map(({ terminal }) => terminal);
    const { tv, floor, samples: count } = sampledTotalVariation(terminals, normaliseRewards(reward).target);
    return {
      exact: false,
      ...{ tv, floor, samples: count, kl: null },
      expectedReward: terminals.reduce((sum, terminal) => sum + reward[terminal], 0) / count,
      ...{ pearson: null, spearman: null, logZError: null, dynamicsKl: null },
      ...others(),
    };
  };
  return {
    exact: false,
    evaluate: async () => ({ terminals: null, metricsOf }),
    rehearse: metricsOf,
    dispose: async () => {},
  };
}

function once<T extends object>(compute: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= compute());
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

export function parametersOf(model: Model, { tensors }: Snapshot) {
  const dynamics = tensors.dynamics ?? new Float32Array(model.dynamicsLayout.size);
  return { policy: tensors.policy as Float32Array, dynamics: dynamics as Float32Array };
}
