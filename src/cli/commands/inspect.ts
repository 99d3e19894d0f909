// `gflownet inspect`: describes the inputs, outputs and metadata of an exported model.

import { readRegularFile } from "../../disk/regular-file.ts";
import { describeModel, inspectOnnx } from "../../engine/onnx/index.ts";
import { printJson } from "../output.ts";

/** The format is limited to 2 GiB. */
const LARGEST = 2 ** 31 - 1;

export async function inspect(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const bytes = await readRegularFile(file, LARGEST);
  const model = inspectOnnx(bytes, file);
  if (json) printJson(model);
  else process.stdout.write(`${describeModel(model)}\n`);
}
