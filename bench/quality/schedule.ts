// Which runs there are, in which order, and running them: several side by side, finished ones kept.

import { formatDuration } from "../harness.ts";
import type { Assignment, Setting } from "./settings.ts";
import { hashOf } from "./sources.ts";
import type { Run, RunKey, Store } from "./store.ts";
import type { Result } from "./work.ts";

/** One process to run; settings that ask for the same share it. */
export interface PlannedRun {
  readonly settings: readonly Setting[];
  readonly seed: number | null;
  readonly assignment: Assignment;
  /** About how long it takes. */
  readonly seconds: number;
}

/** Time that a process takes beside training. */
const START_SECONDS = 3;

/**
 * Every setting with every seed, none trained longer than `longest`. Seeds are the outer loop, the shortest runs come
 * first, and what has no seed runs once.
 */
export function planRuns(
  settings: readonly Setting[],
  seeds: readonly number[],
  longest: number,
): PlannedRun[] {
  const byTime = settings.toSorted((a, b) => a.seconds - b.seconds);
  const runs = new Map<string, PlannedRun>();
  for (const seed of seeds) {
    for (const setting of byTime) {
      const run = runOf(setting, seed, longest);
      const same = JSON.stringify(run.assignment);
      const earlier = runs.get(same)?.settings.filter(({ name }) => name !== setting.name) ?? [];
      runs.set(same, { ...run, settings: [...earlier, setting] });
    }
  }
  return [...runs.values()];
}

function runOf(setting: Setting, seed: number, longest: number): PlannedRun {
  const { work } = setting;
  if (work.kind === "timing") {
    return { settings: [setting], seed: null, assignment: work, seconds: setting.seconds };
  }
  const seconds = Math.min(setting.seconds, longest);
  const assignment: Assignment = { ...work, seed, seconds };
  return { settings: [setting], seed, assignment, seconds: seconds + START_SECONDS };
}

export interface Circumstances {
  readonly jobs: number;
  /** Runs again what is kept. */
  readonly fresh: boolean;
  readonly store: Store;
  /** Changes with everything but the assignment that a result depends on. */
  fingerprint(): string;
  execute(assignment: Assignment): Promise<Result>;
  say(line: string): void;
}

/** What came of the runs, in their order. Throws after the last of them if some failed; the others are kept. */
export async function runAll(planned: readonly PlannedRun[], circumstances: Circumstances): Promise<Run[]> {
  const { jobs, fresh, store, execute, say } = circumstances;
  const fingerprint = circumstances.fingerprint();
  const runs = new Map<PlannedRun, Run>();
  let finished = 0;
  const tell = (run: PlannedRun, what: string, rest: string) =>
    say(`[${++finished}/${planned.length}] ${nameOf(run)}: ${what} | ${rest}`);

  for (const each of fresh ? [] : planned) {
    const kept = await store.find(keyOf(each, fingerprint));
    if (!kept) continue;
    runs.set(each, kept);
    tell(each, inBrief(kept.result), `kept from ${kept.date.slice(0, 10)}, same sources`);
  }

  const waiting = planned.filter((each) => !runs.has(each));
  const running = new Map<PlannedRun, number>();
  const failures: string[] = [];
  if (waiting.length > 0) {
    const time = formatDuration(secondsLeft(waiting, running, jobs));
    say(`Runs to do: ${waiting.length}, ${jobs} at a time, about ${time}.`);
  }
  await Promise.all(Array.from({ length: jobs }, work));
  if (failures.length > 0) {
    throw new Error(
      `${failures.length} of ${planned.length} runs failed, the others are kept:\n${failures.join("\n")}`,
    );
  }
  return planned.map((each) => runs.get(each) as Run);

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (circumstances.fingerprint() !== fingerprint) {
        // A result of other sources must not stand beside the rest.
        waiting.length = 0;
        failures.push("The sources changed while measuring: run it again, which starts with the new ones.");
        return;
      }
      await runOne(next);
    }
  }

  async function runOne(each: PlannedRun): Promise<void> {
    running.set(each, performance.now());
    try {
      const result = await execute(each.assignment);
      const { assignment, seed } = each;
      const budget = assignment.kind === "training" ? assignment.seconds : null;
      const run: Run = { date: new Date().toISOString(), jobs, seed, budget, result };
      await store.keep(keyOf(each, fingerprint), assignment, run);
      runs.set(each, run);
      running.delete(each);
      tell(each, inBrief(result), `${formatDuration(secondsLeft(waiting, running, jobs))} left`);
    } catch (error) {
      running.delete(each);
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${nameOf(each)}: ${reason}`);
      tell(each, `failed: ${reason}`, `${formatDuration(secondsLeft(waiting, running, jobs))} left`);
    }
  }
}

/** A result in a few words. */
export function inBrief(result: Result): string {
  if (result.kind === "timing") return `${result.seconds.toFixed(3)} s`;
  const { reached, limit, iterations, wallSeconds } = result;
  const distances = (["tv", "kl"] as const).map(
    (name) => `${name.toUpperCase()} ${reached[name].toFixed(4)} (limit ${limit[name].toFixed(4)})`,
  );
  const work = `${iterations} iterations in ${wallSeconds.toFixed(1)} s`;
  return `${distances.join(", ")}, ${work}`;
}

function nameOf({ settings, seed }: PlannedRun): string {
  const names = settings.map(({ name }) => name).join(" = ");
  return seed === null ? names : `seed ${seed} | ${names}`;
}

function keyOf({ settings, seed, assignment }: PlannedRun, fingerprint: string): RunKey {
  const budget = assignment.kind === "training" ? ` ${assignment.seconds}s seed ${seed}` : "";
  const name = `${settings[0].name.replace(/, \d+ s$/, "")}${budget}`;
  return { name, hash: hashOf([fingerprint, assignment]) };
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
