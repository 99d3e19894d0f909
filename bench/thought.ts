// The thought benchmark: what reading the thought is worth, exactly, where it cannot help and where it can.
//
// Where the written letters decide what happens, the best policy needs nothing else. Where a hidden regime sets the
// noise, intentions beside outcomes tell of it. Runs go by iterations, so other work beside them changes nothing; results
// by listed histories.

import { RandomStream } from "../src/engine/index.ts";
import { defaultSettings } from "../src/gfn/defaults.ts";
import { sequenceEnvironment } from "../src/gfn/environments/sequence.ts";
import type { ExactEvaluationEvent } from "../src/gfn/events.ts";
import { OBJECTIVES } from "../src/gfn/objectives/choice.ts";
import type { Settings } from "../src/gfn/settings.ts";
import { type TrainOptions, train } from "../src/gfn/train.ts";
import { regimeTask } from "../src/tasks/regime/index.ts";
import { type AnyRow, type Benchmark, type Table, UsageError } from "./benchmark.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "thought";
/** Of each run. */
const ITERATIONS = { full: 20_000, quick: 500 };

type Problem = Pick<TrainOptions, "environment" | "scores">;

export interface ThoughtRun extends Pick<ExactEvaluationEvent, "reached" | "limit"> {
  readonly seed: number;
  readonly iterations: number;
}

export interface ThoughtRow extends AnyRow {
  readonly runs: readonly ThoughtRun[];
}

const encoder = { reads: "both", layers: 1, width: 16, heads: 2 } as const;
const rate = { from: 3e-3, to: 3e-5, shape: "cosine" } as const;
const common: Partial<Settings> = {
  learningRate: rate,
  dynamicsLearningRate: rate,
  mixture: { uniform: 0, offline: 0, replay: 0 },
  exploration: { epsilon: { from: 0.3, to: 0, until: 0.1 }, temperature: 1 },
};
/** Sees the letters alone. */
const plain: Partial<Settings> = { ...common, policy: { hidden: [128, 128] }, dynamics: { hidden: [32] } };
/** Reads intentions and outcomes too, under the balance of states. */
const reading: Partial<Settings> = {
  ...common,
  policy: { hidden: [128, 128], encoder },
  dynamics: { hidden: [32], encoder },
};
/** The same under the balance of histories. All scores are known, so log Z can begin where it ends. */
const thoughtful = ({ scores }: Problem): Partial<Settings> => ({
  objective: OBJECTIVES["kl-thought"],
  batch: 256,
  policy: { hidden: [32], encoder },
  dynamics: { hidden: [32], encoder },
  logZ: { initial: Math.log((scores as Float64Array).reduce((a, b) => a + b)) },
});

const PROBLEMS: Readonly<Record<string, () => Problem>> = {
  "known noise": () => {
    const stream = RandomStream.fromSeed(0).split("scores");
    return {
      environment: sequenceEnvironment({ alphabet: "ACGT", length: 5, stick: 0.25 }),
      scores: Float64Array.from({ length: 4 ** 5 }, () => Math.exp(2 * stream.uniform())),
    };
  },
  "hidden regime": () => regimeTask(),
};
const METHODS: Readonly<Record<string, (problem: Problem) => Partial<Settings>>> = {
  kl: () => plain,
  "kl that reads": () => reading,
  "kl-thought": thoughtful,
};

const figure = (value: number) => value.toFixed(4);
const ranged = (values: readonly number[]) =>
  `${figure(median([...values]))} (${figure(Math.min(...values))}–${figure(Math.max(...values))})`;

export const TABLE: Table<ThoughtRow> = {
  columns: [
    { heading: "setting", cell: ({ setting }) => setting },
    { heading: "limit TV", numeric: true, cell: ({ runs }) => figure(runs[0].limit.tv) },
    { heading: "TV", numeric: true, cell: ({ runs }) => ranged(runs.map(({ reached }) => reached.tv)) },
    { heading: "limit KL", numeric: true, cell: ({ runs }) => figure(runs[0].limit.kl) },
    { heading: "KL", numeric: true, cell: ({ runs }) => ranged(runs.map(({ reached }) => reached.kl)) },
    {
      heading: "iterations",
      numeric: true,
      cell: ({ runs }) => median(runs.map(({ iterations }) => iterations)).toFixed(0),
    },
  ],
  budget: ({ rounds }) => `seeds ${rounds}`,
  legend: [
    "Strings of 5 letters out of 4. `known noise`: stick 0.25, random scores. `hidden regime`: the task `regime`. `kl` sees",
    "the letters alone, `kl that reads` also what was intended, both under the balance of states; `kl-thought` reads under",
    "the balance of histories. The limit is that of policies that see as much. Medians over seeds, smallest and largest in",
    "brackets; TV is total variation and KL is KL(target ‖ policy), both exact.",
  ],
};

export const thought: Benchmark<ThoughtRow> = {
  name: BENCH,
  summary: "what a policy gains by reading what was intended, where it can and where it cannot",
  full: { rounds: 3, seconds: 1 },
  quick: { rounds: 1, seconds: 1 },
  help: {
    quick: `seed 0, ${ITERATIONS.quick} iterations each`,
    rounds: "seeds (3)",
    seconds: `nothing here: runs are of ${ITERATIONS.full} iterations`,
    only: "only settings that match, such as 'regime, kl-thought'",
  },
  table: TABLE,
  unrecordable({ rounds, only }) {
    return rounds < thought.full.rounds || only
      ? "--record keeps a whole result and does not go together with --quick, --only or fewer --rounds."
      : undefined;
  },
  async run({ rounds, quick, only }, say) {
    const chosen = Object.keys(PROBLEMS).flatMap((where) =>
      Object.keys(METHODS)
        .map((method) => ({ where, method, setting: `${where}, ${method}` }))
        .filter(({ setting }) => !only || only.test(setting)),
    );
    if (chosen.length === 0) throw new UsageError(`No setting matches ${only?.source}.`);
    const iterations = quick ? ITERATIONS.quick : ITERATIONS.full;
    const rows: ThoughtRow[] = [];
    for (const { where, method, setting } of chosen) {
      const problem = PROBLEMS[where]();
      const runs: ThoughtRun[] = [];
      for (let seed = 0; seed < rounds; seed++) {
        const run = await trained(problem, METHODS[method](problem), seed, iterations);
        say(`${setting} | seed ${seed} | TV ${figure(run.reached.tv)} (limit ${figure(run.limit.tv)})`);
        runs.push(run);
      }
      rows.push({ bench: BENCH, setting, runs });
    }
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

async function trained(
  { environment, scores }: Problem,
  changes: Partial<Settings>,
  seed: number,
  iterations: number,
): Promise<ThoughtRun> {
  const settings = defaultSettings(environment, changes);
  let last: ExactEvaluationEvent | undefined;
  const options = {
    ...settings,
    environment,
    scores,
    seed,
    iterations,
    engine: "native",
    threads: 1,
  } as const;
  for await (const event of train(options)) if (event.kind === "evaluation" && event.exact) last = event;
  if (!last) throw new Error("thought: the run ended without an exact evaluation");
  return { seed, reached: last.reached, limit: last.limit, iterations: last.iteration };
}
