// From anything, a parsed file or flags, to a config: every problem is found, and said at once.

import { readFile } from "node:fs/promises";
import { nearest } from "../nearest.ts";
import { type Conflict, conflicts, taskConflicts } from "./conflicts.ts";
import { type FilledConfig, staticDefaults, taskNameOf, withDefaults } from "./defaults.ts";
import { ConfigError, show, showName } from "./error.ts";
import { type Config, type Fingerprints, KEY_NAMES, KEYS, type KeyName, keyOf } from "./keys.ts";

/** Of `config.json`; higher numbers are written by later programs. */
export const CONFIG_VERSION = 1;

const FINGERPRINTS = ["tableSha256", "knownSha256"] as const satisfies readonly (keyof Fingerprints)[];
const ENVIRONMENT_KEYS = ["dimensions", "side", "bits", "word"] as const satisfies readonly KeyName[];

export interface ParseOptions {
  /** Problems that were found before, by key: what could not even be read. */
  readonly wrong?: ReadonlyMap<string, string>;
  /** What a key is called where it was given. */
  called?(name: string): string;
}

/** Throws a ConfigError with all problems; `where` is what it calls the value. */
export function parseConfig(
  value: unknown,
  where: string,
  { wrong = new Map(), called = showName }: ParseOptions = {},
): Config {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError(where, [`must be an object of settings, got ${show(value)}`]);
  }
  const { version, ...said } = value as Readonly<Record<string, unknown>>;
  checkVersion(version, where);
  const entries = Object.entries(said).filter(([, each]) => each !== undefined);
  const problems = new Map([
    ...wrong,
    ...entries.flatMap(([name, each]) => {
      const problem = problemOf(name, each);
      return problem ? [[name, problem] as const] : [];
    }),
  ]);
  const fine = Object.fromEntries(entries.filter(([name]) => !problems.has(name))) as Config;
  const strange = problems.has("task") ? [] : keysOfOtherTasks(fine);
  const found = new Set([...problems.keys(), ...strange.map(([name]) => name)]);
  const all = [...problems, ...strange, ...problemsBetween(fine, found)];
  if (all.length > 0) {
    throw new ConfigError(
      where,
      all.map(([name, problem]) => `${called(name)}: ${problem}`),
    );
  }
  // As a file would have it: a copy, and no −0.
  return JSON.parse(JSON.stringify(fine)) as Config;
}

/** A config out of the text of a file. */
export function parseConfigText(text: string, where: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new ConfigError(where, [`it is not JSON: ${reason}`], { cause: error });
  }
  return parseConfig(value, where);
}

export async function readConfig(file: string): Promise<Config> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    error.path ??= file; // a folder's error does not say which
    throw error;
  });
  return parseConfigText(text, file);
}

/** One config on top of another, as flags come on top of a file. What a change puts out of force goes with it. */
export function mergeConfig(base: Config, changes: Config): Config {
  const dropped = new Set<string>([
    ...(changes.objective !== undefined ? ["balance", "dynamics", "loss"] : []),
    ...(changes.table !== undefined && changes.table !== base.table ? ["tableSha256"] : []),
    ...(changes.known !== undefined && changes.known !== base.known ? ["knownSha256"] : []),
  ]);
  const kept = Object.entries(base).filter(([name]) => !dropped.has(name));
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...said]);
}

function checkVersion(version: unknown, where: string): void {
  if (version === undefined || version === CONFIG_VERSION) return;
  if (Number.isInteger(version) && (version as number) > CONFIG_VERSION) {
    throw new ConfigError(where, [
      `it has version ${version}, and this gflownet reads version ${CONFIG_VERSION}; use a newer gflownet`,
    ]);
  }
  throw new ConfigError(where, [`version: must be ${CONFIG_VERSION}, got ${show(version)}`]);
}

function problemOf(name: string, value: unknown): string | null {
  if (Object.hasOwn(KEYS, name)) return keyOf(name as KeyName).kind.problem(value);
  if ((FINGERPRINTS as readonly string[]).includes(name)) {
    const fits = typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
    return fits ? null : `must be 64 hexadecimal digits, got ${show(value)}`;
  }
  const meant = nearest(name, KEY_NAMES);
  return `there is no such setting${meant ? `; did you mean ${meant}?` : ""}`;
}

function keysOfOtherTasks(config: Config): [string, string][] {
  const task = taskNameOf(config);
  return Object.keys(config).flatMap((name): [string, string][] => {
    const key = Object.hasOwn(KEYS, name) ? keyOf(name as KeyName) : undefined;
    const only = name === "tableSha256" ? "tfbind8" : key?.task;
    if (only && only !== task) return [[name, `belongs to the task ${only}, and the task is ${task}`]];
    if (key?.except !== task) return [];
    const own = KEY_NAMES.filter((other) => keyOf(other).task === task).join(", ");
    return [[name, `does not belong to the task ${task}, which has ${own}`]];
  });
}

function problemsBetween(fine: Config, wrong: ReadonlySet<string>): Conflict[] {
  // What is left of an environment of which a part is wrong may be impossible; the default one is not.
  const unknown = new Set<string>(ENVIRONMENT_KEYS.some((name) => wrong.has(name)) ? ENVIRONMENT_KEYS : []);
  const usable = Object.fromEntries(
    Object.entries(fine).filter(([name]) => name === "task" || !(wrong.has(name) || unknown.has(name))),
  ) as Config;
  const impossible = taskConflicts(
    { ...staticDefaults(taskNameOf(usable)), ...usable } as FilledConfig,
    wrong,
  );
  return impossible.length > 0
    ? impossible
    : conflicts(withDefaults(usable), new Set([...wrong, ...unknown]));
}
