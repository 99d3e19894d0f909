// The HTML report of a run folder.

import { basename, join } from "node:path";
import { keysOf } from "../config/config.ts";
import { taskOptions } from "../config/fill-defaults.ts";
import { type Config, completeConfig, definitionOf, parseConfigText, taskOf } from "../config/index.ts";
import { isSequence } from "../gfn/environment/capabilities.ts";
import { htmlPage } from "../report/page.ts";
import { runReport } from "../report/run-report.ts";
import { RUN_FILES } from "./run-files.ts";
import type { RunView } from "./run-folder.ts";
import { parseSamples } from "./sample-formats.ts";

export async function runPage(run: RunView): Promise<string> {
  const config = await parseConfigText(run.configText, join(run.folder, RUN_FILES.config));
  const csv = await run.readSamples();
  const page = runReport({
    name: basename(run.folder),
    config: { ...config },
    events: await run.readMetrics(),
    samples: csv === null ? [] : parseSamples(csv, join(run.folder, RUN_FILES.samples)),
    scores: await describeScores(config),
    dynamicsFloor: await dynamicsFloorOf(config),
  });
  return htmlPage(page);
}

/** The label of the scores. It does not read a score file, which may no longer exist. */
async function describeScores(config: Config): Promise<string> {
  const { offlineFile: _, ...rest } = config;
  for (const [name, { file }] of Object.entries(keysOf(definitionOf(config)))) {
    const value = rest[name];
    if (file && typeof value === "string" && !file.builtIn.includes(value)) {
      return `scores from ${basename(value)}`;
    }
  }
  return (await taskOf(await completeConfig(rest), "task")).label;
}

/** The entropy of the outcomes under stick noise, the smallest possible dynamics loss. Only for sequences, where all letters
 * are always legal and the entropy is the same in every state. */
async function dynamicsFloorOf(config: Config): Promise<number | undefined> {
  const environment = (await definitionOf(config).load()).environment(taskOptions(config));
  if (!isSequence(environment) || config.stick === undefined) return undefined;
  const { outcomes, stick } = environment;
  if (outcomes < 2) return undefined;
  const other = stick / outcomes;
  const term = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return term(1 - stick + other) + (outcomes - 1) * term(other);
}
