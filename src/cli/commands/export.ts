// `gflownet export`: the trained policy and dynamics as a file that any ONNX Runtime loads.

import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { exportModel } from "../../gfn/export.ts";
import { learnsDynamics } from "../../gfn/settings.ts";
import { writeFileAtomically } from "../../run/atomic-file.ts";
import { UsageError } from "../fail.ts";
import { parametersOf } from "../reader.ts";
import { openTrained } from "../trained.ts";

export async function exportRun(
  folder: string,
  { onnx, rows }: { readonly onnx: string; readonly rows: number },
): Promise<void> {
  await checkTarget(onnx);
  const { model, task, options, snapshot, config } = await openTrained(folder);
  const bytes = exportModel(model, parametersOf(model, snapshot), {
    rows,
    learnsDynamics: learnsDynamics(options.objective),
    task,
    facts: { iterations: String(snapshot.iteration), seed: String(config.seed) },
  });
  await writeFileAtomically(onnx, bytes);
  process.stdout.write(`Exported to ${onnx}; see it with: gflownet inspect ${onnx}\n`);
}

/** A file can be written there, and none is overwritten. */
async function checkTarget(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK);
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) throw new UsageError(`--onnx: ${file} is a folder; give the name of a file`);
  if (there) throw new UsageError(`--onnx: ${file} exists; remove it or choose another name`);
}
