// Derives the task, settings and budget of one experiment from a complete comparison.

import { SHARED_SETTINGS } from "../baselines/shared-settings.ts";
import { memoryNeeds } from "../config/check-memory.ts";
import { completeConfig } from "../config/complete.ts";
import { withDefaults } from "../config/fill-defaults.ts";
import { parseConfig } from "../config/parse.ts";
import { settingsOf, taskOf } from "../config/train-options.ts";
import { UserError } from "../issues.ts";
import { memoryBudget } from "../math/memory-budget.ts";
import { isEnumerableTask } from "../tasks/task.ts";
import { budgetOf, type Comparison } from "./comparison.ts";
import type { ExperimentSettings } from "./experiment-unit.ts";
import type { CommonSettings } from "./methods.ts";
import type { ExperimentOptions } from "./run-experiment.ts";

/** Number of experiments of a comparison that fit into memory at the same time, at least 1, and the memory of one. */
export async function fittingExperiments({
  settings,
  sticks,
}: Comparison): Promise<{ readonly count: number; readonly bytes: number }> {
  const config = await parseConfig({ ...settings, stick: sticks[0] }, { source: "comparison.json" });
  const needs = await memoryNeeds(await withDefaults(config), "train");
  const bytes = needs.reduce((sum, need) => sum + need.bytes, 0);
  return { count: Math.max(1, Math.floor(memoryBudget().memory / bytes)), bytes };
}

/** `config` of the settings has the paths of its files. Throws a UserError if it is invalid. */
export async function experimentOptionsOf({
  config: given,
  ...experiment
}: ExperimentSettings): Promise<Omit<ExperimentOptions, "elapsed">> {
  const { method, seed, onPolicy, evaluations } = experiment;
  const config = await completeConfig(await parseConfig(given, { source: "the experiment" }));
  const settings = settingsOf(config);
  const common: CommonSettings = {
    ...Object.fromEntries(SHARED_SETTINGS.map((name) => [name, settings[name]])),
    onPolicy,
    ...("epsilon" in given && { epsilon: settings.epsilon }),
  };
  const task = await taskOf(config);
  if (!isEnumerableTask(task)) {
    const message = `must be a task whose states can be enumerated, got ${config.task}`;
    throw new UserError([{ path: "task", code: "conflict", message }]);
  }
  return {
    ...{ task, method, seed, common, engine: config.engine },
    budget: budgetOf(experiment),
    evaluations,
  };
}
