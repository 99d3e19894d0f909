// A method in one cell, ready to step: learned and searching methods in one form, judged by the same exact numbers.

import { createGflownet, type Learner } from "../baselines/learner.ts";
import { createPpo } from "../baselines/ppo.ts";
import { realisedLaw } from "../baselines/realised-law.ts";
import { DEFAULT_BATCH } from "../baselines/search.ts";
import type { EngineName } from "../engine/index.ts";
import { type EnumerableEnvironment, listingOf } from "../gfn/environment.ts";
import { normalise } from "../gfn/evaluate/distances.ts";
import { kernelEntropy, uniformPolicy, visitation } from "../gfn/evaluate/exact.ts";
import { exactEvaluator } from "../gfn/evaluate/exact-evaluator.ts";
import { limitOf } from "../gfn/evaluate/limit.ts";
import { type Measures, measuresOf } from "../gfn/evaluate/measures.ts";
import { rewardTable } from "../gfn/reward.ts";
import { learnsDynamics } from "../gfn/settings.ts";
import type { ListedTask } from "../tasks/task.ts";
import {
  type CommonSettings,
  type GflownetMethod,
  methodNamed,
  type PpoMethod,
  type SearchMethod,
} from "./methods.ts";

export interface ContestantOptions {
  readonly task: ListedTask;
  readonly method: string;
  readonly seed: number;
  readonly common: CommonSettings;
  readonly engine?: EngineName;
}

/** What a step did. */
export interface Step {
  /** Objects that the oracle was asked for. */
  readonly terminals: Int32Array;
  /** Objects given for draws from the target, where a distribution is judged by those. */
  readonly samples: Int32Array | null;
  readonly loss: number | null;
  readonly dynamicsLoss: number | null;
  readonly entropyRatio: number | null;
}

/** What is known exactly of a method at one moment; null where it is not. */
export interface ExactFigures {
  readonly measures: Measures | null;
  readonly dynamicsFloor: number | null;
}

export interface Contestant {
  /** Oracle calls of a step. */
  readonly batch: number;
  readonly target: Float64Array;
  readonly limit: Measures;
  readonly uniform: Measures;
  /** Whether its distribution is judged by samples. */
  readonly sampled: boolean;
  step(iteration: number, progress: number): Promise<Step>;
  figures(): Promise<ExactFigures>;
  dispose(): Promise<void>;
}

export async function contestant(options: ContestantOptions): Promise<Contestant> {
  const method = methodNamed(options.method);
  const reward = rewardTable(options.task.scores, options.common.reward);
  if (method.kind === "search") return searching(method, options, reward);
  const learned = method.kind === "ppo" ? learnedByPpo(method, options) : learnedByFlows(method, options);
  const learner = await learned.create();
  try {
    return await judged(learner, { ...learned, reward, engine: options.engine });
  } catch (error) {
    await learner.dispose();
    throw error;
  }
}

/** How a learner is made, and what its evaluation must know. */
interface Learned {
  readonly batch: number;
  readonly usesDynamics: boolean;
  create(): Promise<Learner>;
}

function learnedByFlows(method: GflownetMethod, { task, common, seed, engine }: ContestantOptions): Learned {
  const { environment, scores } = task;
  const settings = method.settings(environment, common);
  return {
    batch: settings.batch,
    usesDynamics: learnsDynamics(settings.objective),
    create: () => createGflownet({ ...settings, environment, scores, seed, engine, threads: 1 }),
  };
}

function learnedByPpo(method: PpoMethod, { task, common, seed, engine }: ContestantOptions): Learned {
  const { environment, scores } = task;
  const settings = method.settings(environment, common);
  return {
    batch: settings.batch,
    usesDynamics: false,
    create: () => createPpo({ environment, scores, settings, seed, engine, threads: 1 }),
  };
}

async function judged(
  learner: Learner,
  {
    reward,
    batch,
    usesDynamics,
    engine,
  }: Learned & Pick<ContestantOptions, "engine"> & { readonly reward: Float64Array },
): Promise<Contestant> {
  const evaluator = await exactEvaluator({
    ...{ model: learner.model, reward, balance: "db", usesDynamics, engine, threads: 1 },
  });
  const { listed, target, limit, uniform } = evaluator;
  return {
    ...{ batch, target, limit, uniform, sampled: false },
    async step(iteration, progress) {
      return { ...(await learner.step(iteration, progress)), samples: null };
    },
    async figures() {
      const { reached, table } = await evaluator.evaluate(await learner.parameters());
      const floor = usesDynamics ? kernelEntropy(listed, table, visitation(listed, table).states) : null;
      return { measures: reached, dynamicsFloor: floor };
    },
    async dispose() {
      await evaluator.dispose();
      await learner.dispose();
    },
  };
}

function searching(
  method: SearchMethod,
  { task, seed }: ContestantOptions,
  reward: Float64Array,
): Contestant {
  const { environment } = task;
  const search = method.create({ environment, reward, seed });
  const listed = listingOf(environment);
  const { target } = normalise(reward);
  const measures = (terminals: Float64Array) => measuresOf(target, reward, terminals);
  const law = method.uniform ? uniformLaw(environment) : null;
  const figures = { measures: law && measures(law), dynamicsFloor: null };
  return {
    batch: DEFAULT_BATCH,
    target,
    limit: measures(limitOf(environment, listed, target).terminals),
    uniform: measures(visitation(listed, uniformPolicy(listed)).terminals),
    sampled: law === null,
    async step() {
      return { ...search.step(), loss: null, dynamicsLoss: null, entropyRatio: null };
    },
    figures: async () => figures,
    dispose: async () => {},
  };
}

/** Where uniform objects end; null where there are too many to know. */
function uniformLaw(environment: EnumerableEnvironment): Float64Array | null {
  const { terminals } = listingOf(environment);
  try {
    return realisedLaw(environment, new Float64Array(terminals).fill(1 / terminals));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
