// `gflownet evaluate`: the exact figures of a run.

import { assess, metricsTable } from "../metrics.ts";
import { printJson } from "../output.ts";
import { openTrained } from "../trained.ts";
import { describeRun, modesLine } from "../words.ts";

export async function evaluate(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const trained = await openTrained(folder);
  const { metrics } = await assess(trained);
  if (json) printJson(metrics);
  else
    process.stdout.write(
      `${describeRun(trained)}\n\n${metricsTable(metrics)}\n${modesLine(metrics.modes)}\n`,
    );
}
