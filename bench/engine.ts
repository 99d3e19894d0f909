// The engine benchmark: speed of training steps on the native engine compared with the jax engine and eager PyTorch, the
// achieved share of the peak of matrix multiplication, memory growth, compile time, and the speed-up by a second thread.

import type { Benchmark, RunOptions } from "./benchmark.ts";
import {
  BENCH,
  compileRow,
  formatMegabytes,
  memoryRow,
  NATIVE,
  peakContest,
  peakRow,
  rateRow,
  shareRow,
} from "./engine-rows.ts";
import { type Contender, type Contest, interleavedRounds, measure } from "./harness.ts";
import { packageVersion } from "./machine.ts";
import { type Plan, type PlannedRow, rowsOf, select } from "./plan.ts";
import { findPyTorch, type PyTorch } from "./python.ts";
import { type WorkerTask, workerCommand } from "./worker-command.ts";

/** Widths of the hidden layers for each workload, in the full and in the quick version. */
const SIZES = {
  "mlp-step": { full: [64, 128, 256, 1024], quick: [64, 1024] },
  "gflownet-iteration": { full: [64, 128, 256], quick: [64, 256] },
} as const;

type Workload = keyof typeof SIZES;

const NATIVE_2 = "native, 2 threads";
const JAX = "jax";
const PYTORCH = "pytorch";
const MEMORY = "rss growth 1k->10k iterations, hidden 64";
const COMPILE = "compile, gflownet-iteration, hidden 256";

export const engine: Benchmark = {
  name: BENCH,
  summary:
    "native engine compared with jax and PyTorch: speed, share of matrix peak, memory, compile time, threads",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 0.7 },
  async run(options, say) {
    const pytorch = await findPyTorch();
    say(
      pytorch
        ? `PyTorch ${pytorch.version} found.`
        : "Neither GFLOWNET_PYTHON nor python3 can import torch: continuing without PyTorch.",
    );
    const { contests, rows } = select(plan(options, pytorch), options.only);
    const measured = await measure(interleavedRounds(contests, options.rounds), say);
    return {
      rows: rowsOf(rows, measured),
      versions: {
        "onnxruntime-node": packageVersion("onnxruntime-node"),
        "@jax-js/jax": packageVersion("@jax-js/jax"),
        torch: pytorch?.version ?? null,
      },
    };
  },
};

/** All contests and rows of this benchmark, for the given options. */
export function plan({ seconds, quick }: RunOptions, pytorch: PyTorch | undefined): Plan {
  const settings = (Object.keys(SIZES) as Workload[]).flatMap((workload) =>
    SIZES[workload][quick ? "quick" : "full"].map((hidden) => ({ workload, hidden })),
  );
  const rivals = pytorch ? [PYTORCH, JAX] : [JAX];
  const peakRival = pytorch ? PYTORCH : null;

  const contests: Contest[] = [
    peakContest([
      ...pytorchContender(pytorch, "gemm", 1024, seconds),
      nativeContender(NATIVE, { measurement: "rate", workload: "gemm", hidden: 1024, seconds }),
    ]),
    ...settings.map(({ workload, hidden }) => rateContest(workload, hidden, seconds, pytorch)),
    {
      name: COMPILE,
      contenders: [
        nativeContender(NATIVE, {
          measurement: "compile",
          workload: "gflownet-iteration",
          hidden: 256,
          seconds,
        }),
      ],
      describe: ({ compileSeconds }) => `${compileSeconds.toFixed(3)} s`,
    },
    {
      name: MEMORY,
      contenders: [
        nativeContender(NATIVE, {
          measurement: "memory",
          workload: "gflownet-iteration",
          hidden: 64,
          seconds,
        }),
      ],
      maxRounds: quick ? 1 : 3,
      describe: ({ after1k, after10k }) => `${formatMegabytes(after1k)}, then ${formatMegabytes(after10k)}`,
    },
  ];

  const names = settings.map(({ workload, hidden }) => settingOf(workload, hidden));
  const threaded = settings.filter(({ workload }) => hasThreads(workload));
  const rows: PlannedRow[] = [
    ...rivals.flatMap((rival) => names.map((name) => rateRow(name, name, NATIVE, rival))),
    ...threaded.map(({ workload, hidden }) => {
      const name = settingOf(workload, hidden);
      return rateRow(`${name}, 2 threads`, name, NATIVE_2, NATIVE);
    }),
    peakRow(peakRival),
    ...names.map((name) => shareRow(name, rivals[0], peakRival)),
    memoryRow(MEMORY),
    compileRow(COMPILE),
  ];
  return { contests, rows };
}

/**
 * The contest of one workload on all engines. Engines of similar speed run directly after each other, because drift of
 * the machine's speed then affects their ratio least.
 */
function rateContest(
  workload: Workload,
  hidden: number,
  seconds: number,
  pytorch: PyTorch | undefined,
): Contest {
  const task = { measurement: "rate", workload, hidden, seconds } as const;
  return {
    name: settingOf(workload, hidden),
    contenders: [
      ...pytorchContender(pytorch, workload, hidden, seconds),
      nativeContender(NATIVE, task),
      ...(hasThreads(workload) ? [nativeContender(NATIVE_2, { ...task, threads: 2 })] : []),
      nativeContender(JAX, { ...task, engine: "jax" }),
    ],
    describe: ({ rate }) => `${rate.toFixed(1)} it/s`,
  };
}

function nativeContender(name: string, task: WorkerTask): Contender {
  return { name, command: workerCommand(task) };
}

/** PyTorch as a contender. Empty if PyTorch is not installed. */
function pytorchContender(
  pytorch: PyTorch | undefined,
  workload: string,
  hidden: number,
  seconds: number,
): Contender[] {
  return pytorch ? [{ name: PYTORCH, command: pytorch.command(workload, hidden, seconds) }] : [];
}

function settingOf(workload: Workload, hidden: number): string {
  return `${workload}, hidden ${hidden}`;
}

/** Whether the workload is measured with two threads as well as with one. */
function hasThreads(workload: Workload): boolean {
  return workload === "gflownet-iteration";
}
