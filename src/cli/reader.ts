// A trained run that is looked at: measured exactly where that is possible, else by what is drawn from it.

import { RandomStream } from "../engine/index.ts";
import type { Environment } from "../gfn/environment.ts";
import { normalise } from "../gfn/evaluate/distances.ts";
import { uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { exactEvaluator, type LimitMeasures } from "../gfn/evaluate/exact-evaluator.ts";
import { canListStates, listedStates } from "../gfn/evaluate/listed-states.ts";
import { type Measures, measuresOf } from "../gfn/evaluate/measures.ts";
import { sampledTotalVariation } from "../gfn/evaluate/sampled.ts";
import type { Model } from "../gfn/model.ts";
import { rewardTable } from "../gfn/reward.ts";
import { type Sample, sampler } from "../gfn/sample.ts";
import { learnsDynamics } from "../gfn/settings.ts";
import type { Snapshot } from "../gfn/snapshot.ts";
import type { TrainOptions } from "../gfn/train.ts";
import type { Task } from "../tasks/task.ts";

/** A run as it is after some training. */
export interface Assessed {
  readonly model: Model;
  readonly task: Task;
  readonly options: TrainOptions;
  readonly snapshot: Snapshot;
}

export interface ScoredSample extends Sample {
  readonly score: number;
  /** Exact, under the environment's noise; null where that cannot be known. */
  readonly logProbability: number | null;
}

export type Distance = Pick<Measures, "tv" | "kl" | "expectedReward">;

/** What is known of a policy, and of what it is held against. */
export interface Figures {
  /** Otherwise the policy is known by its samples only; limit and uniform policy are exact all the same. */
  readonly exact: boolean;
  readonly tv: number;
  /** The total variation that a perfect sampler is expected to show; only with samples. */
  readonly floor?: number;
  /** How many; only with samples. */
  readonly samples?: number;
  readonly kl: number | null;
  readonly expectedReward: number;
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly logZError: number | null;
  readonly dynamicsKl: number | null;
  readonly limit: Distance & Pick<LimitMeasures, "gap">;
  readonly uniform: Distance;
}

/** A run that can be drawn from. */
export interface Reader {
  /** The next ones of a sequence that the seed decides. Whole batches keep it the same however it is divided. */
  draw(count: number): Promise<ScoredSample[]>;
  /** Exact, or else of these samples. */
  figuresOf(samples: readonly ScoredSample[]): Figures;
  dispose(): Promise<void>;
}

/** Objects drawn at once. */
export const BATCH = 512;

export async function readerOf(
  assessed: Assessed,
  { seed, greedy }: { readonly seed: number; readonly greedy?: boolean },
): Promise<Reader> {
  const { model, task, options, snapshot } = assessed;
  const { engine, threads } = options;
  const reward = rewardTable(task.scores, options.reward);
  const known = canListStates(model) ? await exactly(assessed, reward) : fromSamples(task, reward);
  const drawer = await sampler(model, { engine, threads, batch: BATCH, greedy });
  const stream = RandomStream.fromSeed(seed).split("samples");
  const { policy } = parametersOf(model, snapshot);
  return {
    figuresOf: known.figuresOf,
    async draw(count) {
      const samples = await drawer.draw(policy, count, stream);
      return samples.map((sample) => ({
        ...sample,
        object: task.decode(sample.terminal),
        score: task.scores[sample.terminal],
        logProbability: known.terminals && Math.log(known.terminals[sample.terminal]),
      }));
    },
    dispose: () => drawer.dispose(),
  };
}

interface Known extends Pick<Reader, "figuresOf"> {
  /** Probability of each object. */
  readonly terminals: Float64Array | null;
}

async function exactly({ model, options, snapshot }: Assessed, reward: Float64Array): Promise<Known> {
  const { engine, threads, objective } = options;
  const evaluator = await exactEvaluator({
    model,
    reward,
    balance: objective.balance,
    usesDynamics: learnsDynamics(objective),
    engine,
    threads,
  });
  try {
    const { limit, uniform } = evaluator;
    const { reached, terminals } = await evaluator.evaluate(parametersOf(model, snapshot));
    const figures: Figures = {
      exact: true,
      ...reached,
      limit: { ...distanceOf(limit), gap: limit.gap },
      uniform: distanceOf(uniform),
    };
    return { terminals, figuresOf: () => figures };
  } finally {
    await evaluator.dispose();
  }
}

/** What came before a state may be too much to list. What can be reached is known all the same. */
function fromSamples({ environment }: Task, reward: Float64Array): Known {
  return {
    terminals: null,
    figuresOf(samples) {
      const drawn = samples.map(({ terminal }) => terminal);
      const { tv, floor, samples: count } = sampledTotalVariation(drawn, normalise(reward).target);
      return {
        exact: false,
        ...{ tv, floor, samples: count, kl: null },
        expectedReward: drawn.reduce((sum, terminal) => sum + reward[terminal], 0) / count,
        ...{ pearson: null, spearman: null, logZError: null, dynamicsKl: null },
        ...reachable(environment, reward),
      };
    },
  };
}

/** The best that policies reach which read nothing, or only the thought if told so, beside the uniform policy. */
export function reachable(
  environment: Environment,
  reward: Float64Array,
  reads?: "thought",
): Pick<Figures, "limit" | "uniform"> {
  const states = listedStates({ environment, reads: { policy: reads } });
  if (!states) throw new RangeError(`reachable: internal: the states of ${environment.name} are not listed`);
  const { target } = normalise(reward);
  const best = states.limit(target);
  const uniform = visitation(states.listed, uniformPolicy(states.listed)).terminals;
  return {
    limit: { ...distanceOf(measuresOf(target, reward, best.terminals)), gap: best.gap },
    uniform: distanceOf(measuresOf(target, reward, uniform)),
  };
}

function distanceOf({ tv, kl, expectedReward }: Measures): Distance {
  return { tv, kl, expectedReward };
}

export function parametersOf(model: Model, { tensors }: Snapshot) {
  const dynamics = tensors.dynamics ?? new Float32Array(model.dynamicsLayout.size);
  return { policy: tensors.policy as Float32Array, dynamics: dynamics as Float32Array };
}
