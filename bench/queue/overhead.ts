// What a queue costs without the work of its units: empty units one after the other through one slot, and many at once.

import { randomUUID } from "node:crypto";
import type { Executor, Unit } from "../../src/executor/unit.ts";
import { median } from "../../src/math/statistics.ts";
import { waitUnit } from "../../src/units/wait-unit.ts";
import { type Setting, withExecutor, withWorkers } from "./setting.ts";

export interface OverheadResult {
  readonly units: number;
  /** Milliseconds from sending an empty unit to its result, one after the other. */
  readonly median: number;
  readonly percentile95: number;
  /** Empty units per second when all are queued at once, with one slot. */
  readonly perSecond: number;
}

const WARM_UP = 50;
const NEVER = new AbortController().signal;

export function measureOverhead(setting: Setting, units: number): Promise<OverheadResult> {
  return withWorkers(setting, 1, {}, () =>
    withExecutor(setting.broker.url(), async (executor) => {
      const name = randomUUID();
      const empty = (i: number) => waitUnit(`${name} ${i}`, 0);
      for (let i = 0; i < WARM_UP; i++) await runAll(executor, [empty(i)]);
      const times: number[] = [];
      for (let i = 0; i < units; i++) {
        const start = performance.now();
        await runAll(executor, [empty(WARM_UP + i)]);
        times.push(performance.now() - start);
      }
      const start = performance.now();
      await runAll(
        executor,
        Array.from({ length: units }, (_, i) => empty(WARM_UP + units + i)),
      );
      const perSecond = (1000 * units) / (performance.now() - start);
      const sorted = times.toSorted((a, b) => a - b);
      return {
        units,
        median: median(times),
        percentile95: sorted[Math.floor(0.95 * (units - 1))],
        perSecond,
      };
    }),
  );
}

/** Runs units and throws if one fails. */
async function runAll(executor: Executor, units: readonly Unit[]): Promise<void> {
  await executor.run(
    units,
    (event) => {
      if (event.kind === "failed") throw new Error(event.message);
    },
    NEVER,
  );
}
