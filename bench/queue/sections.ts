// The measurements of the queue benchmark: what each runs, and its requirement.

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "../../src/math/statistics.ts";
import { type ComparisonResult, runComparison, runQueuedComparison } from "./comparison.ts";
import { BATCH, measureOverhead } from "./overhead.ts";
import type { QueueRow } from "./rows.ts";
import type { Setting } from "./setting.ts";
import { measureSleepingOracle, type SleepingOracleOptions } from "./sleeping-oracle.ts";
import { runStorm } from "./storm.ts";
import type { StormSize } from "./storm-plan.ts";

export type Figures = Pick<QueueRow, "measured" | "required" | "met" | "result">;

export interface SectionOptions {
  readonly quick: boolean;
  /** Most seconds of a kill storm. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

export interface Section {
  readonly name: string;
  run(setting: Setting, options: SectionOptions): Promise<Figures>;
}

const [MOST_OVERHEAD, LEAST_SHARE, MOST_RATIO] = [5, 0.95, 1.15];
const STORM: StormSize = {
  ...{ units: 1000, workers: 4, workerKills: 20, brokerKills: 5, coordinatorKills: 3, cuts: 2 },
};
const SMALL_STORM: StormSize = {
  ...{ units: 200, workers: 4, workerKills: 4, brokerKills: 1, coordinatorKills: 1, cuts: 1 },
};

/** The table of the comparison on processes, which all stores are compared with. */
let onProcesses: Promise<ComparisonResult> | undefined;

export const SECTIONS: readonly Section[] = [
  {
    name: "empty units",
    async run(setting, { quick }) {
      const disk = diskMilliseconds(setting.folder);
      const result = await measureOverhead(setting, quick ? 200 : 2000);
      const { units, queued, alone } = result;
      return {
        measured: `${queued.toFixed(1)} ms each (${units}, queued ${BATCH} at a time; median); one at a time ${alone.median.toFixed(1)} ms from sending to result (95 %: ${alone.percentile95.toFixed(1)} ms); disk ${disk.toFixed(1)} ms`,
        required: `median at most ${MOST_OVERHEAD} ms`,
        met: quick ? null : queued <= MOST_OVERHEAD,
        result: { ...result, disk },
      };
    },
  },
  {
    name: "sleeping oracle of 1 s, 16 workers",
    run: (setting, { quick }) =>
      slowOracle(
        setting,
        { workers: 16, milliseconds: 1000, strings: quick ? 64 : 320 },
        quick,
        1 / LEAST_SHARE,
      ),
  },
  {
    name: "sleeping oracle of 50 ms, 8 workers",
    run: (setting, { quick }) =>
      slowOracle(setting, { workers: 8, milliseconds: 50, strings: quick ? 640 : 3200 }, quick, MOST_RATIO),
  },
  {
    name: "kill storm",
    async run(setting, { quick, seconds, say }) {
      const size = quick ? SMALL_STORM : STORM;
      const result = await runStorm(setting, size, { seed: 1, timeout: seconds, say });
      const planned = size.workerKills + size.brokerKills + size.coordinatorKills + size.cuts;
      const { right, wrong, missing, repeated, extraStarts, mostExtraStarts, disturbances } = result;
      return {
        measured: `${right} right, ${wrong} wrong, ${missing} missing, ${repeated} repeated, ${result.failures.length} failed; ${extraStarts} extra starts; ${disturbances} of ${planned} disturbances; ${result.seconds.toFixed(0)} s`,
        required: `${size.units} right, none wrong, missing or repeated; at most ${mostExtraStarts} extra starts`,
        met:
          right === size.units &&
          wrong + missing + repeated + result.failures.length === 0 &&
          extraStarts <= mostExtraStarts &&
          disturbances === planned,
        result,
      };
    },
  },
  {
    name: "comparison",
    async run(setting, { quick }) {
      const calls = quick ? 256 : 1024;
      onProcesses ??= runComparison(setting.main, setting.folder, calls);
      const [expected, result] = [await onProcesses, await runQueuedComparison(setting, calls)];
      const isEqual = expected.hash === result.hash;
      return {
        measured: `table.csv of ${result.lines} lines ${isEqual ? "is identical" : "DIFFERS"} (SHA-256 ${result.hash.slice(0, 12)}, on processes ${expected.hash.slice(0, 12)})`,
        required: "byte-identical to that of processes",
        met: isEqual,
        result: { onQueue: result, onProcesses: expected },
      };
    },
  },
];

async function slowOracle(
  setting: Setting,
  options: SleepingOracleOptions,
  quick: boolean,
  mostRatio: number,
): Promise<Figures> {
  const result = await measureSleepingOracle(setting, options);
  const { seconds, ideal } = result;
  return {
    measured: `${options.strings} strings in ${seconds.toFixed(2)} s, ideal ${ideal.toFixed(2)} s: ${((100 * ideal) / seconds).toFixed(1)} % of the ideal`,
    required: `at least ${(100 / mostRatio).toFixed(0)} % of the ideal`,
    met: quick ? null : seconds <= mostRatio * ideal,
    result,
  };
}

/** Median time of a small durable write, which a server that loses nothing does for every change. */
function diskMilliseconds(folder: string): number {
  const file = openSync(join(folder, "disk"), "w");
  try {
    const times = Array.from({ length: 100 }, () => {
      const start = performance.now();
      writeSync(file, "x".repeat(500));
      fdatasyncSync(file);
      return performance.now() - start;
    });
    return median(times);
  } finally {
    closeSync(file);
  }
}
