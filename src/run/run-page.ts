// The HTML report of a run folder.

import { basename, join } from "node:path";
import { keysOf } from "../config/config.ts";
import { taskOptions } from "../config/fill-defaults.ts";
import { type Config, completeConfig, definitionOf, parseConfigText, taskOf } from "../config/index.ts";
import { hasAllStrings } from "../gfn/environment/capabilities.ts";
import { type Environment, isHistoryDependent } from "../gfn/environment/environment.ts";
import { htmlPage } from "../report/page.ts";
import { runReport } from "../report/run-report.ts";
import { customDefinition, customTask } from "./custom-task.ts";
import { RUN_FILES } from "./run-files.ts";
import type { RunView } from "./run-folder.ts";
import { parseSamples } from "./sample-formats.ts";
import { storedTask } from "./trained-run.ts";

export async function runPage(run: RunView): Promise<string> {
  const stored = await storedTask(run);
  const definition = stored?.environment ? customDefinition(stored.environment) : undefined;
  const config = await parseConfigText(run.configText, join(run.folder, RUN_FILES.config), definition);
  const csv = await run.readSamples();
  const samples = csv === null ? [] : parseSamples(csv, join(run.folder, RUN_FILES.samples));
  const page = runReport({
    name: basename(run.folder),
    config: { ...config },
    events: await run.readMetrics(),
    samples: samples.flatMap(({ score, ...sample }) => (score === null ? [] : [{ ...sample, score }])),
    scores: stored?.environment
      ? customTask(stored.environment, stored.scores).label
      : await describeScores(config),
    dynamicsFloor: dynamicsFloorOf(await environmentOf(config, definition)),
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

async function environmentOf(config: Config, definition = definitionOf(config)): Promise<Environment> {
  return (await definition.load()).environment(taskOptions(config, definition));
}

/** The entropy of the outcomes under stick noise, the smallest possible dynamics loss. Only for sequences, where all letters
 * are always legal and the entropy is the same in every state. */
function dynamicsFloorOf(environment: Environment): number | undefined {
  if (!hasAllStrings(environment) || isHistoryDependent(environment)) return undefined;
  const { outcomes, stick } = environment;
  if (outcomes < 2) return undefined;
  const other = stick / outcomes;
  const term = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return term(1 - stick + other) + (outcomes - 1) * term(other);
}
