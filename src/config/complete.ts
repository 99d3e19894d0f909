// Completes a config, so that `config.json` reproduces the run: defaults, engine, absolute paths, SHA-256 of files.

import { chooseEngine, threadIssues } from "../engine/index.ts";
import { throwIssues } from "../issues.ts";
import {
  CONFIG_VERSION,
  type CompleteConfig,
  type Config,
  definitionOf,
  fingerprintKey,
  keysOf,
} from "./config.ts";
import { withDefaults } from "./fill-defaults.ts";
import { readNamedFile } from "./named-file.ts";

export async function completeConfig(config: Config): Promise<CompleteConfig> {
  const filled = await withDefaults(config);
  const engine = await chooseEngine(config.engine);
  throwIssues(await threadIssues(filled.threads as number, engine));
  const files: Record<string, string> = {};
  for (const [name, { file }] of Object.entries(keysOf(definitionOf(config)))) {
    const value = filled[name];
    if (!file || typeof value !== "string" || file.builtIn.includes(value)) continue;
    const { path, sha256 } = await readNamedFile(name, value, config[fingerprintKey(name)]);
    files[name] = path;
    files[fingerprintKey(name)] = sha256;
  }
  // Called again, because it also sorts the keys.
  return (await withDefaults({ ...filled, ...files, engine })) as CompleteConfig;
}

/** The text of `config.json`. */
export function configText(config: CompleteConfig): string {
  return `${JSON.stringify({ version: CONFIG_VERSION, ...config }, null, 2)}\n`;
}
