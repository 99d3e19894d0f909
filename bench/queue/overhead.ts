// What a queue costs without the work of its units: empty units through one slot, queued together and one after the other.

import { randomUUID } from "node:crypto";
import type { Executor, Unit } from "../../src/executor/unit.ts";
import { median } from "../../src/math/statistics.ts";
import { waitUnit } from "../../src/units/wait-unit.ts";
import { type Setting, withExecutor, withWorkers } from "./setting.ts";

export interface OverheadResult {
  readonly units: number;
  /** Milliseconds that one empty unit takes of a slot while others wait: the median over batches. */
  readonly queued: number;
  /** Milliseconds from sending an empty unit to its result, one after the other. */
  readonly alone: { readonly median: number; readonly percentile95: number };
}

/** Units that are queued together. */
export const BATCH = 100;
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
        times.push(await millisecondsOf(() => runAll(executor, [empty(WARM_UP + i)])));
      }
      const batches: number[] = [];
      for (let i = 0; i < units; i += BATCH) {
        const batch = Array.from({ length: BATCH }, (_, j) => empty(WARM_UP + units + i + j));
        batches.push((await millisecondsOf(() => runAll(executor, batch))) / BATCH);
      }
      const percentile95 = times.toSorted((a, b) => a - b)[Math.floor(0.95 * (units - 1))];
      return { units, queued: median(batches), alone: { median: median(times), percentile95 } };
    }),
  );
}

async function millisecondsOf(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
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
