// Training on the tasks that other GFlowNet libraries have too, with their default sizes: strings with the sizes of TFBind8 and
// hypergrids, without noise, with trajectory balance (TB) or detailed balance (DB).
//
// rivals/gfnx_training.py and rivals/torchgfn_training.py train on their own environments; rivals/peer_tasks.py has the same
// values as this file. Every state-dependent output comes from one network, and log Z of TB is a learned parameter.

import { RandomStream, simplify, trace } from "../../src/engine/index.ts";
import type { EnumerableEnvironment } from "../../src/gfn/environment/environment.ts";
import { sequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { model } from "../../src/gfn/policy/model.ts";
import { rewardsFromScoreTable } from "../../src/gfn/reward/score-table.ts";
import { defaultSettings } from "../../src/gfn/training/defaults.ts";
import { trainingIteration } from "../../src/gfn/training/iteration.ts";
import { modelTrainer } from "../../src/gfn/training/trainer.ts";
import { hypergridTask } from "../../src/tasks/hypergrid/index.ts";
import type { CompiledWorkload, Workload, WorkloadOptions } from "./workload.ts";

const BATCH = 16;
const RATE = 1e-3;
const LOG_Z_RATE = 1e-1;
/** Iterations before the measurement, after which the trajectories on grids, and the sizes of their programs, have settled. */
const SETTLING_ITERATIONS = 300;

interface PeerTask {
  readonly environment: EnumerableEnvironment;
  readonly scores: Float64Array;
}

function strings(): PeerTask {
  const stream = RandomStream.fromSeed(0);
  return {
    environment: sequenceEnvironment({ alphabet: "ACGT", length: 8, stick: 0 }),
    scores: Float64Array.from({ length: 4 ** 8 }, () => stream.uniform() + 0.1),
  };
}

function grid(dimensions: number, side: number): PeerTask {
  const { environment, scores } = hypergridTask({ dimensions, side, stick: 0, r0: 1e-3, r1: 0.5, r2: 2 });
  return { environment, scores };
}

/** Workloads by name: the task and the balance. */
export const peerWorkloads = {
  "peer-tfbind8-tb": (options) => training(strings(), "tb", options),
  "peer-grid-2d-8-tb": (options) => training(grid(2, 8), "tb", options),
  "peer-grid-2d-8-db": (options) => training(grid(2, 8), "db", options),
  "peer-grid-4d-16-tb": (options) => training(grid(4, 16), "tb", options),
  "peer-grid-4d-16-db": (options) => training(grid(4, 16), "db", options),
} satisfies Record<string, Workload>;

export type PeerWorkloadName = keyof typeof peerWorkloads;

async function training(
  { environment, scores }: PeerTask,
  objective: "tb" | "db",
  { hidden, engine, threads }: WorkloadOptions,
): Promise<CompiledWorkload> {
  const settings = defaultSettings(environment, {
    objective,
    batch: BATCH,
    hidden: [hidden, hidden],
    stateTableRows: 0,
    learningRate: RATE,
    learnLogZ: objective === "tb",
    logZRateScale: LOG_Z_RATE / RATE,
    uniformShare: 0,
    epsilon: 0,
  });
  const started = performance.now();
  const trainer = await modelTrainer({ ...settings, environment, scores, seed: 0, engine, threads });
  const compileSeconds = (performance.now() - started) / 1000;
  let t = 0;
  const iterate = async () => (await trainer.step(t++, 0)).loss;
  for (let i = 0; i < SETTLING_ITERATIONS; i++) await iterate();
  // The trainer keeps its graphs to itself, so the iteration is traced once more, in the present size, to count its operations.
  const { sizing } = await trainer.save();
  const { rewardExponent: exponent, rewardFloor: floor } = settings;
  const { logRewards } = rewardsFromScoreTable(environment, scores, { exponent, floor });
  const { run, example } = trainingIteration(model(environment, settings), {
    ...settings,
    rewards: logRewards,
    size: sizing?.sizes[0],
  }).train;
  return { graphs: [simplify(trace(run, example))], compileSeconds, iterate };
}
