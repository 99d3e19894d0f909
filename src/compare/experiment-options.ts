// Derives the task, settings and budget of one experiment from a complete comparison.

import { SHARED_SETTINGS } from "../baselines/shared-settings.ts";
import { checkMemory, memoryNeeds } from "../config/check-memory.ts";
import { completeConfig } from "../config/complete.ts";
import type { Config } from "../config/config.ts";
import { withDefaults } from "../config/fill-defaults.ts";
import { parseConfig } from "../config/parse.ts";
import { settingsOf, taskOf } from "../config/train-options.ts";
import { memoryBudget } from "../math/memory-budget.ts";
import { budgetOf, type Comparison } from "./comparison.ts";
import type { ExperimentSettings } from "./experiment-unit.ts";
import { parseMethod } from "./method-text.ts";
import { type CommonSettings, findMethod } from "./methods.ts";
import type { ExperimentOptions } from "./run-experiment.ts";

/** Number of experiments of a comparison that fit into memory at the same time, at least 1, and the memory of one. */
export async function fittingExperiments({
  methods,
  settings,
  sticks,
}: Comparison): Promise<{ readonly count: number; readonly bytes: number }> {
  const base = { ...settings, ...(sticks[0] !== null && { stick: sticks[0] }) };
  const config = await parseConfig(base, { source: "comparison.json" });
  const sizes = methods.map(async (method) => {
    const needs = await memoryNeeds(await withDefaults(configOfMethod(method, config)), "train");
    return needs.reduce((sum, need) => sum + need.bytes, 0);
  });
  const bytes = Math.max(...(await Promise.all(sizes)));
  return { count: Math.max(1, Math.floor(memoryBudget().memory / bytes)), bytes };
}

/** The config of a run whose memory is that of an experiment with this method. */
function configOfMethod(text: string, config: Config): Config {
  const method = findMethod(text);
  const own = { ...config, ...parseMethod(text).problem };
  return method.kind === "gflownet" ? { ...own, ...method.input } : own;
}

/** `config` of the settings has the paths of its files. Throws a UserError if it is invalid. */
export async function experimentOptionsOf({
  config: given,
  ...experiment
}: ExperimentSettings): Promise<Omit<ExperimentOptions, "elapsed">> {
  const { method, seed, onPolicy, evaluations } = experiment;
  const { problem } = parseMethod(method);
  const parsed = await parseConfig({ ...given, ...problem }, { source: "the experiment" });
  const config = await completeConfig(parsed);
  const settings = settingsOf(config);
  const common: CommonSettings = {
    ...Object.fromEntries(SHARED_SETTINGS.map((name) => [name, settings[name]])),
    onPolicy,
    ...("epsilon" in given && { epsilon: settings.epsilon }),
  };
  await checkMemory(configOfMethod(method, parsed), "train");
  const task = await taskOf(config);
  return {
    ...{ task, method, seed, common, engine: config.engine },
    budget: budgetOf(experiment),
    evaluations,
    ...(experiment.stop !== undefined && { stop: experiment.stop }),
  };
}
