// `gflownet export`: writes the trained policy and dynamics model as a file for any ONNX Runtime.

import { writeFileAtomically } from "../../disk/atomic-file.ts";
import { UserError } from "../../issues.ts";
import { openTrainedRun } from "../../run/trained-run.ts";
import { NO_STORAGE, trainedModel } from "../../trained/trained.ts";
import { commandLine } from "../command-name.ts";
import { checkOutputFile } from "../output-file.ts";
import { shellPath } from "../paths.ts";

export async function exportRun(
  folder: string,
  { onnx, rows }: { readonly onnx: string; readonly rows: number },
): Promise<void> {
  await checkOutputFile("--onnx", onnx, () => {
    throw new UserError(`--onnx: ${onnx} exists; remove it or choose another name`);
  });
  const { task, options, snapshot } = await openTrainedRun(folder);
  const bytes = trainedModel({ options, snapshot, events: [] }, NO_STORAGE).export({ rows, task });
  await writeFileAtomically(onnx, bytes);
  process.stdout.write(`Exported to ${onnx}; describe it with: ${commandLine("inspect", shellPath(onnx))}\n`);
}
