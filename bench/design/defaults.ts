// How far the defaults of a run with a call budget get: the mean score of the trained policy beside that of the uniform
// policy and of the best reachable one, which are exact.
//
//   npx tsx bench/design/defaults.ts                     all problems, three seeds
//   npx tsx bench/design/defaults.ts --only NK --seeds 1
//   npx tsx bench/design/defaults.ts --set hidden=256,256 --set objective=tb

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RandomStream } from "../../src/engine/index.ts";
import { longSequenceEnvironment } from "../../src/gfn/environment/sequence.ts";
import { model } from "../../src/gfn/policy/model.ts";
import { sampler } from "../../src/gfn/sampling/sampler.ts";
import { DATA_SET_KEYS } from "../../src/gfn/training/data-set-settings.ts";
import { INPUT_KEYS } from "../../src/gfn/training/settings-table.ts";
import type { Kind } from "../../src/settings/kinds.ts";
import { readText } from "../../src/settings/kinds.ts";
import { fitWith } from "../../src/trained/fit.ts";
import { NO_STORAGE } from "../../src/trained/trained.ts";
import { DECISIVE, type DesignProblem, HELD_OUT, REQUIRED } from "./problems.ts";

/** Samples of the trained policy, which are not counted as calls. */
const EVALUATION_SAMPLES = 10_000;
export const REQUIRED_SHARE = 0.8;

/** What one run reached. */
export interface Outcome {
  readonly mean: number;
  readonly calls: number;
  /** Processor time, which other programs on the machine disturb less than the time of day. */
  readonly cpuSeconds: number;
}

const fit = fitWith(NO_STORAGE);

/** Trains once with a call budget and samples the policy. */
export async function runOnce(problem: DesignProblem, seed: number, settings: object): Promise<Outcome> {
  const environment = longSequenceEnvironment(problem);
  let calls = 0;
  const scores = (strings: readonly string[]) => {
    calls += strings.length;
    return strings.map((string) => problem.score(string));
  };
  const before = process.cpuUsage();
  const trained = await fit({ environment, scores, calls: problem.calls, seed, ...settings });
  const { user, system } = process.cpuUsage(before);
  const objects = await sampler(model(environment, trained.options));
  const policy = trained.snapshot.tensors.policy as Float32Array;
  const samples = await objects.sample(
    policy,
    EVALUATION_SAMPLES,
    RandomStream.fromSeed(seed).split("bench"),
  );
  await Promise.all([objects.dispose(), trained.dispose()]);
  const mean = samples.reduce((sum, { object }) => sum + problem.score(object), 0) / samples.length;
  return { mean, calls, cpuSeconds: (user + system) / 1e6 };
}

/** Settings from texts like `hidden=256,256`. */
function settingsOf(texts: readonly string[]): object {
  const kinds: Readonly<Record<string, { readonly kind: Kind<never> }>> = {
    ...INPUT_KEYS,
    ...DATA_SET_KEYS,
  } as never;
  return Object.fromEntries(
    texts.map((text) => {
      const [name, value] = text.split(/=(.*)/s);
      if (name === "iterations") return [name, Number(value)];
      if (!kinds[name]) throw new RangeError(`there is no setting ${name}`);
      const read = readText(kinds[name].kind, value);
      if ("problem" in read) throw new RangeError(`${name} ${read.problem}`);
      return [name, read.value];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seeds: { type: "string", default: "3" },
      set: { type: "string", multiple: true, default: [] },
    },
  });
  const settings = settingsOf(values.set);
  const problems = [...REQUIRED, ...DECISIVE, ...HELD_OUT].filter(
    ({ name }) => !values.only || name.includes(values.only),
  );
  console.log(
    "| problem | calls | uniform | best reachable | reached (share of the way), by seed | cpu seconds |",
  );
  console.log("|---|---|---|---|---|---|");
  for (const problem of problems) {
    const { uniform, bestReachable } = problem.references();
    const outcomes: Outcome[] = [];
    for (let seed = 0; seed < Number(values.seeds); seed++) {
      outcomes.push(await runOnce(problem, seed, settings));
    }
    const cells = outcomes.map(({ mean }) => {
      const share = (mean - uniform) / (bestReachable - uniform);
      return `${mean.toFixed(4)} (${(100 * share).toFixed(0)} %${share < REQUIRED_SHARE ? ", below 80 %" : ""})`;
    });
    const [calls, cpu] = [
      Math.max(...outcomes.map(({ calls }) => calls)),
      Math.max(...outcomes.map(({ cpuSeconds }) => cpuSeconds)),
    ];
    console.log(
      `| ${problem.name} | ${calls} | ${uniform.toFixed(4)} | ${bestReachable.toFixed(4)} | ${cells.join(", ")} | ${cpu.toFixed(0)} |`,
    );
  }
}
