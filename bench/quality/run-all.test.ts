import { describe, expect, test } from "vitest";
import { planRuns, type RunAllOptions, runAll } from "./run-all.ts";
import type { Run, RunKey, RunStore } from "./run-store.ts";
import { timingCase, timingResult, trainingCase, trainingResult } from "./test-support.ts";

const settings = [
  trainingCase("long, 300 s", 300),
  trainingCase("short", 60),
  timingCase("limit"),
  trainingCase("middle", 120),
];

describe("the plan", () => {
  const names = (seeds: readonly number[]) =>
    planRuns(settings, seeds, 300).map(({ cases: settings, seed }) => `${settings[0].name} ${seed}`);

  test("has seeds as the outer loop, short runs first, and timings once", () => {
    expect(names([0, 1])).toEqual([
      "limit null",
      "short 0",
      "middle 0",
      "long, 300 s 0",
      "short 1",
      "middle 1",
      "long, 300 s 1",
    ]);
  });

  test("limits the training time, and cases whose measurements become equal by this share a run", () => {
    const same = { measurement: trainingCase("x", 60).measurement };
    const runs = planRuns(
      [trainingCase("x, 60 s", 60, same), trainingCase("x, 300 s", 300, same)],
      [0, 1],
      5,
    );
    expect(runs.map(({ cases: settings, seed }) => [seed, settings.map(({ name }) => name)])).toEqual([
      [0, ["x, 60 s", "x, 300 s"]],
      [1, ["x, 60 s", "x, 300 s"]],
    ]);
    expect(runs[0].measurement).toMatchObject({ kind: "training", seed: 0, seconds: 5 });
  });
});

describe("runs", () => {
  const planned = planRuns(settings, [0, 1], 300);

  /** Options that store runs in memory and fake the processes. */
  function runOptions(changes: Partial<RunAllOptions> = {}) {
    const stored = new Map<string, Run>();
    const lines: string[] = [];
    const executed: string[] = [];
    const store: RunStore = {
      find: async ({ hash }: RunKey) => stored.get(hash),
      save: async ({ hash }, _, run) => void stored.set(hash, run),
    };
    const values: RunAllOptions = {
      jobs: 1,
      fresh: false,
      store,
      fingerprint: () => "sources",
      async execute(measurement) {
        executed.push(
          measurement.kind === "timing" ? "timing" : `${measurement.seconds} ${measurement.seed}`,
        );
        return measurement.kind === "timing" ? timingResult(0.1) : trainingResult();
      },
      say: (line) => lines.push(line),
      ...changes,
    };
    return { values, stored, lines, executed };
  }

  test("are executed in order, stored when they finish, and reported with the time left", async () => {
    const { values, stored, lines, executed } = runOptions();
    const runs = await runAll(planned, values);
    expect(executed).toEqual(["timing", "60 0", "120 0", "300 0", "60 1", "120 1", "300 1"]);
    expect(runs.map(({ seed, budget }) => [seed, budget])).toEqual([
      [null, null],
      [0, 60],
      [0, 120],
      [0, 300],
      [1, 60],
      [1, 120],
      [1, 300],
    ]);
    expect(stored.size).toBe(7);
    expect(lines[0]).toBe("7 runs to do, 1 at a time, about 16 min 28 s.");
    expect(lines[2]).toBe(
      "[2/7] seed 0 | short: TV 0.1200 (limit 0.1000), KL 0.0450 (limit 0.0400), 1000 iterations in 59.6 s | 15 min 15 s left",
    );
    expect(lines.at(-1)).toMatch(/^\[7\/7\] seed 1 \| long, 300 s: .* \| 0 s left$/);
  });

  test("that are stored with the same sources are reused, except with `fresh`", async () => {
    const { values, lines, executed } = runOptions();
    const first = await runAll(planned, values);
    executed.length = lines.length = 0;
    expect(await runAll(planned, values)).toEqual(first);
    expect(executed).toEqual([]);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^\[1\/7\] limit: 0\.100 s \| stored on \d{4}-\d\d-\d\d, same sources$/);
    await runAll(planned, { ...values, fresh: true });
    expect(executed).toHaveLength(7);
  });

  test("that were stored with other sources are executed again", async () => {
    const { values, executed } = runOptions();
    await runAll(planned, values);
    await runAll(planned, { ...values, fingerprint: () => "other sources" });
    expect(executed).toHaveLength(14);
  });

  test("continue after an interruption", async () => {
    const { values, executed } = runOptions();
    await runAll(planned.slice(0, 4), values);
    await runAll(planned, values);
    expect(executed).toEqual(["timing", "60 0", "120 0", "300 0", "60 1", "120 1", "300 1"]);
  });

  test("run `jobs` at a time", async () => {
    let [now, most] = [0, 0];
    const { values } = runOptions({
      jobs: 3,
      async execute() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        now--;
        return trainingResult();
      },
    });
    const runs = await runAll(planned, values);
    expect(most).toBe(3);
    expect(new Set(runs.map(({ jobs }) => jobs))).toEqual(new Set([3]));
  });

  test("that fail are reported at the end, and the others are stored", async () => {
    const { values, stored, lines } = runOptions({
      async execute(measurement) {
        if (measurement.kind === "training" && measurement.seconds === 120)
          throw new Error("the loss is NaN");
        return trainingResult();
      },
    });
    await expect(runAll(planned, values)).rejects.toThrow(
      "2 of 7 runs failed, the others are stored:\nseed 0 | middle: the loss is NaN\nseed 1 | middle: the loss is NaN",
    );
    expect(stored.size).toBe(5);
    expect(lines.filter((line) => line.includes("failed: the loss is NaN"))).toHaveLength(2);
  });

  test("stop if the sources change during the benchmark", async () => {
    let asked = 0;
    const { values, executed } = runOptions({ fingerprint: () => (++asked > 3 ? "changed" : "same") });
    await expect(runAll(planned, values)).rejects.toThrow("The sources changed during the benchmark");
    expect(executed).toHaveLength(2);
  });
});
