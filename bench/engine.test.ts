import { describe, expect, test } from "vitest";
import { UsageError } from "./benchmark.ts";
import { engine, plan } from "./engine.ts";
import type { Results, Sample } from "./harness.ts";
import { select } from "./plan.ts";
import type { PyTorch } from "./python.ts";

const pytorch: PyTorch = {
  version: "2.0",
  command: (workload, hidden) => ({ file: "python3", parameters: [workload, String(hidden)], threads: 1 }),
};
const full = { ...engine.full, quick: false };
const quick = { ...engine.quick, quick: true };

/** Two rounds: 200 and 400 it/s for this library, 100 and 100 for every rival, a peak of 2 and 4 GFLOP/s. */
const results: Results = (contest, contender) => {
  const ours = contender === "native, 1 thread";
  const common = { flops: 4e6, after1k: 100 * 2 ** 20, after10k: 101 * 2 ** 20, loadSeconds: 0.1 };
  const samples: Sample[] = [
    { ...common, rate: ours ? 200 : 100, fastest: ours ? 0.002 : 0.004, compileSeconds: 0.2 },
    { ...common, rate: ours ? 400 : 100, fastest: ours ? 0.001 : 0.004, compileSeconds: 0.3 },
  ];
  return contest.startsWith("rss") ? samples.slice(0, 1) : samples;
};

function rowsOf(only: string) {
  return select(plan(full, pytorch), new RegExp(only)).rows.map((row) => row.make(results));
}

describe("the plan", () => {
  test("covers both workloads at all sizes against both rivals", () => {
    const rates = plan(full, pytorch).rows.filter(
      ({ rival, setting }) => rival !== null && /^(mlp|gfl)/.test(setting),
    );
    const settings = [
      ...[64, 128, 256, 1024].map((hidden) => `mlp-step, hidden ${hidden}`),
      ...[64, 128, 256].map((hidden) => `gflownet-iteration, hidden ${hidden}`),
    ];
    for (const rival of ["pytorch", "jax"]) {
      expect(rates.filter((row) => row.rival === rival).map(({ setting }) => setting)).toEqual(settings);
    }
    expect(rates.filter(({ rival }) => rival === "native, 1 thread")).toHaveLength(3);
  });

  test("has only the jax engine as a rival without PyTorch", () => {
    const { contests, rows } = plan(full, undefined);
    expect(rows.some(({ rival }) => rival === "pytorch")).toBe(false);
    expect(contests.flatMap(({ contenders }) => contenders.map(({ name }) => name))).not.toContain("pytorch");
    expect(rows.map((row) => row.make(results)).every(({ ours }) => Number.isFinite(ours))).toBe(true);
  });

  test("has fewer rows in the quick version", () => {
    expect(plan(quick, pytorch).rows.length).toBeLessThan(plan(full, pytorch).rows.length);
  });

  test("has rows that depend only on planned processes", () => {
    for (const { contests, rows } of [plan(full, pytorch), plan(quick, undefined)]) {
      const running = contests.flatMap(({ name, contenders }) =>
        contenders.map((each) => `${name}/${each.name}`),
      );
      for (const need of rows.flatMap(({ samples: needs }) => needs))
        expect(running).toContain(need.join("/"));
    }
  });
});

describe("a selection", () => {
  test("runs only the processes that its rows depend on", () => {
    const { contests, rows } = select(plan(full, pytorch), /mlp-step, hidden 64, jax/);
    expect(rows).toHaveLength(1);
    expect(contests.map(({ name, contenders }) => [name, contenders.map((each) => each.name)])).toEqual([
      ["mlp-step, hidden 64", ["native, 1 thread", "jax"]],
    ]);
  });

  test("without matching rows fails and lists the available settings", () => {
    expect(() => select(plan(full, pytorch), /nothing like it/)).toThrow(UsageError);
    expect(() => select(plan(full, pytorch), /nothing like it/)).toThrow(
      /matches no row; available settings: mlp-step, /,
    );
  });
});

describe("a row", () => {
  test("of rates has the median of the ratios of all rounds", () => {
    expect(rowsOf("^mlp-step, hidden 64, pytorch")).toEqual([
      {
        bench: "engine",
        setting: "mlp-step, hidden 64",
        unit: "it/s",
        ours: 300,
        rival: "pytorch",
        rivalValue: 100,
        ratio: 3,
        rounds: [
          { ours: 200, rivalValue: 100, ratio: 2 },
          { ours: 400, rivalValue: 100, ratio: 4 },
        ],
      },
    ]);
  });

  test("of two threads compares the native engine with one thread", () => {
    expect(rowsOf("hidden 64, 2 threads")).toMatchObject([
      { ours: 100, rival: "native, 1 thread", rivalValue: 300 },
    ]);
  });

  test("of the peak has the fastest call of this library and of the rival", () => {
    expect(rowsOf("^gemm peak")).toMatchObject([{ unit: "GFLOP/s", ours: 4, rivalValue: 1, ratio: 4 }]);
  });

  test("of the share of the peak divides FLOP/s by the larger of both peaks", () => {
    const [{ ours, rivalValue, ratio }] = rowsOf("^share of gemm peak, mlp-step, hidden 64");
    expect(ours).toBeCloseTo((100 * 300 * 4e6) / 4e9, 10);
    expect(rivalValue).toBeCloseTo((100 * 100 * 4e6) / 4e9, 10);
    expect(ratio).toBeCloseTo(3, 10);
  });

  test("of memory has the growth in percent and both measured values", () => {
    const [{ ours, rival, note, rounds }] = rowsOf("^rss growth");
    expect(ours).toBeCloseTo(1, 10);
    expect(rival).toBeNull();
    expect(note).toBe("100 MB after 1k, 101 MB after 10k");
    expect(rounds[0]).toMatchObject({ after1k: 100 * 2 ** 20, after10k: 101 * 2 ** 20 });
  });

  test("of compile time is in seconds, without the time to load the library", () => {
    expect(rowsOf("^compile")).toMatchObject([{ unit: "s", ours: 0.25, ratio: null }]);
  });
});
