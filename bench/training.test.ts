import { describe, expect, test } from "vitest";
import { chooseEngine } from "../src/engine/index.ts";
import type { Results } from "./harness.ts";
import { select } from "./plan.ts";
import type { Rival } from "./python.ts";
import { plan, training } from "./training.ts";
import { workloads } from "./workloads/index.ts";

const rival = (script: string): Rival => ({
  version: "1.0",
  command: (workload, hidden, seconds) => ({
    file: "python3",
    parameters: [script, workload, String(hidden), String(seconds)],
    threads: 1,
  }),
});
const rivals = {
  pytorch: rival("pytorch.py"),
  "jax-jit": rival("jax.py"),
  earlier: rival("worker.ts"),
};

const PEAK = "gemm peak, 1024x1024x1024";

/**
 * Two rounds: 200 and 400 it/s of 50 MFLOP and compile times of 2 and 4 s for this library, 100 and 100 it/s for every rival, and a
 * peak of 2e9 operations in .05 s.
 */
const results: Results = (contest, contender) => {
  if (contest === PEAK) return [{ flops: 2e9, fastest: 0.05 }];
  const compiled = { loadSeconds: 0.1, compileSeconds: 2, flops: 50e6 };
  return contender === "native, 1 thread"
    ? [
        { rate: 200, ...compiled },
        { rate: 400, ...compiled, compileSeconds: 4 },
      ]
    : [{ rate: 100 }, { rate: 100 }];
};

const settings = [
  ...[64, 256].map((hidden) => `training-plain, hidden ${hidden}`),
  ...[64, 128, 256].map((hidden) => `training-default, hidden ${hidden}`),
  "training-thought, hidden 64",
];
const onlyJax = ["training-large, hidden 1024", "training-large, hidden 2048", "training-long, hidden 256"];
const compiled = "compile, training-thought, 64 letters";

describe("the plan", () => {
  test("compares every training with the rivals that have it", () => {
    const { rows } = plan(training.full, rivals);
    expect(rows.map((row) => [row.rival, row.setting])).toEqual([
      ...settings.map((setting) => ["pytorch", setting]),
      ...[...settings, ...onlyJax].map((setting) => ["jax-jit", setting]),
      ...settings.slice(0, -1).map((setting) => ["earlier", setting]),
      [null, PEAK],
      [null, compiled],
    ]);
  });

  test("gives all contenders the same workload, size and time", () => {
    const [, { contenders }] = plan({ seconds: 7 }, rivals).contests;
    const names = ["pytorch", "jax-jit", "earlier", "native, 1 thread"];
    expect(contenders.map(({ name }) => name)).toEqual(names);
    for (const { command } of contenders) {
      expect(command.threads).toBe(1);
      expect(command.parameters.join(" ")).toContain("training-plain 64 7");
    }
  });

  test("has only the installed rivals, even if there are none", () => {
    const names = (found: Partial<typeof rivals>) =>
      plan(training.full, found).contests.map(({ contenders }) => contenders.map(({ name }) => name));
    expect(names({ pytorch: undefined, "jax-jit": rivals["jax-jit"] })[1]).toEqual([
      "jax-jit",
      "native, 1 thread",
    ]);
    expect(names({})[1]).toEqual(["native, 1 thread"]);
    expect(plan(training.full, {}).rows.map((row) => row.make(results))).toMatchObject([
      ...[...settings, ...onlyJax].map((setting) => ({ setting, ours: 300, rival: null, ratio: null })),
      { bench: "training", setting: PEAK, unit: "GFLOP/s", ours: 40, rival: null },
      { bench: "training", setting: compiled, unit: "s", ours: 3, rival: null },
    ]);
  });

  test("has rows that depend only on planned processes", () => {
    const { contests, rows } = plan(training.full, rivals);
    const running = contests.flatMap(({ name, contenders }) =>
      contenders.map((each) => `${name}/${each.name}`),
    );
    for (const need of rows.flatMap(({ samples: needs }) => needs)) expect(running).toContain(need.join("/"));
  });
});

test("a row has the median of the ratios of all rounds", () => {
  const { rows } = select(plan(training.full, rivals), /plain, hidden 64, pytorch/);
  expect(rows.map((row) => row.make(results))).toEqual([
    {
      bench: "training",
      setting: settings[0],
      unit: "it/s",
      ours: 300,
      rival: "pytorch",
      rivalValue: 100,
      ratio: 3,
      rounds: [
        { ours: 200, rivalValue: 100, ratio: 2 },
        { ours: 400, rivalValue: 100, ratio: 4 },
      ],
      note: "50.0 MFLOP per iteration, 38 % of the peak",
    },
  ]);
});

test.each([
  ["training-plain", 300, 0.8],
  ["training-default", 150, 0.8],
  ["training-thought", 400, 0.8],
  ["training-large", 300, 0.8],
  // The flow of long strings begins far from its target, and the loss grows linearly with the distance.
  ["training-long", 150, 0.995],
] as const)("%s trains: its loss falls", async (name, iterations, most) => {
  const { iterate } = await workloads[name]({
    hidden: 16,
    engine: await chooseEngine(),
    threads: 1,
  });
  const losses: number[] = [];
  for (let i = 0; i < iterations; i++) losses.push(await iterate());
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
  expect(mean(losses.slice(-20))).toBeLessThan(most * mean(losses.slice(0, 20)));
});
