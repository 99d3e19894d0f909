// `gflownet export`: writes the trained policy and dynamics model as a file for any ONNX Runtime.

import { learnsDynamics } from "../../gfn/objectives/objective.ts";
import { exportModel } from "../../gfn/policy/export-onnx.ts";
import { UserError } from "../../issues.ts";
import { writeFileAtomically } from "../../run/atomic-file.ts";
import { parametersOf } from "../../run/run-sampler.ts";
import { openTrainedRun } from "../../run/trained-run.ts";
import { checkOutputFile } from "../output-file.ts";

export async function exportRun(
  folder: string,
  { onnx, rows }: { readonly onnx: string; readonly rows: number },
): Promise<void> {
  await checkOutputFile("--onnx", onnx, () => {
    throw new UserError(`--onnx: ${onnx} exists; remove it or choose another name`);
  });
  const { model, task, options, snapshot, config } = await openTrainedRun(folder);
  const bytes = exportModel(model, parametersOf(model, snapshot), {
    rows,
    includeDynamics: learnsDynamics(options),
    task,
    metadata: { iterations: String(snapshot.iteration), seed: String(config.seed) },
  });
  await writeFileAtomically(onnx, bytes);
  process.stdout.write(`Exported to ${onnx}; describe it with: gflownet inspect ${onnx}\n`);
}
