// Fills in the defaults of a config.

import { defaultSettings } from "../gfn/training/defaults.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import { SETTING_KEYS } from "../gfn/training/settings-table.ts";
import { throwIssues } from "../issues.ts";
import { fixedDefaults, type Key } from "../settings/keys.ts";
import { checkTaskOptions } from "../tasks/check-task-options.ts";
import type { TaskDefinition } from "../tasks/task-definition.ts";
import { type CompleteConfig, type Config, definitionOf, fingerprintKey, keysOf } from "./config.ts";
import { RUN_KEYS, type RunOptions } from "./run-keys.ts";

/** A complete config apart from the engine, absolute paths and fingerprints of files. */
export type FilledConfig = Omit<CompleteConfig, "engine"> & Pick<Config, "engine">;

/** Throws a UserError if the options of the task do not make an environment. */
export async function withDefaults(
  config: Config,
  definition: TaskDefinition = definitionOf(config),
): Promise<FilledConfig> {
  const options = await taskOptions(config, definition);
  checkTaskOptions(definition.keys, definition.issues, options);
  const environment = (await definition.load()).environment(options);
  const settings = defaultSettings(environment, { ...definition.settings, ...settingsIn(config) });
  const filled = {
    ...options,
    ...settings,
    ...runDefaults(config),
    ...pick(config, [...Object.keys(RUN_KEYS), ...fingerprints(definition)]),
    task: definition.name,
  };
  return inOrder(filled, definition);
}

/** A run by seconds or by a plan has no number of iterations. */
function runDefaults({ seconds, plan }: Config): Partial<RunOptions> {
  const { iterations, ...rest } = fixedDefaults(RUN_KEYS);
  return seconds === undefined && plan === undefined ? { iterations, ...rest } : rest;
}

/** The options of the config's task, with defaults. Throws a UserError if one lacks, or if a file cannot be used on which a
 * default depends. */
export async function taskOptions(
  config: Config,
  definition: TaskDefinition = definitionOf(config),
): Promise<Record<string, unknown>> {
  const { name: task, keys, needs = [], derive } = definition;
  const missing = needs.filter((name) => config[name] === undefined);
  throwIssues(
    missing.map((path) => ({
      path,
      code: "missing",
      message: `must be given for the task ${task}, as ${(keys as Readonly<Record<string, Key>>)[path].kind.rule}`,
    })),
  );
  const options = { ...fixedDefaults(keys), ...pick(config, Object.keys(keys)) };
  if (!derive || Object.keys(keys).every((name) => name in options)) return options;
  // Imported only when needed, because it needs Node.
  const { readNamedFile } = await import("./named-file.ts");
  const read = (name: string) => readNamedFile(name, config[name] as string, config[fingerprintKey(name)]);
  return { ...(await derive(options, read)), ...options };
}

/** The settings of training among the keys of a config. */
export function settingsIn(config: Config): SettingsInput {
  return pick(config, ["objective", ...Object.keys(SETTING_KEYS)]);
}

function fingerprints(definition: TaskDefinition): string[] {
  return Object.entries<Key>(keysOf(definition)).flatMap(([name, { file }]) =>
    file ? [fingerprintKey(name)] : [],
  );
}

/** The entries of these names that have a value. */
function pick(config: Config, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])),
  );
}

/** Sorts the keys as in the table, so that config files are alike. */
function inOrder(config: Readonly<Record<string, unknown>>, definition: TaskDefinition): FilledConfig {
  const names = Object.keys(keysOf(definition)).flatMap((name) => [name, fingerprintKey(name)]);
  return pick(config as Config, names) as FilledConfig;
}
