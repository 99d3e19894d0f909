import { describe, expect, test } from "vitest";
import { type Circumstances, planRuns, runAll } from "./schedule.ts";
import type { Run, RunKey, Store } from "./store.ts";
import { timed, timingResult, trained, trainingResult } from "./test-support.ts";

const settings = [trained("long, 300 s", 300), trained("short", 60), timed("limit"), trained("middle", 120)];

describe("the order", () => {
  const names = (seeds: readonly number[]) =>
    planRuns(settings, seeds, 300).map(({ settings, seed }) => `${settings[0].name} ${seed}`);

  test("goes seed by seed, the shortest first, and times once", () => {
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

  test("caps the time, and settings that then ask for the same share a run", () => {
    const same = { work: trained("x", 60).work };
    const runs = planRuns([trained("x, 60 s", 60, same), trained("x, 300 s", 300, same)], [0, 1], 5);
    expect(runs.map(({ settings, seed }) => [seed, settings.map(({ name }) => name)])).toEqual([
      [0, ["x, 60 s", "x, 300 s"]],
      [1, ["x, 60 s", "x, 300 s"]],
    ]);
    expect(runs[0].assignment).toMatchObject({ kind: "training", seed: 0, seconds: 5 });
  });
});

describe("runs", () => {
  const planned = planRuns(settings, [0, 1], 300);

  /** A store in memory, and processes that end when they are told how. */
  function circumstances(changes: Partial<Circumstances> = {}) {
    const kept = new Map<string, Run>();
    const lines: string[] = [];
    const executed: string[] = [];
    const store: Store = {
      find: async ({ hash }: RunKey) => kept.get(hash),
      keep: async ({ hash }, _, run) => void kept.set(hash, run),
    };
    const values: Circumstances = {
      jobs: 1,
      fresh: false,
      store,
      fingerprint: () => "sources",
      async execute(assignment) {
        executed.push(assignment.kind === "timing" ? "timing" : `${assignment.seconds} ${assignment.seed}`);
        return assignment.kind === "timing" ? timingResult(0.1) : trainingResult();
      },
      say: (line) => lines.push(line),
      ...changes,
    };
    return { values, kept, lines, executed };
  }

  test("are made in order, kept as they end, and announced with the time left", async () => {
    const { values, kept, lines, executed } = circumstances();
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
    expect(kept.size).toBe(7);
    expect(lines[0]).toBe("Runs to do: 7, 1 at a time, about 16 min 28 s.");
    expect(lines[2]).toBe(
      "[2/7] seed 0 | short: TV 0.1200 (limit 0.1000), KL 0.0450 (limit 0.0400), 1000 iterations in 59.6 s | 15 min 15 s left",
    );
    expect(lines.at(-1)).toMatch(/^\[7\/7\] seed 1 \| long, 300 s: .* \| 0 s left$/);
  });

  test("that are kept from the same sources are not made again, unless fresh ones are asked for", async () => {
    const { values, lines, executed } = circumstances();
    const first = await runAll(planned, values);
    executed.length = lines.length = 0;
    expect(await runAll(planned, values)).toEqual(first);
    expect(executed).toEqual([]);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^\[1\/7\] limit: 0\.100 s \| kept from \d{4}-\d\d-\d\d, same sources$/);
    await runAll(planned, { ...values, fresh: true });
    expect(executed).toHaveLength(7);
  });

  test("of other sources are made again", async () => {
    const { values, executed } = circumstances();
    await runAll(planned, values);
    await runAll(planned, { ...values, fingerprint: () => "other sources" });
    expect(executed).toHaveLength(14);
  });

  test("go on where they stopped", async () => {
    const { values, executed } = circumstances();
    await runAll(planned.slice(0, 4), values);
    await runAll(planned, values);
    expect(executed).toEqual(["timing", "60 0", "120 0", "300 0", "60 1", "120 1", "300 1"]);
  });

  test("are side by side as many as asked for", async () => {
    let [now, most] = [0, 0];
    const { values } = circumstances({
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

  test("that fail are named at the end, and the others are kept", async () => {
    const { values, kept, lines } = circumstances({
      async execute(assignment) {
        if (assignment.kind === "training" && assignment.seconds === 120) throw new Error("the loss is NaN");
        return trainingResult();
      },
    });
    await expect(runAll(planned, values)).rejects.toThrow(
      "2 of 7 runs failed, the others are kept:\nseed 0 | middle: the loss is NaN\nseed 1 | middle: the loss is NaN",
    );
    expect(kept.size).toBe(5);
    expect(lines.filter((line) => line.includes("failed: the loss is NaN"))).toHaveLength(2);
  });

  test("stop when the sources change between them", async () => {
    let asked = 0;
    const { values, executed } = circumstances({ fingerprint: () => (++asked > 3 ? "changed" : "same") });
    await expect(runAll(planned, values)).rejects.toThrow("The sources changed while measuring");
    expect(executed).toHaveLength(2);
  });
});
