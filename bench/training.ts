// The training benchmark measures the speed of training iterations compared with the same work in eager PyTorch and in
// JAX compiled by XLA, with an earlier version of this library, on two threads, and with half
// of the batch.

import type { Benchmark, RunOptions } from "./benchmark.ts";
import { findEarlier } from "./earlier-checkout.ts";
import {
  rateRow as comparedRow,
  compileRow,
  formatMegabytes,
  NATIVE as OURS,
  operationsNote,
  PEAK,
  peakContest,
  peakRow,
} from "./engine-rows.ts";
import { type Contest, interleavedRounds, measure, type Sample } from "./harness.ts";
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
  ...(["training-long", "training-long-100", "training-long-256"] as const).map((workload) => ({
    workload,
    hidden: 256,
  })),
];
/** Trainings that a rival has, if it does not have all. */
const WORKLOADS_OF: Readonly<Record<string, readonly string[]>> = {
  pytorch: ["training-plain", "training-default", "training-thought"],
  earlier: ["training-plain", "training-default"],
};
/** Whether a training is also measured with two threads of ONNX Runtime, and with half of its batch. */
const isThreaded = ({ workload, hidden }: { readonly workload: string; readonly hidden: number }) =>
  workload === "training-default" || hidden === 1024;
const isHalved = ({ workload }: { readonly workload: string }) => workload === "training-default";
const TWO_THREADS = "native, 2 threads";
const HALF_BATCH = "native, half the batch";
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
  summary:
    "speed of training iterations compared with eager PyTorch, with JAX compiled by XLA, and on two threads",
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
      ...(isThreaded({ workload, hidden })
        ? [
            {
              name: TWO_THREADS,
              command: workerCommand({ measurement: "rate", workload, hidden, seconds, threads: 2 }),
            },
          ]
        : []),
      ...(isHalved({ workload })
        ? [
            {
              name: HALF_BATCH,
              command: workerCommand({
                measurement: "rate",
                workload: "training-default-half",
                hidden,
                seconds,
              }),
            },
          ]
        : []),
    ],
    // The programs of the longest strings take half a minute to compile in JAX.
    ...(workload === "training-long-256" && { maxRounds: 3 }),
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
  const compared = (setting: string, suffix: string, contender: string) =>
    comparedRow(`${setting}, ${suffix}`, setting, contender, OURS, BENCH);
  rows.push(
    ...SETTINGS.filter(isThreaded).map((each) => compared(settingOf(each), "2 threads", TWO_THREADS)),
    ...SETTINGS.filter(isHalved).map((each) => compared(settingOf(each), "half the batch", HALF_BATCH)),
  );
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
      const note = [operationsNote(setting, results), memoryOf(results(setting, OURS), "")];
      if (rival !== null) note.push(memoryOf(results(setting, rival), "rival's "));
      return {
        bench: BENCH,
        setting,
        unit: "it/s",
        rival,
        ...comparison,
        note: note.filter(Boolean).join("; "),
      };
    },
  };
}

/** The most memory of a contender. Empty for versions of this library that do not print it. */
function memoryOf(samples: readonly Sample[], whose: string): string {
  const bytes = samples.map(({ memory }) => memory);
  return bytes.every(Number.isFinite) ? `${whose}${formatMegabytes(median(bytes))}` : "";
}
