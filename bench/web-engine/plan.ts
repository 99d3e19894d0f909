// The contests and rows of the benchmark of engines in a browser.

import type { RunOptions } from "../benchmark.ts";
import { NATIVE, rateRow } from "../engine-rows.ts";
import type { Contender, Contest } from "../harness.ts";
import type { Plan } from "../plan.ts";
import { median } from "../statistics.ts";
import { workerCommand } from "../worker-command.ts";
import { type PageDevice, type PageTask, pageCommand } from "./task.ts";

export const BENCH = "web";

/** The default iteration first, because the quick version measures it alone. */
const SETTINGS = [
  { workload: "training-default", hidden: 128 },
  { workload: "training-plain", hidden: 64 },
  { workload: "training-plain", hidden: 256 },
] as const;

interface Engine {
  readonly name: string;
  readonly device: PageDevice;
  readonly threads: number;
}

const ENGINES: readonly Engine[] = [
  { name: "web, 1 thread", device: "web", threads: 1 },
  { name: "web, 2 threads", device: "web", threads: 2 },
  { name: "jax on WebAssembly", device: "wasm", threads: 1 },
  { name: "jax on WebGPU", device: "webgpu", threads: 1 },
];

type PlanOptions = Pick<RunOptions, "seconds" | "quick"> & { readonly hasWebGpu: boolean };

/** In each round of a contest, the native engine runs between the engines of the browser. */
export function plan({ seconds, quick, hasWebGpu }: PlanOptions): Plan {
  const engines = ENGINES.filter(({ device }) => device !== "webgpu" || hasWebGpu);
  const settings = quick ? SETTINGS.slice(0, 1) : SETTINGS;
  return {
    contests: settings.map(({ workload, hidden }): Contest => {
      const inBrowser = engines.map(({ name, device, threads }): Contender => {
        const task: PageTask = { device, threads, workload, hidden, seconds };
        return { name, command: pageCommand(task) };
      });
      const native = workerCommand({ measurement: "rate", workload, hidden, seconds });
      return {
        name: `${workload}, hidden ${hidden}`,
        contenders: [inBrowser[0], { name: NATIVE, command: native }, ...inBrowser.slice(1)],
        describe: ({ rate }) => `${rate.toFixed(1)} it/s`,
      };
    }),
    rows: settings.flatMap(({ workload, hidden }) =>
      engines.map(({ name }) => {
        const contest = `${workload}, hidden ${hidden}`;
        const row = rateRow(`${contest}, ${name}`, contest, name, NATIVE, BENCH);
        return {
          ...row,
          make: (results) => {
            const ready = results(contest, name).map(({ compileSeconds }) => compileSeconds);
            return { ...row.make(results), note: `ready after ${median(ready).toFixed(2)} s` };
          },
        };
      }),
    ),
  };
}
