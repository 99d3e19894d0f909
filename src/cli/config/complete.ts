// A config with nothing left open: what stands in `config.json`, and makes the same run again.

import { chooseEngine } from "../../engine/index.ts";
import { withDefaults } from "./defaults.ts";
import { ConfigError } from "./error.ts";
import { readNamedFile } from "./files.ts";
import type { CompleteConfig, Config } from "./keys.ts";
import { CONFIG_VERSION } from "./parse.ts";

/** Scores that are built in, and not a file. */
export const BUILT_IN_TABLES = ["surrogate", "simplified"];

/** Fills in all defaults, makes paths absolute, and takes fingerprints of files. */
export async function completeConfig(config: Config): Promise<CompleteConfig> {
  const { table, known, tableSha256, knownSha256, ...filled } = withDefaults(config);
  const engine = config.engine ?? (await chooseEngine());
  if (engine === "native") await checkThreads(filled.threads);
  const files: Record<string, string> = {};
  if (table !== undefined && BUILT_IN_TABLES.includes(table)) files.table = table;
  else if (table !== undefined) {
    const file = await readNamedFile("table", table, tableSha256);
    Object.assign(files, { table: file.path, tableSha256: file.sha256 });
  }
  if (known !== undefined) {
    const file = await readNamedFile("known", known, knownSha256);
    Object.assign(files, { known: file.path, knownSha256: file.sha256 });
  }
  return withDefaults({ ...filled, ...files, engine }) as CompleteConfig;
}

/** Throws a ConfigError if the machine has fewer. */
async function checkThreads(threads: number): Promise<void> {
  const { MOST_THREADS } = await import("../../engine/native.ts");
  if (threads <= MOST_THREADS) return;
  throw new ConfigError("config", [
    `threads: must be at most ${MOST_THREADS} on this machine, got ${threads}`,
  ]);
}

/** The text of `config.json`. */
export function configText(config: CompleteConfig): string {
  return `${JSON.stringify({ version: CONFIG_VERSION, ...config }, null, 2)}\n`;
}
