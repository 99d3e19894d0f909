// A page that runs one script of this repository, bundled by Vite.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "vite";

export interface ScriptPage {
  readonly root: string;
  /** The folder with the bundled page. */
  readonly outDir: string;
}

/** Bundles the script, a path from the root of the repository, into a page below the folder. */
export async function buildScriptPage(script: string, folder: string): Promise<ScriptPage> {
  const file = resolve(script);
  const page = { root: folder, outDir: join(folder, "dist") };
  const html = join(folder, "index.html");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    html,
    `<!doctype html><title>test</title><link rel="icon" href="data:,"><script type="module" src="/@fs${file}"></script>`,
  );
  await build({
    ...{ root: folder, configFile: false, logLevel: "error" },
    build: { outDir: page.outDir, target: "esnext", rollupOptions: { input: html } },
    resolve: { alias: { [`/@fs${file}`]: file } },
  });
  return page;
}
