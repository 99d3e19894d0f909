// Folders of runs for benchmarks of the dashboard: many short runs, long runs, and one with a large file of metrics. Each is
// written once per benchmark and shown by several servers.

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CONFIG, evaluation, iteration } from "../../test/support/entry-folders.ts";

export const MANY_RUNS = 1000;
export const LONG_RUNS = 20;
export const LONG_POINTS = 100_000;
export const LARGE_MIB = 1024;

/** Runs of one group differ in the seed. */
const SEEDS = 5;
const LINES_AT_ONCE = 10_000;
const EVALUATE_EVERY = 1000;

/** Writes 1,000 runs with 200 iterations each; returns the folder. */
export function writeManyRuns(folder: string): string {
  for (let i = 0; i < MANY_RUNS; i++) {
    const name = join(folder, "runs", `run-${i}`);
    writeConfig(name, { seed: i % 10, stick: i % 7 });
    const events = Array.from({ length: 200 }, (_, k) => iteration(k, 1 / (k + 1)));
    writeFileSync(join(name, "metrics.jsonl"), linesOf([...events, evaluation(200, 1, 0.5)]));
  }
  return folder;
}

/** Writes 20 runs of 100,000 iterations, five seeds of each of four settings; returns their ids. */
export function writeLongRuns(folder: string): string[] {
  return Array.from({ length: LONG_RUNS }, (_, i) => {
    const id = `runs/run-${i}`;
    const group = Math.floor(i / SEEDS);
    writeConfig(join(folder, id), { seed: i % SEEDS, stick: group / 10 });
    writeEvents(join(folder, id), LONG_POINTS, (k) => {
      const noise = 1 + 0.5 * Math.sin(k * (i + 1)) * Math.cos(0.7 * k);
      const event = iteration(k, (noise * 30 * (1 + group)) / Math.sqrt(k), {
        gradientNorm: noise + Math.exp(-k / 2e4),
      });
      return k % EVALUATE_EVERY === 0 ? [event, evaluation(k, k / 500, 1 / Math.sqrt(k))] : [event];
    });
    return id;
  });
}

/** Writes a run with this many MiB of metrics; returns its id. */
export function writeLargeRun(folder: string): string {
  const id = "runs/large";
  writeConfig(join(folder, id), {});
  writeEvents(
    join(folder, id),
    Number.POSITIVE_INFINITY,
    (k) => [iteration(k, Math.sin(k))],
    LARGE_MIB * 2 ** 20,
  );
  return id;
}

function writeConfig(folder: string, config: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...CONFIG, ...config }));
}

/** Writes the events of iterations from 1 on, until there are enough of them or enough bytes. */
function writeEvents(
  folder: string,
  iterations: number,
  eventsOf: (iteration: number) => readonly object[],
  bytes = Number.POSITIVE_INFINITY,
): void {
  const file = openSync(join(folder, "metrics.jsonl"), "w");
  for (let size = 0, k = 0; k < iterations && size < bytes; ) {
    const count = Math.min(LINES_AT_ONCE, iterations - k);
    size += writeSync(file, linesOf(Array.from({ length: count }, () => eventsOf(++k)).flat()));
  }
  closeSync(file);
}

function linesOf(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}
