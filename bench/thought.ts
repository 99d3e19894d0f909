// The thought benchmark measures how much closer to the target a policy comes if it is conditioned on its history of
// actions and outcomes, on a task where the history cannot help and on a task where it can.
//
// With a fixed noise level the state alone determines the best policy. With a hidden regime the noise level is unknown,
// and the history of actions and outcomes gives information about it. Runs have a fixed number of iterations, so results
// do not depend on the load of the machine. Distances are exact, by enumeration of all histories.

import { RandomStream } from "../src/engine/index.ts";
import { sequenceEnvironment } from "../src/gfn/environment/sequence.ts";
import { defaultSettings } from "../src/gfn/training/defaults.ts";
import type { ExactEvaluationEvent } from "../src/gfn/training/events.ts";
import type { SettingsInput } from "../src/gfn/training/settings.ts";
import { type TrainOptions, train } from "../src/gfn/training/train.ts";
import { regimeTask } from "../src/tasks/regime/index.ts";
import { type AnyRow, type Benchmark, type Table, UsageError } from "./benchmark.ts";
import { packageVersion } from "./machine.ts";
import { median } from "./statistics.ts";

const BENCH = "thought";
/** Training iterations of each run. */
const ITERATIONS = { full: 20_000, quick: 500 };

type Problem = Pick<TrainOptions, "environment" | "scores">;

export interface ThoughtRun extends Pick<ExactEvaluationEvent, "reached" | "limit"> {
  readonly seed: number;
  readonly iterations: number;
}

export interface ThoughtRow extends AnyRow {
  readonly runs: readonly ThoughtRun[];
}

const encoder = {
  encoder: "both",
  dynamicsEncoder: "both",
  encoderLayers: 1,
  encoderWidth: 16,
  encoderHeads: 2,
} as const;
const rate = { from: 3e-3, to: 3e-5, shape: "cosine" } as const;
const common: SettingsInput = {
  learningRate: rate,
  dynamicsLearningRate: rate,
  uniformShare: 0,
  epsilon: { from: 0.3, to: 0, until: 0.1 },
  stateTableRows: 0,
};
/** Policy conditioned on the state only. */
const stateConditioned: SettingsInput = { ...common, hidden: [128, 128], dynamicsHidden: [32] };
/** Policy conditioned on the history too, trained with the detailed balance of states. */
const historyConditioned: SettingsInput = {
  ...common,
  ...encoder,
  hidden: [128, 128],
  dynamicsHidden: [32],
};
/** History-conditioned policy, trained with a balance over histories. All scores are enumerated, so log Z starts at its exact value. */
const historyBalance = ({ scores }: Problem): SettingsInput => ({
  ...encoder,
  objective: "kl-thought",
  batch: 256,
  hidden: [32],
  stateTableRows: 0,
  dynamicsHidden: [32],
  objectMarginalHidden: [64],
  logZInitial: Math.log((scores as Float64Array).reduce((a, b) => a + b)),
});

const PROBLEMS: Readonly<Record<string, () => Problem>> = {
  "fixed noise": () => {
    const stream = RandomStream.fromSeed(0).split("scores");
    return {
      environment: sequenceEnvironment({ alphabet: "ACGT", length: 5, stick: 0.25 }),
      scores: Float64Array.from({ length: 4 ** 5 }, () => Math.exp(2 * stream.uniform())),
    };
  },
  "hidden regime": () => regimeTask(),
};
const METHODS: Readonly<Record<string, (problem: Problem) => SettingsInput>> = {
  kl: () => stateConditioned,
  "kl, history-conditioned": () => historyConditioned,
  "kl-thought": historyBalance,
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
    "Strings of 5 letters out of 4. `fixed noise`: stick 0.25, random scores. `hidden regime`: the task `regime`. The policy",
    "of `kl` is conditioned on the state only, that of `kl, history-conditioned` also on its actions and their outcomes; both",
    "are trained with the balance of states. `kl-thought` is history-conditioned and trained with a balance of histories. The",
    "limit is that of policies with the same inputs. Medians over seeds, smallest and largest in brackets; TV is total",
    "variation and KL is KL(target ‖ policy), both exact.",
  ],
};

export const thought: Benchmark<ThoughtRow> = {
  name: BENCH,
  summary: "what a policy gains by conditioning on its history, with fixed noise and with a hidden regime",
  full: { rounds: 3, seconds: 1 },
  quick: { rounds: 1, seconds: 1 },
  help: {
    quick: `seed 0, ${ITERATIONS.quick} iterations each`,
    rounds: "number of seeds (default 3)",
    seconds: `no effect: runs have ${ITERATIONS.full} iterations`,
    only: "only settings that match, such as 'regime, kl-thought'",
  },
  table: TABLE,
  recordProblem({ rounds, only }) {
    return rounds < thought.full.rounds || only
      ? "--record needs a complete result: omit --quick, --only and --rounds below the default."
      : undefined;
  },
  async run({ rounds, quick, only }, say) {
    const chosen = Object.keys(PROBLEMS).flatMap((problemName) =>
      Object.keys(METHODS)
        .map((method) => ({ problemName, method, setting: `${problemName}, ${method}` }))
        .filter(({ setting }) => !only || only.test(setting)),
    );
    if (chosen.length === 0) throw new UsageError(`--only ${only?.source} matches no setting.`);
    const iterations = quick ? ITERATIONS.quick : ITERATIONS.full;
    const rows: ThoughtRow[] = [];
    for (const { problemName, method, setting } of chosen) {
      const problem = PROBLEMS[problemName]();
      const runs: ThoughtRun[] = [];
      for (let seed = 0; seed < rounds; seed++) {
        const run = await trainOnce(problem, METHODS[method](problem), seed, iterations);
        say(`${setting} | seed ${seed} | TV ${figure(run.reached.tv)} (limit ${figure(run.limit.tv)})`);
        runs.push(run);
      }
      rows.push({ bench: BENCH, setting, runs });
    }
    return { rows, versions: { "onnxruntime-node": packageVersion("onnxruntime-node") } };
  },
};

async function trainOnce(
  { environment, scores }: Problem,
  changes: SettingsInput,
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
