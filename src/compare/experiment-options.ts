// Derives the task, settings and budget of one experiment from a complete comparison.

import { SHARED_SETTINGS } from "../baselines/shared-settings.ts";
import { completeConfig } from "../config/complete.ts";
import { parseConfig } from "../config/parse.ts";
import { settingsOf, taskOf } from "../config/train-options.ts";
import { UserError } from "../issues.ts";
import { isEnumerableTask } from "../tasks/task.ts";
import { budgetOf, type Comparison } from "./comparison.ts";
import type { Experiment } from "./experiment-grid.ts";
import type { CommonSettings } from "./methods.ts";
import type { ExperimentOptions } from "./run-experiment.ts";

export async function experimentOptionsOf(
  comparison: Comparison,
  { method, stick, seed }: Experiment,
): Promise<Omit<ExperimentOptions, "elapsed">> {
  const source = "comparison.json";
  const config = await completeConfig(await parseConfig({ ...comparison.settings, stick }, { source }));
  const settings = settingsOf(config);
  const common: CommonSettings = {
    ...Object.fromEntries(SHARED_SETTINGS.map((name) => [name, settings[name]])),
    onPolicy: comparison.onPolicy,
    ...("epsilon" in comparison.settings && { epsilon: settings.epsilon }),
  };
  const task = await taskOf(config);
  if (!isEnumerableTask(task)) {
    const message = `must be a task whose states can be enumerated, got ${config.task}`;
    throw new UserError([{ path: "task", code: "conflict", message }]);
  }
  return {
    ...{ task, method, seed, common, engine: config.engine },
    budget: budgetOf(comparison),
    evaluations: comparison.evaluations,
  };
}
