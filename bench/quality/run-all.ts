// Plans the runs of the quality benchmark and executes them: several in parallel, each stored when it finishes.

import { formatDuration } from "../harness.ts";
import type { Measurement, QualityCase } from "./cases.ts";
import type { Result } from "./measure.ts";
import type { Run, RunKey, RunStore } from "./run-store.ts";
import { hashOf } from "./source-hash.ts";

/** One process to run. Cases with equal measurements share a process. */
export interface PlannedRun {
  readonly cases: readonly QualityCase[];
  readonly seed: number | null;
  readonly measurement: Measurement;
  /** Estimated duration. */
  readonly seconds: number;
}

/** Seconds that a process takes in addition to training. */
const START_SECONDS = 3;

/**
 * Plans every case with every seed, each trained for at most `maxSeconds`. Seeds are the outer loop, short runs come
 * first, and timings, which have no seed, run once.
 */
export function planRuns(
  settings: readonly QualityCase[],
  seeds: readonly number[],
  maxSeconds: number,
): PlannedRun[] {
  const byTime = settings.toSorted((a, b) => a.seconds - b.seconds);
  const runs = new Map<string, PlannedRun>();
  for (const seed of seeds) {
    for (const setting of byTime) {
      const run = runOf(setting, seed, maxSeconds);
      const key = JSON.stringify(run.measurement);
      const earlier = runs.get(key)?.cases.filter(({ name }) => name !== setting.name) ?? [];
      runs.set(key, { ...run, cases: [...earlier, setting] });
    }
  }
  return [...runs.values()];
}

function runOf(setting: QualityCase, seed: number, maxSeconds: number): PlannedRun {
  const { measurement: spec } = setting;
  if (spec.kind === "timing") {
    return { cases: [setting], seed: null, measurement: spec, seconds: setting.seconds };
  }
  const seconds = Math.min(setting.seconds, maxSeconds);
  const measurement: Measurement = { ...spec, seed, seconds };
  return { cases: [setting], seed, measurement, seconds: seconds + START_SECONDS };
}

export interface RunAllOptions {
  readonly jobs: number;
  /** Whether to ignore stored runs. */
  readonly fresh: boolean;
  readonly store: RunStore;
  /** A hash of everything else that a result depends on: sources, data, versions and machine. */
  fingerprint(): string;
  execute(measurement: Measurement): Promise<Result>;
  say(line: string): void;
}

/**
 * Executes the runs and returns their results in order. If some runs fail, it throws after the last run; the other runs
 * are stored.
 */
export async function runAll(planned: readonly PlannedRun[], options: RunAllOptions): Promise<Run[]> {
  const { jobs, fresh, store, execute, say } = options;
  const fingerprint = options.fingerprint();
  const runs = new Map<PlannedRun, Run>();
  let finished = 0;
  const report = (run: PlannedRun, result: string, note: string) =>
    say(`[${++finished}/${planned.length}] ${nameOf(run)}: ${result} | ${note}`);

  for (const each of fresh ? [] : planned) {
    const stored = await store.find(keyOf(each, fingerprint));
    if (!stored) continue;
    runs.set(each, stored);
    report(each, resultText(stored.result), `stored on ${stored.date.slice(0, 10)}, same sources`);
  }

  const waiting = planned.filter((each) => !runs.has(each));
  const running = new Map<PlannedRun, number>();
  const failures: string[] = [];
  if (waiting.length > 0) {
    const time = formatDuration(secondsLeft(waiting, running, jobs));
    say(`${waiting.length} runs to do, ${jobs} at a time, about ${time}.`);
  }
  await Promise.all(Array.from({ length: jobs }, worker));
  if (failures.length > 0) {
    throw new Error(
      `${failures.length} of ${planned.length} runs failed, the others are stored:\n${failures.join("\n")}`,
    );
  }
  return planned.map((each) => runs.get(each) as Run);

  async function worker(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (options.fingerprint() !== fingerprint) {
        // Results that were measured with different sources must not be mixed.
        waiting.length = 0;
        failures.push("The sources changed during the benchmark: run it again to measure the new ones.");
        return;
      }
      await runOne(next);
    }
  }

  async function runOne(each: PlannedRun): Promise<void> {
    running.set(each, performance.now());
    try {
      const result = await execute(each.measurement);
      const { measurement, seed } = each;
      const budget = measurement.kind === "training" ? measurement.seconds : null;
      const run: Run = { date: new Date().toISOString(), jobs, seed, budget, result };
      await store.save(keyOf(each, fingerprint), measurement, run);
      runs.set(each, run);
      running.delete(each);
      report(each, resultText(result), `${formatDuration(secondsLeft(waiting, running, jobs))} left`);
    } catch (error) {
      running.delete(each);
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${nameOf(each)}: ${reason}`);
      report(each, `failed: ${reason}`, `${formatDuration(secondsLeft(waiting, running, jobs))} left`);
    }
  }
}

/** A result as a short text. */
export function resultText(result: Result): string {
  if (result.kind === "timing") return `${result.seconds.toFixed(3)} s`;
  const { reached, limit, iterations, wallSeconds } = result;
  const distances = (["tv", "kl"] as const).map(
    (name) => `${name.toUpperCase()} ${reached[name].toFixed(4)} (limit ${limit[name].toFixed(4)})`,
  );
  const spec = `${iterations} iterations in ${wallSeconds.toFixed(1)} s`;
  return `${distances.join(", ")}, ${spec}`;
}

function nameOf({ cases: settings, seed }: PlannedRun): string {
  const names = settings.map(({ name }) => name).join(" = ");
  return seed === null ? names : `seed ${seed} | ${names}`;
}

function keyOf({ cases: settings, seed, measurement }: PlannedRun, fingerprint: string): RunKey {
  const budget = measurement.kind === "training" ? ` ${measurement.seconds}s seed ${seed}` : "";
  const name = `${settings[0].name.replace(/, \d+ s$/, "")}${budget}`;
  return { name, hash: hashOf([fingerprint, measurement]) };
}

function secondsLeft(
  waiting: readonly PlannedRun[],
  running: ReadonlyMap<PlannedRun, number>,
  jobs: number,
): number {
  const started = [...running].map(([run, since]) =>
    Math.max(0, run.seconds - (performance.now() - since) / 1000),
  );
  const seconds = [...started, ...waiting.map((run) => run.seconds)];
  const all = seconds.reduce((sum, each) => sum + each, 0);
  return Math.max(all / jobs, ...seconds, 0);
}
