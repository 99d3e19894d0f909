// `gflownet inspect`: describes the inputs, outputs and metadata of an exported model.

import { readFile } from "node:fs/promises";
import { describeModel, inspectOnnx } from "../../engine/onnx/index.ts";
import { printJson } from "../output.ts";

export async function inspect(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    error.path ??= file; // the error for a folder has no path
    throw error;
  });
  const model = inspectOnnx(bytes, file);
  if (json) printJson(model);
  else process.stdout.write(`${describeModel(model)}\n`);
}
