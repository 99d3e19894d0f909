// What a training loses by being watched: the same training alone and with a dashboard, in turn.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface TrainingTimes {
  /** Of the iterations, without start, compilation and samples. */
  readonly seconds: number;
  /** Time that the process of the training has used processors. */
  readonly processorSeconds: number;
}

/** Alone, watched, watched, alone: a machine that becomes slower or faster meanwhile affects both alike. */
const ORDER = [false, true, true, false];

const TRAINED = [
  "hypergrid",
  "--iterations",
  "800",
  "--evaluate-every",
  "200",
  "--log-every",
  "1",
  "--quiet",
];

/** Writes the processor time of the process when it ends. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(process.env.PROCESSOR_TIME, JSON.stringify(process.cpuUsage())));
`)}`;

/** Ratios of the times of watched trainings to those of others. `watch` has the dashboard open while its action runs. */
export async function watchingRatios(
  main: string,
  folder: string,
  round: number,
  watch: (id: string, train: () => Promise<TrainingTimes>) => Promise<TrainingTimes>,
): Promise<TrainingTimes> {
  const times: TrainingTimes[] = [];
  for (const [i, isWatched] of ORDER.entries()) {
    const id = `runs/${isWatched ? "watched" : "alone"}-${round}-${i}`;
    const run = () => train(main, join(folder, id));
    times.push(isWatched ? await watch(id, run) : await run());
  }
  return ratiosOf(times, ORDER);
}

/** Sum of the watched times over the sum of the others. */
export function ratiosOf(times: readonly TrainingTimes[], areWatched: readonly boolean[]): TrainingTimes {
  const ratio = (name: keyof TrainingTimes) => {
    const sum = (isWatched: boolean) =>
      times.reduce((total, each, i) => total + (areWatched[i] === isWatched ? each[name] : 0), 0);
    return sum(true) / sum(false);
  };
  return { seconds: ratio("seconds"), processorSeconds: ratio("processorSeconds") };
}

/** Waits until a run has metrics. */
export async function begun(run: string): Promise<void> {
  while (!existsSync(join(run, "metrics.jsonl"))) await sleep(20);
}

async function train(main: string, run: string): Promise<TrainingTimes> {
  const file = `${run}.json`;
  const child = spawn(process.execPath, ["--import", HOOK, main, "train", ...TRAINED, "--out", run], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, PROCESSOR_TIME: file },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the training ended with code ${code}`);
  const lines = readFileSync(join(run, "metrics.jsonl"), "utf8").split("\n");
  const evaluated = lines
    .filter((line) => line.includes('"evaluation"'))
    .map((line) => JSON.parse(line).seconds);
  const { user, system } = JSON.parse(readFileSync(file, "utf8"));
  return { seconds: evaluated.at(-1) - evaluated[0], processorSeconds: (user + system) / 1e6 };
}
