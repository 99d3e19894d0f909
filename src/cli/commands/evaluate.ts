// `gflownet evaluate`: the metrics of a run, exact if possible, beside the limit.

import { assess, metricsTable } from "../../run/assessment.ts";
import { describeModes, describeRun } from "../../run/describe-run.ts";
import { openTrainedRun } from "../../run/trained-run.ts";
import { printJson } from "../output.ts";

export async function evaluate(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const trained = await openTrainedRun(folder);
  const { metrics } = await assess(trained);
  if (json) {
    printJson(metrics);
    return;
  }
  process.stdout.write(
    `${describeRun(trained)}\n\n${metricsTable(metrics)}\n${describeModes(metrics.modes)}\n`,
  );
}
