// The config of a run: one flat object with the task, its options, the settings of training and the run options.
//
// The module and its imports load no networks, because flags and `--help` derive from its keys.

import type { Settings, SettingsInput } from "../gfn/training/settings.ts";
import { INPUT_KEYS } from "../gfn/training/settings-table.ts";
import { is, type Key, key } from "../settings/keys.ts";
import { choice } from "../settings/kinds.ts";
import { TASKS } from "../tasks/registry.ts";
import type { TaskDefinition } from "../tasks/task-definition.ts";
import { RUN_KEYS, type RunOptions } from "./run-keys.ts";

/** Options of the task, by name. */
interface TaskOptions {
  readonly [option: string]: unknown;
}

/** A config as a user writes it: omitted keys have their default. */
export type Config = { readonly task?: string } & SettingsInput & Partial<RunOptions> & TaskOptions;

/** A config in which every key has a value, as in `config.json`. */
export type CompleteConfig = { readonly task: string } & Settings & RunOptions & TaskOptions;

/** Version of the format of `config.json`. It increases when the program can no longer read older files. */
export const CONFIG_VERSION = 2;

export const TASK_NAMES: readonly string[] = TASKS.map(({ name }) => name);
export const DEFAULT_TASK = TASKS[0];

const TASK_KEY = key(choice(TASK_NAMES), "task", "task to train on", is(DEFAULT_TASK.name));

/** All keys of all tasks, in the order of `config.json`. */
export const CONFIG_KEYS: Readonly<Record<string, Key>> = {
  task: TASK_KEY,
  ...Object.assign({}, ...[...TASKS].reverse().map(({ keys }) => keys)),
  ...INPUT_KEYS,
  ...RUN_KEYS,
};

/** Keys of the task options, settings and run options of one task. */
export function keysOf({ keys }: TaskDefinition): Readonly<Record<string, Key>> {
  return { task: TASK_KEY, ...keys, ...INPUT_KEYS, ...RUN_KEYS };
}

/** Tasks that have this option; null for a key of all tasks. */
export function tasksWith(name: string): readonly TaskDefinition[] | null {
  const owners = TASKS.filter(({ keys }) => Object.hasOwn(keys, name));
  return owners.length > 0 ? owners : null;
}

/** The definition of a config's task. The config must be valid. */
export function definitionOf({ task }: Pick<Config, "task">): TaskDefinition {
  return TASKS.find(({ name }) => name === task) ?? DEFAULT_TASK;
}

/** The name of the key that holds the SHA-256 of a file. */
export function fingerprintKey(name: string): string {
  return `${name}Sha256`;
}

/** The key of the file that a fingerprint belongs to, or undefined. */
export function fileOfFingerprint(name: string): string | undefined {
  return Object.keys(CONFIG_KEYS).find((file) => CONFIG_KEYS[file].file && fingerprintKey(file) === name);
}
