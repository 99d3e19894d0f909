// Tests of the order in which a sweep runs its experiments, with an executor that computes known records.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ComparisonFolder, openComparison } from "../compare/comparison-folder.ts";
import { comparisonFromInput } from "../compare/comparison-input.ts";
import { parseMethod } from "../compare/method-text.ts";
import type { Executor, JsonObject } from "../executor/unit.ts";
import { runSweep } from "./run-sweep.ts";
import { ranked, scoresOf } from "./scores.ts";
import { pointsOf, rungsOf, sweepFromInput } from "./sweep.ts";

const sweep = sweepFromInput({ vary: ["clip=1,2,3,4,5,6,7,8,9"], strategy: "halving" });
const points = pointsOf(sweep);

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "sweep-"));
});
afterEach(() => rm(path, { recursive: true }));

/** Each unit has one record: its TV is |clip − 7| plus the seed; a clip of 9 fails. */
function countingExecutor(
  log: string[],
  abortAfter = Number.POSITIVE_INFINITY,
  stop = new AbortController(),
) {
  const executor: Executor = {
    async run(units, handle, signal) {
      for (const [index, { settings }] of units.entries()) {
        if (signal.aborted) return;
        const {
          method,
          seed,
          stop: until,
          calls,
        } = settings as JsonObject & { method: string; seed: number };
        const clip = parseMethod(method).settings.clip as number;
        log.push(`${clip} ${until ?? calls}`);
        if (clip === 9) await handle({ index, kind: "failed", message: "it fails" });
        else {
          const record = { tv: Math.abs(clip - 7) + seed, calls: until ?? calls };
          const provenance = { version: "1", engine: null, threads: 1, instructions: "" };
          await handle({ index, kind: "finished", records: [record as JsonObject], provenance });
        }
        if (log.length === abortAfter) stop.abort();
      }
    },
    close: async () => {},
  };
  return { executor, signal: stop.signal };
}

async function run(folder: ComparisonFolder, log: string[], abortAfter?: number) {
  const comparison = await comparisonOf();
  const rungs = rungsOf(sweep, points.length, comparison.calls, 8);
  const parts = { folder, comparison, sweep, points, rungs, ...countingExecutor(log, abortAfter) };
  return runSweep(parts, { onRung: () => {}, onEvent: () => {} });
}

function comparisonOf() {
  const input = { calls: 900, seeds: 2, methods: points.map(({ method }) => method) };
  return comparisonFromInput({ task: "hypergrid", side: 3, batch: 8 }, input);
}

test("halving promotes the best third of the settings to the next rung, for all seeds", async () => {
  const folder = await openComparison(path, await comparisonOf());
  const log: string[] = [];
  const failures = await run(folder, log);
  const at = (calls: number) =>
    log.filter((line) => line.endsWith(` ${calls}`)).map((line) => Number(line[0]));
  expect(at(100).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((clip) => [clip, clip]));
  expect(at(300).toSorted()).toEqual([6, 6, 7, 7, 8, 8]);
  expect(at(900)).toEqual([7, 7]);
  expect(failures).toHaveLength(2);
  const { finished } = await folder.readExperiments();
  const best = ranked(scoresOf(points, finished, "tv"), "tv");
  expect(best.map(({ values }) => Number(values.clip))).toEqual([7, 6, 8, 5, 4, 3, 2, 1, 9]);
  expect(best[0]).toMatchObject({ mean: 0.5, deviation: Math.SQRT1_2, stop: Number.POSITIVE_INFINITY });
  await folder.close();
});

test.each([3, 18, 20, 24])(
  "a sweep that stops after %i experiments goes on with the same settings",
  async (count) => {
    const folder = await openComparison(path, await comparisonOf());
    const [before, after]: string[][] = [[], []];
    await run(folder, before, count);
    expect(before).toHaveLength(count);
    await run(folder, after);
    const whole: string[] = [];
    const other = await openComparison(join(path, "other"), await comparisonOf());
    await run(other, whole);
    // Failed experiments run again; all others run once.
    const once = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("9")).toSorted();
    expect(once([...before, ...after])).toEqual(once(whole));
    await other.close();
    await folder.close();
  },
);
