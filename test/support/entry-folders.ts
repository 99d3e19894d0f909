// Folders of runs, comparisons, designs and backtests with given content, for tests of what pages show.

import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { comparisonText } from "../../src/compare/comparison.ts";
import { experimentFileText } from "../../src/compare/experiment-file.ts";
import { type Experiment, experimentFileName } from "../../src/compare/experiment-grid.ts";
import type { ExperimentRecord } from "../../src/compare/experiment-record.ts";
import { formatEvent } from "../../src/run/event-lines.ts";

type Json = Readonly<Record<string, unknown>>;

export const CONFIG = {
  ...{ version: 2, task: "hypergrid", stick: 0.25, side: 4, balance: "db", dynamics: "marginal", loss: "kl" },
  ...{ rewardExponent: 1, batch: 16, iterations: 100, logEvery: 10, seed: 0, engine: "native", threads: 1 },
};

export const iteration = (number: number, loss: number, more: Json = {}): Json => ({
  ...{ kind: "iteration", iteration: number, loss, dynamicsLoss: null, gradientNorm: 1, ...more },
});

export const evaluation = (number: number, seconds: number, tv: number): Json => ({
  ...{ kind: "evaluation", exact: true, iteration: number, seconds },
  reached: {
    tv,
    kl: 2 * tv,
    pearson: null,
    spearman: null,
    expectedReward: 1,
    logZError: 0,
    dynamicsKl: null,
  },
  limit: { tv: 0.01, kl: 0.02, expectedReward: 1.5, gap: 0 },
  uniform: { tv: 0.5, kl: 1, expectedReward: 0.5 },
});

export const end = (iterations: number, seconds: number): Json => ({ kind: "end", iterations, seconds });

export const COMPARISON = {
  ...{ methods: ["kl", "random"], sticks: [0.25], seeds: [0, 1], calls: 100, seconds: null, evaluations: 2 },
  ...{ onPolicy: false, settings: { task: "hypergrid", side: 4 } },
};

export const record = (changes: Partial<ExperimentRecord>): ExperimentRecord => ({
  ...{ calls: 0, seconds: 0, iteration: 0, tv: 0.5, kl: 1, expectedReward: 1, sampledTv: null },
  ...{ sampledFloor: null, limitTv: 0.01, limitKl: 0.02, uniformTv: 0.5, uniformKl: 1, modesFound: 0 },
  ...{ modesScored: 0, modes: 4, callsToHalf: null, callsToAll: null, best: null, topMean: null },
  ...{ diversity: null, loss: null, dynamicsLoss: null, entropyRatio: null, dynamicsFloor: null },
  ...changes,
});

/** A temporary folder to watch, which is deleted after the tests of the file. */
export function watchedFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "gflownet dashboard é ")));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const at = (...names: readonly string[]) => join(root, ...names);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  return {
    root,
    at,
    write,
    run(name: string, config: Json, events: readonly Json[]): void {
      write(`${name}/config.json`, JSON.stringify({ ...CONFIG, ...config }));
      write(`${name}/metrics.jsonl`, events.map(formatEvent).join(""));
    },
    append(name: string, ...events: readonly Json[]): void {
      appendFileSync(at(name, "metrics.jsonl"), events.map(formatEvent).join(""));
    },
    comparison(
      name: string,
      experiments: readonly (readonly [Experiment, readonly ExperimentRecord[]])[],
    ): void {
      write(`${name}/comparison.json`, comparisonText(COMPARISON));
      for (const [experiment, records] of experiments) {
        const file = `${name}/experiments/${experimentFileName(experiment)}`;
        write(file, experimentFileText(experiment, records));
      }
    },
    backtest(name: string): void {
      write(`${name}/forecasts.csv`, "unique_id,ds,cutoff,y,Naive\na,2,1,3,4\n");
      write(`${name}/metrics.csv`, "model,series,step,MAE\nNaive,,,1.5\nNaive,a,,1.5\nNaive,,1,1.5\n");
      write(`${name}/report.html`, "<!doctype html>");
    },
    remove: (name: string) => rmSync(at(name), { recursive: true }),
  };
}
