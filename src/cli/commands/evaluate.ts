// `gflownet evaluate`: the metrics of a run, exact if possible, beside the limit.

import { assess, describeMetrics } from "../../run/assessment.ts";
import { describeRun } from "../../run/describe-run.ts";
import { openTrainedRun } from "../../run/trained-run.ts";
import { loadUserModule } from "../../run/user-module.ts";
import { printJson } from "../output.ts";

export interface EvaluateCommand {
  readonly json?: boolean;
  /** Module with the score function of a run that was trained from TypeScript. */
  readonly module?: string;
}

export async function evaluate(folder: string, { json, module }: EvaluateCommand): Promise<void> {
  const trained = await openTrainedRun(folder, module === undefined ? {} : await loadUserModule(module));
  const { metrics } = await assess(trained);
  if (json) {
    printJson(metrics);
    return;
  }
  process.stdout.write(`${describeRun(trained)}\n\n${describeMetrics(metrics)}\n`);
}
