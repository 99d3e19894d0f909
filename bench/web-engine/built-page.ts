// Where the bundled page of the benchmark is.

import { fileURLToPath } from "node:url";
import { buildScriptPage, type ScriptPage } from "../../test/support/script-page.ts";

const root = fileURLToPath(new URL("../output/web", import.meta.url));

export const PAGE: ScriptPage = { root, outDir: `${root}/dist` };

/** Bundles the page from the current sources. */
export async function buildBenchmarkPage(): Promise<void> {
  await buildScriptPage(fileURLToPath(new URL("page.ts", import.meta.url)), root);
}
