// A run that is open for views: its checkpoint, and the tables and programs that several views share.
//
// The last few runs stay open, because a page asks for one view of a run after the other. A run whose files have changed
// is opened again.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { RandomStream } from "../engine/index.ts";
import { Programs } from "../engine/programs.ts";
import { hasAllStrings } from "../gfn/environment/capabilities.ts";
import type { Enumeration } from "../gfn/environment/enumeration.ts";
import { enumerationOf, isEnumerable } from "../gfn/environment/environment.ts";
import { enumerateSequences } from "../gfn/environment/sequence-states.ts";
import { type EnumeratedStates, enumeratedStates } from "../gfn/evaluate/enumerated-states.ts";
import { type Visitation, visitation } from "../gfn/evaluate/exact.ts";
import { logProbabilityMethod } from "../gfn/evaluate/log-probability.ts";
import {
  type ModelParameters,
  type NetworkTables,
  networkTabulator,
} from "../gfn/evaluate/network-tables.ts";
import { type TrajectoryLogits, trajectoryLogits } from "../gfn/evaluate/trajectory-logits.ts";
import { learnsDynamics } from "../gfn/objectives/objective.ts";
import { logReward, rewardTable } from "../gfn/reward/reward.ts";
import type { Sample } from "../gfn/sampling/sampler.ts";
import { normaliseRewards } from "../math/distances.ts";
import { RUN_FILES } from "../run/run-files.ts";
import { runInside } from "../run/run-folder.ts";
import { openTrainedRun, type TrainedRun } from "../run/trained-run.ts";
import type { Task } from "../tasks/task.ts";
import { modelSampler, NO_STORAGE, parametersOf, type Trained, trainedModel } from "../trained/trained.ts";
import { designReward } from "./design-reward.ts";
import { type Labels, labelsOf } from "./labels.ts";
import { isTabulable, limitFor, MOST_STATES, type ReachedLimit } from "./run-limit.ts";
import { sampledFromTables } from "./table-samples.ts";

/** The policy, and the dynamics model if there is one, in every state, with the visits of the policy. */
export interface PolicyTables extends NetworkTables {
  readonly enumeration: Enumeration;
  readonly visits: Visitation;
}

/** A target whose objects are all known. */
export interface KnownTarget {
  readonly reward: Float64Array;
  /** Probability of each object. */
  readonly target: Float64Array;
  readonly logZ: number;
}

/** Objects that the score function of the run has scored, in the order in which it did. */
export interface ScoredObjects {
  readonly objects: readonly string[];
  readonly scores: Float64Array;
  readonly logRewards: Float64Array;
  /** What the reader must know about the rewards. */
  readonly notes: readonly string[];
}

/** What the views of states and objects need: also a policy that is on no disk has it. */
export type EnumeratedRun = Pick<
  OpenedRun,
  "labels" | "known" | "tables" | "limit" | "objectEnumeration" | "samples"
> & { readonly task: Pick<Task, "environment" | "decode"> };

export interface OpenedRun extends TrainedRun {
  /** The folder of the run, or of the design that it is in. */
  readonly entryFolder: string;
  readonly parameters: ModelParameters;
  readonly trained: Trained;
  readonly labels: Labels;
  readonly learnsDynamics: boolean;
  /** Null if the reward of some object is not known. */
  readonly known: KnownTarget | null;
  /** Null if a table has the scores. */
  scored(): Promise<ScoredObjects | null>;
  /** Exact tables; null if there are too many states or histories, or if they cannot be enumerated. */
  tables(): Promise<PolicyTables | null>;
  /** The best reachable policy; null if it is not known. */
  limit(): ReachedLimit | null;
  /** An enumeration in which objects have the indices of `known`, and each outcome of a state leads to one node. */
  objectEnumeration(): Enumeration | null;
  /** Samples of the policy. The same count and seed give the same ones. */
  samples(count: number, seed?: number): Promise<readonly Sample[]>;
  /** The score of a sample; null if it is not known. */
  scoreOf(sample: Sample): number | null;
  /** Exact log-probabilities of samples; null where they would have to be estimated. */
  logProbabilities(samples: readonly Sample[]): Promise<(number | null)[]>;
  /** The program that evaluates the networks along trajectories. */
  trajectoryProgram(): Promise<TrajectoryLogits>;
  dispose(): Promise<void>;
}

/** Up to this many numbers, the learned dynamics are tabulated too. */
const MOST_DYNAMICS = 2 ** 26;
/** Trajectories of a call of the trajectory program, and the numbers of all their states, which decide its memory. */
const [TRAJECTORIES, MOST_NUMBERS] = [64, 2 ** 23];
/** Runs that stay open. */
const OPEN_RUNS = 2;

interface Entry {
  readonly stamp: string;
  readonly run: OpenedRun;
}

const open = new Map<string, Entry>();

/** The run in a folder, or inside a design folder. Calls must not overlap: opening one run may close another. */
export async function openedRun(folder: string): Promise<OpenedRun> {
  const path = await runInside(folder);
  const stamps = await stampsOf(path);
  const stamp = Object.values(stamps).join(", ");
  const entry = open.get(path);
  open.delete(path);
  if (entry?.stamp === stamp) {
    open.set(path, entry); // the last one used is the last one closed
    return entry.run;
  }
  await entry?.run.dispose();
  const run = runForViews(await openTrainedRun(path), folder, stamps.task);
  open.set(path, { stamp, run });
  for (const [oldest, { run }] of open) {
    if (open.size <= OPEN_RUNS) break;
    open.delete(oldest);
    await run.dispose();
  }
  return run;
}

/** Closes all runs and frees their programs. */
export async function closeRuns(): Promise<void> {
  const entries = [...open.values()];
  open.clear();
  for (const { run } of entries) await run.dispose();
}

/** For each file that a run is read from, a text that changes with the file. */
async function stampsOf(folder: string): Promise<Record<"config" | "task" | "checkpoint", string>> {
  const stampOf = (file: keyof typeof RUN_FILES) =>
    stat(join(folder, RUN_FILES[file])).then(
      ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
      () => "none",
    );
  const [config, task, checkpoint] = await Promise.all([
    stampOf("config"),
    stampOf("task"),
    stampOf("checkpoint"),
  ]);
  return { config, task, checkpoint };
}

function runForViews(opened: TrainedRun, entryFolder: string, taskStamp: string): OpenedRun {
  // One thread, so that a run that trains at the same time keeps the others.
  const options = { ...opened.options, threads: 1 };
  const { model, snapshot, task } = opened;
  const { environment } = task;
  const { engine, threads } = options;
  const programs = new Programs();
  const parameters = parametersOf(model, snapshot);
  const usesDynamics = learnsDynamics(options);
  const trained = trainedModel({ options, snapshot, events: [] }, NO_STORAGE);
  const table: Float64Array | null = options.scores instanceof Float64Array ? options.scores : null;
  const { rewardExponent: exponent, rewardFloor: floor, largestScore: largest = 1 } = options;
  const reward = table && rewardTable(table, { exponent, floor });
  const known = reward && { reward, ...normaliseRewards(reward) };
  const scores = new Map(snapshot.oracle?.objects.map((object, i) => [object, snapshot.oracle?.scores[i]]));
  const remembered = new Map<string, Promise<unknown>>();
  const once = <T>(name: string, compute: () => Promise<T>): Promise<T> => {
    const result = (remembered.get(name) as Promise<T> | undefined) ?? compute();
    remembered.set(name, result);
    result.catch(() => remembered.delete(name));
    return result;
  };

  const run: OpenedRun = {
    ...opened,
    options,
    entryFolder,
    parameters,
    trained,
    labels: labelsOf(environment),
    learnsDynamics: usesDynamics,
    known,
    scored: () =>
      once("scored", async () => {
        if (!snapshot.oracle) return null;
        const { objects, scores: all } = snapshot.oracle;
        const { logRewardOf, notes } = (await designReward(entryFolder, environment, snapshot.oracle)) ?? {
          logRewardOf: (score: number) => logReward(score, exponent, floor, largest),
          notes: [],
        };
        const finite = [...objects.keys()].filter((i) => Number.isFinite(all[i]));
        return {
          objects: finite.map((i) => objects[i]),
          scores: Float64Array.from(finite, (i) => all[i]),
          logRewards: Float64Array.from(finite, (i) => logRewardOf(all[i])),
          notes,
        };
      }),
    tables: () =>
      once("tables", async () => {
        if (!isTabulable(model)) return null;
        const states = enumeratedStates(model) as EnumeratedStates;
        const { enumeration } = states;
        const fits = enumeration.states * enumeration.outcomes ** 2 <= MOST_DYNAMICS;
        const tabulator = await networkTabulator({
          ...{ model, states, usesDynamics: usesDynamics && fits, engine, threads },
        });
        try {
          const tables = await tabulator.tabulate(parameters);
          return { ...tables, enumeration, visits: visitation(enumeration, tables.policy) };
        } finally {
          await tabulator.dispose();
        }
      }),
    limit: () => known && limitFor(opened, taskStamp, known.target),
    objectEnumeration() {
      if (environment.states > MOST_STATES) return null;
      if (isEnumerable(environment)) return enumerationOf(environment);
      if (!known || !hasAllStrings(environment) || environment.variable) return null;
      const { outcomes: alphabetSize, length, stick } = environment;
      return enumerateSequences({ alphabetSize, length, variable: false }, stick);
    },
    samples: (count, seed = 0) =>
      once(`samples ${count} ${seed}`, async () => {
        const stream = RandomStream.fromSeed(seed).split("samples");
        const tables = await run.tables();
        if (tables) return sampledFromTables(environment, tables, count, stream);
        const { sample } = await modelSampler(programs, model, { engine, threads });
        return sample(parameters.policy, count, stream);
      }),
    scoreOf: ({ object, terminal }) => (table ? table[terminal] : scores.get(object)) ?? null,
    async logProbabilities(samples) {
      const tables = await run.tables();
      if (tables) return samples.map(({ terminal }) => Math.log(tables.visits.terminals[terminal]));
      if (logProbabilityMethod(model, usesDynamics) !== "product") return samples.map(() => null);
      const logs = await trained.logProbabilities(samples.map(({ object }) => object));
      return logs.map(({ logProbability }) => logProbability);
    },
    trajectoryProgram() {
      const perState = Math.min(environment.features, 4 * environment.maxSteps);
      const affordable = Math.floor(MOST_NUMBERS / (environment.maxSteps * perState));
      const rows = Math.max(1, Math.min(TRAJECTORIES, affordable));
      return programs.once("trajectories", () =>
        trajectoryLogits({ model, rows, usesDynamics, engine, threads }),
      );
    },
    async dispose() {
      await trained.dispose();
      await programs.dispose();
    },
  };
  return run;
}
