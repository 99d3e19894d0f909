// `gflownet inspect`: what a saved model says about itself.

import { readFile } from "node:fs/promises";
import { describeModel, inspectOnnx } from "../../engine/onnx/index.ts";
import { printJson } from "../output.ts";

export async function inspect(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    error.path ??= file; // a folder's error does not say which
    throw error;
  });
  const model = inspectOnnx(bytes, file);
  if (json) printJson(model);
  else process.stdout.write(`${describeModel(model)}\n`);
}
