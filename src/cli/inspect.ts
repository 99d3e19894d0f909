// `gflownet inspect`: what a saved model says about itself.

import { readFile } from "node:fs/promises";
import { describeModel, inspectOnnx } from "../engine/onnx/index.ts";

export async function inspect(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const model = inspectOnnx(await readFile(file), file);
  process.stdout.write(json ? `${JSON.stringify(model)}\n` : `${describeModel(model)}\n`);
}
