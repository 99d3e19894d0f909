// The definition of a task: its options with help and defaults, their rules, and how to build it.
//
// A task folder has one `definition.ts`, and `registry.ts` lists all definitions. No other file refers to a task by name.
// A definition imports no array library, because `--help` loads it; `load` imports the implementation.

import type { Environment } from "../gfn/environment/environment.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import type { Issue } from "../issues.ts";
import type { Keys } from "../settings/keys.ts";
import type { Task } from "./task.ts";

// biome-ignore lint/suspicious/noExplicitAny: the options of a task are known to its own folder only
export interface TaskDefinition<O extends object = any> {
  readonly name: string;
  /** One line for `gflownet tasks`. */
  readonly summary: string;
  readonly keys: Keys<O>;
  /** Options without a default, which a config must give. */
  readonly needs?: readonly (keyof O & string)[];
  /** Default settings that differ from those of the library. */
  readonly settings?: SettingsInput;
  /**
   * Issues of combinations of options for which no environment exists. It is called with options that are valid one by
   * one.
   */
  issues?(options: O): Issue[];
  /**
   * Options that depend on the content of files, for those that are not given. `read` reads the file that an option names.
   * Throws a UserError for a file that cannot be used.
   */
  derive?(options: Partial<O>, read: (option: keyof O & string) => Promise<TaskFile>): Promise<Partial<O>>;
  load(): Promise<TaskImplementation<O>>;
}

/** Sizes of a task, which decide its memory. */
export interface TaskSizes {
  readonly objects: number;
  /** Number of known modes, or an upper bound. */
  readonly modes: number;
}

export interface TaskImplementation<O extends object> {
  /** The sizes, without building the task. */
  sizes(options: O): TaskSizes;
  /** The environment alone, without the scores of all objects, which may take long to compute. */
  environment(options: O): Environment;
  /** The task with its scores. `files` has the contents of options that name files. */
  task(options: O, files: Readonly<Record<string, TaskFile>>): Task | Promise<Task>;
}

export interface TaskFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The bytes as a text. */
  readonly text: string;
}

/** Type-checks a definition and returns it without the type of its options, so that one list can hold all tasks. */
export function defineTask<O extends object>(definition: TaskDefinition<O>): TaskDefinition {
  return definition;
}
