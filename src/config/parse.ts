// Checks a config from a file or from flags, and reports all issues at once.

import { readRegularFile } from "../disk/regular-file.ts";
import { settingConflicts } from "../gfn/training/check-settings.ts";
import type { Settings } from "../gfn/training/settings.ts";
import { type Issue, shorten, show, throwIssues, UserError } from "../issues.ts";
import { problemOf } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";
import type { TaskDefinition } from "../tasks/task-definition.ts";
import {
  CONFIG_KEYS,
  CONFIG_VERSION,
  type Config,
  DEFAULT_TASK,
  definitionOf,
  fileOfFingerprint,
  fingerprintKey,
  keysOf,
  tasksWith,
} from "./config.ts";
import { taskOptions, withDefaults } from "./fill-defaults.ts";
import { LENGTH_KEYS } from "./run-keys.ts";

export interface ParseOptions {
  /** The source of the config in error messages, such as a file. */
  readonly source?: string;
  /** The definition of a task that is not in the registry, such as that of a run trained from TypeScript. */
  readonly definition?: TaskDefinition;
  /** Issues that were found before, such as flags that could not be parsed. */
  readonly issues?: readonly Issue[];
}

/** Throws a UserError with all issues. */
export async function parseConfig(
  value: unknown,
  { source, issues = [], definition: given }: ParseOptions = {},
): Promise<Config> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserError(`must be an object of settings, got ${show(value)}`, { source });
  }
  const { version, ...rest } = value as Readonly<Record<string, unknown>>;
  checkVersion(version, source);
  const entries = Object.entries(rest).filter(([, each]) => each !== undefined);
  const single = [...issues, ...entries.flatMap(([name, each]) => issueOf(name, each, given))];
  const wrong = new Set(single.map(({ path }) => path));
  const valid = Object.fromEntries(entries.filter(([name]) => !wrong.has(name))) as Config;
  const definition = given ?? (wrong.has("task") ? DEFAULT_TASK : definitionOf(valid));
  const foreign = wrong.has("task") ? [] : issuesOfOtherTasks(valid, definition);
  for (const { path } of foreign) wrong.add(path);
  const conflicts = [...lengthConflicts(valid), ...(await conflictsOf(valid, wrong, definition))];
  throwIssues([...single, ...foreign, ...conflicts], { source });
  // A deep copy with the values that a JSON file would have; for example, −0 becomes 0.
  return JSON.parse(JSON.stringify(valid)) as Config;
}

export async function parseConfigText(
  text: string,
  source: string,
  definition?: TaskDefinition,
): Promise<Config> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new UserError(`it is not JSON: ${reason}`, { source, cause: error });
  }
  return parseConfig(value, { source, definition });
}

/** Bytes of a config; no config needs a thousandth of it. */
const LARGEST_CONFIG = 2 ** 24;

export async function readConfig(file: string): Promise<Config> {
  return parseConfigText(String(await readRegularFile(file, LARGEST_CONFIG)), file);
}

/** Overrides keys of a config by `changes`, as flags override a file. Drops keys that a change makes invalid: a new
 * objective drops balance, dynamics and loss, a new length drops the old one, and a new file drops its SHA-256 and the
 * options that were derived from the old one. */
export function mergeConfig(base: Config, changes: Config): Config {
  const dropped = new Set<string>([
    ...(changes.objective !== undefined ? ["balance", "dynamics", "loss"] : []),
    ...(LENGTH_KEYS.some((name) => changes[name] !== undefined) ? LENGTH_KEYS : []),
    ...Object.keys(CONFIG_KEYS)
      .filter((name) => CONFIG_KEYS[name].file && changes[name] !== undefined && changes[name] !== base[name])
      .flatMap((name) => [fingerprintKey(name), ...derivedFrom(name)]),
  ]);
  const kept = Object.entries(base).filter(([name]) => !dropped.has(name));
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...changed]);
}

/** Options whose default depends on the content of the file that an option names. */
function derivedFrom(file: string): string[] {
  return Object.keys(CONFIG_KEYS).filter((name) => CONFIG_KEYS[name].from === file);
}

/** Throws a UserError if a config has a version that this program does not read. */
export function checkVersion(version: unknown, source?: string): void {
  if (version === undefined || version === CONFIG_VERSION) return;
  if (Number.isInteger(version)) {
    const other = (version as number) > CONFIG_VERSION;
    const remedy = other ? "use a newer gflownet" : "train the run again, because its keys have changed";
    throw new UserError(
      `it has version ${version}, but this gflownet reads version ${CONFIG_VERSION}; ${remedy}`,
      { source },
    );
  }
  throw new UserError(`version: must be ${CONFIG_VERSION}, got ${show(version)}`, { source });
}

function issueOf(name: string, value: unknown, definition?: TaskDefinition): Issue[] {
  const path = shorten(name);
  if (name === "task" && definition && value === definition.name) return [];
  if (Object.hasOwn(CONFIG_KEYS, name)) {
    const message = problemOf(CONFIG_KEYS[name].kind, value);
    return message ? [{ path, code: "range", message }] : [];
  }
  if (fileOfFingerprint(name) !== undefined) {
    if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return [];
    return [{ path, code: "range", message: `must be 64 hexadecimal digits, got ${show(value)}` }];
  }
  const meant = nearest(name, Object.keys(CONFIG_KEYS));
  return [
    {
      path,
      code: "unknown",
      message: `there is no such setting${meant ? `; did you mean \`${meant}\`?` : ""}`,
    },
  ];
}

function issuesOfOtherTasks(config: Config, { name: task, keys }: TaskDefinition): Issue[] {
  return Object.keys(config).flatMap((name): Issue[] => {
    const owners = tasksWith(fileOfFingerprint(name) ?? name);
    if (!owners || owners.some((owner) => owner.name === task)) return [];
    const message =
      owners.length === 1
        ? `belongs to the task ${owners[0].name}, and the task is ${task}`
        : `does not belong to the task ${task}, which has ${Object.keys(keys)
            .map((other) => `\`${other}\``)
            .join(", ")}`;
    return [{ path: name, code: "conflict", message }];
  });
}

function lengthConflicts(config: Config): Issue[] {
  const [first, ...others] = LENGTH_KEYS.filter((name) => config[name] !== undefined);
  return others.map((path) => ({
    path,
    code: "conflict",
    message: `excludes \`${first}\`; give one of them`,
  }));
}

/** The issues of a UserError. Throws other errors again. */
function issuesOf(error: unknown): readonly Issue[] {
  if (error instanceof UserError) return error.issues;
  throw error;
}

/** Issues with combinations of keys. An invalid option of the task is replaced by its default. */
async function conflictsOf(
  config: Config,
  wrong: ReadonlySet<string>,
  definition: TaskDefinition,
): Promise<readonly Issue[]> {
  const names = Object.keys(keysOf(definition));
  const anyTaskOption = Object.keys(definition.keys).some((name) => wrong.has(name));
  const usable = Object.fromEntries(
    Object.entries(config).filter(
      ([name]) =>
        names.includes(name) && !wrong.has(name) && !(anyTaskOption && Object.hasOwn(definition.keys, name)),
    ),
  ) as Config;
  if (anyTaskOption && definition.needs) return []; // the task has no defaults to check the other keys with
  const options = await taskOptions(usable, definition).catch((error: unknown) => issuesOf(error));
  const ofTask = Array.isArray(options) ? options : (definition.issues?.(options) ?? []);
  if (ofTask.length > 0) return ofTask;
  const filled = await withDefaults({ ...usable, task: definition.name }, definition);
  const environment = (await definition.load()).environment(options);
  const invalid = new Set([...wrong, ...(wrong.has("objective") ? ["balance", "dynamics", "loss"] : [])]);
  return settingConflicts(
    filled as unknown as Settings,
    {
      environment,
      scores: "table",
      hasOfflineObjects: filled.offlineFile !== undefined || wrong.has("offlineFile"),
      residuals: filled.residuals === true,
    },
    invalid,
  );
}
