// What a checkpoint records about its problem. The playground needs it, too, so nothing here needs Node.

import type { Key } from "../settings/keys.ts";
import { type Config, definitionOf } from "./config.ts";
import type { FilledConfig } from "./fill-defaults.ts";

/** The task and its options, for checkpoints. A file counts by its scores and not by its path. */
export function problemOf(config: FilledConfig): Record<string, string> {
  const { name: task, keys } = definitionOf(config as Config);
  const options = Object.entries<Key>(keys).filter(([name, { file }]) => !file && config[name] !== undefined);
  return {
    task,
    ...Object.fromEntries(options.map(([name, { kind }]) => [name, kind.toText(config[name])])),
  };
}
