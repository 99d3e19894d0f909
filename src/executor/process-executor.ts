// Runs units in processes of this machine, several at a time: a unit that fails, crashes or runs out of memory affects no
// other.

import type { Executor, Unit, UnitEvent, UnitHandler } from "./unit.ts";
import { UnitProcess, type UnitProcessOptions } from "./unit-process.ts";

export interface ProcessExecutorOptions extends UnitProcessOptions {
  /** Processes at a time. */
  readonly jobs: number;
  /** The version of this package. */
  readonly version: string;
  /** Paths of input files by their SHA-256. */
  readonly files?: ReadonlyMap<string, string>;
}

export function processExecutor(options: ProcessExecutorOptions): Executor {
  const { jobs, version, files = new Map<string, string>() } = options;
  const idle: UnitProcess[] = [];
  const all = new Set<UnitProcess>();
  /** Calls of `run` that wait for a process. */
  const waiting: ((process: UnitProcess) => void)[] = [];

  /** A process that is idle, or a new one if there are fewer than `jobs`; otherwise waits for one. */
  const acquire = (): Promise<UnitProcess> => {
    const process = idle.pop();
    if (process) return Promise.resolve(process);
    if (all.size >= jobs) return new Promise((given) => waiting.push(given));
    const started = new UnitProcess(options);
    all.add(started);
    return Promise.resolve(started);
  };
  const release = (process: UnitProcess) => {
    const next = waiting.shift();
    if (next) next(process);
    else idle.push(process);
  };

  return {
    async run(units, handle, signal) {
      const queue = units.map((unit, index) => ({ unit, index }));
      const stop = new AbortController();
      const ended = AbortSignal.any([signal, stop.signal]);
      const lane = async () => {
        for (let next = queue.shift(); next && !ended.aborted; next = queue.shift()) {
          const process = await acquire();
          try {
            if (!ended.aborted) await runOne(process, next.unit, next.index, handle, ended);
          } finally {
            release(process);
          }
        }
      };
      const lanes = Array.from({ length: Math.min(jobs, units.length) }, lane);
      const guarded = lanes.map((each) =>
        each.catch((error: unknown) => {
          stop.abort(); // an error of the handler ends the other units, too
          throw error;
        }),
      );
      const rejected = (await Promise.allSettled(guarded)).find((end) => end.status === "rejected");
      if (rejected) throw rejected.reason;
    },
    async close() {
      await Promise.all([...all].map((process) => process.close()));
    },
  };

  async function runOne(
    process: UnitProcess,
    unit: Unit,
    index: number,
    handle: UnitHandler,
    ended: AbortSignal,
  ): Promise<void> {
    await handle({ index, kind: "started" });
    if (ended.aborted) return;
    const failure = new AbortController();
    let error: unknown;
    const forward = (event: UnitEvent) => {
      Promise.resolve(handle(event)).catch((reason: unknown) => {
        error ??= reason;
        failure.abort();
      });
    };
    const end = await process.run(
      { kind: "run", unit, files: pathsOf(unit, files), checkpoint: null, version },
      (progress) => {
        if (progress.kind !== "checkpoint") forward({ index, ...progress });
      },
      { signal: AbortSignal.any([ended, failure.signal]) },
    );
    if (failure.signal.aborted) throw error;
    if (ended.aborted) return;
    switch (end.kind) {
      case "finished":
        return handle({ index, ...end });
      case "failed":
      case "crashed":
        return handle({ index, kind: "failed", message: end.message });
      case "paused":
        throw new Error("a unit paused, but nobody asked it to");
      default:
        return end satisfies never;
    }
  }
}

/** Paths of the inputs of a unit by their names. Throws if one is unknown. */
export function pathsOf(unit: Unit, files: ReadonlyMap<string, string>): Record<string, string> {
  const entries = Object.entries(unit.inputs ?? {}).map(([name, hash]) => {
    const path = files.get(hash);
    if (path === undefined)
      throw new Error(`there is no file with the SHA-256 ${hash} for the input ${name}`);
    return [name, path] as const;
  });
  return Object.fromEntries(entries);
}
