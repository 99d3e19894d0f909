// The benchmark of engines in a browser: training iterations on a page in Chromium, compared with the native engine in Node.

import type { Benchmark } from "../benchmark.ts";
import { interleavedRounds, measure, runProcess } from "../harness.ts";
import { packageVersion } from "../machine.ts";
import { rowsOf, select } from "../plan.ts";
import { COMPARISON_TABLE } from "../report.ts";
import { buildBenchmarkPage } from "./built-page.ts";
import { BENCH, plan } from "./plan.ts";
import { ADAPTER, pageCommand } from "./task.ts";

export const webEngine: Benchmark = {
  name: BENCH,
  summary: "engines in a browser compared with the native engine: training iterations in Chromium",
  full: { rounds: 5, seconds: 3 },
  quick: { rounds: 2, seconds: 1 },
  help: {
    quick: "short version, about two minutes: 2 rounds of 1 s, the default iteration only",
    seconds:
      "measured seconds per process, after a warm-up of 8 s in a browser and up to 1 s in Node (default 3)",
  },
  table: {
    ...COMPARISON_TABLE,
    legend: [
      "Values are medians over rounds. The ratio is the median of the ratios of all rounds, browser / Node, with the smallest and",
      "the largest in brackets: 0.5 is half the speed of the native engine. Every value comes from a new process of Chromium or",
      "Node. The time until the trainer is ready includes tracing, and in the browser loading the runtime from loopback.",
    ],
  },
  recordProblem: ({ quick }) => (quick ? "--record needs a complete result: omit --quick." : undefined),
  async run(options, say) {
    await buildBenchmarkPage();
    const { webgpu } = await runProcess(pageCommand(ADAPTER));
    if (!webgpu) say("Chromium has no graphics processor for WebGPU here: continuing without it.");
    const { contests, rows } = select(plan({ ...options, hasWebGpu: webgpu === 1 }), options.only);
    const measured = await measure(interleavedRounds(contests, options.rounds), say);
    return {
      rows: rowsOf(rows, measured),
      versions: Object.fromEntries(
        ["onnxruntime-web", "onnxruntime-node", "@jax-js/jax"].map((name) => [name, packageVersion(name)]),
      ),
    };
  },
};
