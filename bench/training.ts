// The training benchmark measures the speed of training iterations compared with the same work in eager PyTorch and in
// JAX compiled by XLA, and with an earlier version of this library.

import type { Benchmark, RunOptions } from "./benchmark.ts";
import { findEarlier } from "./earlier-checkout.ts";
import { compileRow, NATIVE as OURS, operationsNote, PEAK, peakContest, peakRow } from "./engine-rows.ts";
import { type Contest, interleavedRounds, measure } from "./harness.ts";
import { packageVersion } from "./machine.ts";
import { type Plan, type PlannedRow, rowsOf, select } from "./plan.ts";
import { findJax, findPyTorch, type Rival } from "./python.ts";
import { compare, median } from "./statistics.ts";
import { workerCommand } from "./worker-command.ts";

const BENCH = "training";
const SETTINGS = [
  ...[64, 256].map((hidden) => ({ workload: "training-plain", hidden }) as const),
  ...[64, 128, 256].map((hidden) => ({ workload: "training-default", hidden }) as const),
  { workload: "training-thought", hidden: 64 } as const,
  ...[1024, 2048].map((hidden) => ({ workload: "training-large", hidden }) as const),
  { workload: "training-long", hidden: 256 } as const,
];
/** Trainings that a rival has, if it does not have all. */
const WORKLOADS_OF: Readonly<Record<string, readonly string[]>> = {
  pytorch: ["training-plain", "training-default", "training-thought"],
  earlier: ["training-plain", "training-default"],
};
/** Time to compile training on long strings, whose unrolled programs are large. */
const COMPILE = "compile, training-thought, 64 letters";

/** The installed rivals, by their names in the results table. */
export interface Rivals {
  readonly pytorch?: Rival;
  readonly "jax-jit"?: Rival;
  /** An earlier version of this library. */
  readonly earlier?: Rival;
}

export const training: Benchmark = {
  name: BENCH,
  summary: "speed of training iterations compared with eager PyTorch and with JAX compiled by XLA",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 1 },
  async run(options, say) {
    const rivals = {
      pytorch: await findPyTorch("pytorch_training.py"),
      "jax-jit": await findJax(),
      earlier: await findEarlier(),
    };
    for (const [name, rival] of Object.entries(rivals)) {
      say(rival ? `${name} ${rival.version} found.` : `No Python with ${name} found: continuing without it.`);
    }
    const { contests, rows } = select(plan(options, rivals), options.only);
    const measured = await measure(interleavedRounds(contests, options.rounds), say);
    return {
      rows: rowsOf(rows, measured),
      versions: {
        "onnxruntime-node": packageVersion("onnxruntime-node"),
        torch: rivals.pytorch?.version ?? null,
        jax: rivals["jax-jit"]?.version ?? null,
        earlier: rivals.earlier?.version ?? null,
      },
    };
  },
};

/** All contests and rows of this benchmark. Without rivals, only this library is measured. */
export function plan({ seconds }: Pick<RunOptions, "seconds">, rivals: Rivals): Plan {
  const found = Object.entries(rivals).filter((entry): entry is [string, Rival] => Boolean(entry[1]));
  const has = (name: string, workload: string) => WORKLOADS_OF[name]?.includes(workload) ?? true;
  const contests: Contest[] = SETTINGS.map(({ workload, hidden }) => ({
    name: settingOf({ workload, hidden }),
    contenders: [
      ...found
        .filter(([name]) => has(name, workload))
        .map(([name, rival]) => ({ name, command: rival.command(workload, hidden, seconds) })),
      { name: OURS, command: workerCommand({ measurement: "rate", workload, hidden, seconds }) },
    ],
    describe: ({ rate }) => `${rate.toFixed(1)} it/s`,
  }));
  const peak = workerCommand({ measurement: "rate", workload: "gemm", hidden: 1024, seconds });
  const compileContest: Contest = {
    name: COMPILE,
    contenders: [
      {
        name: OURS,
        command: workerCommand({
          measurement: "compile",
          workload: "training-long-thought",
          hidden: 64,
          seconds,
        }),
      },
    ],
    describe: ({ compileSeconds }) => `${compileSeconds.toFixed(2)} s`,
  };
  const rows = found.flatMap(([rival]) =>
    SETTINGS.filter(({ workload }) => has(rival, workload)).map((setting) =>
      rateRow(settingOf(setting), rival),
    ),
  );
  const alone = SETTINGS.filter(({ workload }) => !found.some(([rival]) => has(rival, workload)));
  rows.push(...alone.map((setting) => rateRow(settingOf(setting), null)));
  return {
    contests: [peakContest([{ name: OURS, command: peak }]), ...contests, compileContest],
    rows: [...rows, peakRow(null, BENCH), compileRow(COMPILE, BENCH)],
  };
}

function settingOf({ workload, hidden }: { readonly workload: string; readonly hidden: number }): string {
  return `${workload}, hidden ${hidden}`;
}

/** Iterations per second of this library and of a rival. The note has the operations of this library. */
function rateRow(setting: string, rival: string | null): PlannedRow {
  return {
    setting,
    rival,
    samples: [[setting, OURS], [PEAK, OURS], ...(rival === null ? [] : [[setting, rival] as const])],
    make(results) {
      const rates = (contender: string) => results(setting, contender).map(({ rate }) => rate);
      const ours = rates(OURS);
      const alone = {
        ours: median(ours),
        rivalValue: null,
        ratio: null,
        rounds: ours.map((value) => ({ ours: value })),
      };
      const comparison = rival === null ? alone : compare(ours, rates(rival));
      const note = operationsNote(setting, results);
      return { bench: BENCH, setting, unit: "it/s", rival, ...comparison, note };
    },
  };
}
