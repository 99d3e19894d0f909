// Completes a config, so that `config.json` reproduces the run: defaults, engine, absolute paths, SHA-256 of files.

import { chooseEngine, threadIssues } from "../engine/index.ts";
import { throwIssues } from "../issues.ts";
import type { TaskDefinition } from "../tasks/task-definition.ts";
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

/** `definition` is that of the config's task, if it is not in the registry. */
export async function completeConfig(
  config: Config,
  definition: TaskDefinition = definitionOf(config),
): Promise<CompleteConfig> {
  const filled = await withDefaults(config, definition);
  const engine = await chooseEngine(config.engine);
  throwIssues(await threadIssues(filled.threads as number, engine));
  const files: Record<string, string> = {};
  for (const [name, { file }] of Object.entries(keysOf(definition))) {
    const value = filled[name];
    if (!file || typeof value !== "string" || file.builtIn.includes(value)) continue;
    const { path, sha256 } = await readNamedFile(name, value, config[fingerprintKey(name)]);
    files[name] = path;
    files[fingerprintKey(name)] = sha256;
  }
  // Called again, because it also sorts the keys.
  return (await withDefaults({ ...filled, ...files, engine }, definition)) as CompleteConfig;
}

/** The text of `config.json`. */
export function configText(config: CompleteConfig): string {
  return `${JSON.stringify({ version: CONFIG_VERSION, ...config }, null, 2)}\n`;
}
