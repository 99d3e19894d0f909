// An experiment as a unit of work: plain settings in which no file has a path, and the check of settings that came from
// elsewhere.

import { CONFIG_KEYS, definitionOf, fileOfFingerprint, fingerprintKey } from "../config/config.ts";
import { isObject } from "../executor/json-text.ts";
import type { Json, JsonObject, Unit } from "../executor/unit.ts";
import { RUN_KINDS } from "../gfn/training/run-kinds.ts";
import { show } from "../issues.ts";
import { boolean, type Kind, problemOf, text, whole } from "../settings/kinds.ts";
import type { Comparison } from "./comparison.ts";
import { SHARED_KEYS } from "./comparison-keys.ts";
import type { Experiment } from "./experiment-grid.ts";
import { type MethodProblem, readMethod } from "./method-text.ts";

/** The kind of the units. */
export const EXPERIMENT = "experiment";

/** The settings of a unit. */
export interface ExperimentSettings {
  readonly method: string;
  readonly seed: number;
  /** The budget: oracle calls or seconds; the other one is null. */
  readonly calls: number | null;
  readonly seconds: number | null;
  readonly evaluations: number;
  readonly onPolicy: boolean;
  /** Oracle calls after which it ends early, although schedules follow the whole budget. Default: none. */
  readonly stop?: number;
  /**
   * The task and the settings that all methods share, as keys of a config. A file is there by its SHA-256 only; the unit
   * has it as an input under the name of its key.
   */
  readonly config: JsonObject;
}

/** The settings of one experiment of a comparison, with the paths of its files. */
export function experimentSettings(
  { calls, seconds, evaluations, onPolicy, settings }: Comparison,
  { method, stick, seed }: Experiment,
): ExperimentSettings {
  const config = { ...(settings as JsonObject), ...(stick !== null && { stick }) };
  return { ...{ method, seed, calls, seconds, evaluations, onPolicy }, config };
}

/** The unit of an experiment. */
export function experimentUnit(comparison: Comparison, experiment: Experiment, stop?: number): Unit {
  const { config, ...rest } = experimentSettings(comparison, experiment);
  const files = Object.keys(filesOf(config));
  const kept = Object.entries(config).filter(([name]) => !files.includes(name));
  const inputs = files.map((name) => [name, config[fingerprintKey(name)] as string]);
  return {
    kind: EXPERIMENT,
    settings: { ...rest, ...(stop !== undefined && { stop }), config: Object.fromEntries(kept) },
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
  };
}

/** Paths of the files that the experiments of a comparison read, by their SHA-256. */
export function experimentFiles({ settings }: Comparison): Map<string, string> {
  const paths = Object.entries(filesOf(settings as JsonObject));
  return new Map(paths.map(([name, path]) => [settings[fingerprintKey(name)] as string, path]));
}

/** The config of a unit with the paths of its inputs. */
export function configOfUnit(config: JsonObject, input: (name: string) => string): Record<string, Json> {
  const files = Object.keys(config).flatMap((name) => fileOfFingerprint(name) ?? []);
  const paths = files.map((name) => [name, input(name)]);
  return { ...(config as Record<string, Json>), ...Object.fromEntries(paths) };
}

/** Paths of the files that a complete config names, by key. Built-in data is not a file. */
function filesOf(config: JsonObject): Record<string, string> {
  const names = Object.keys(CONFIG_KEYS).filter(
    (name) => CONFIG_KEYS[name].file && config[fingerprintKey(name)] !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, config[name] as string]));
}

const orNull = (kind: Kind<number>): Kind<number | null> => ({
  ...(kind as Kind<number | null>),
  violation: (value) => (value === null ? null : kind.violation(value)),
});
const count = whole(1, Number.MAX_SAFE_INTEGER);

const FIELDS: Readonly<Record<Exclude<keyof ExperimentSettings, "stop">, Kind<never>>> = {
  method: text("the name of a method"),
  seed: whole(0, Number.MAX_SAFE_INTEGER),
  calls: orNull(count),
  seconds: orNull(RUN_KINDS.seconds),
  evaluations: count,
  onPolicy: boolean(),
  config: { ...text(), violation: (value) => (isObject(value) ? null : { rule: "an object" }) },
};

/** What is wrong with the settings of a unit; null if nothing is. Conflicts between settings are found when it runs. */
export function experimentProblem(settings: JsonObject): string | null {
  const { stop, ...required } = settings;
  const surplus = Object.keys(required).find((name) => !Object.hasOwn(FIELDS, name));
  if (surplus !== undefined) return `there is no setting ${show(surplus)}`;
  const stopProblem = stop === undefined ? null : problemOf(count, stop);
  if (stopProblem !== null) return `stop ${stopProblem}`;
  for (const [name, kind] of Object.entries(FIELDS)) {
    const problem = problemOf(kind, settings[name]);
    if (problem !== null) return `${name} ${problem}`;
  }
  const { method, calls, seconds, config } = settings as unknown as ExperimentSettings;
  const parsed = readMethod(method);
  if ("problems" in parsed) return problemText(parsed.problems[0]);
  if ((calls === null) === (seconds === null)) return "either calls or seconds must be a number";
  return configProblem(config);
}

function problemText({ path, message }: MethodProblem): string {
  return path === null ? message : `${path} ${message}`;
}

/** Keys of the config of a unit: those that all methods share, the noise level, and exploration by uniform actions. */
const UNIT_KEYS: readonly string[] = [...SHARED_KEYS, "stick", "epsilon"];

function configProblem(config: JsonObject): string | null {
  for (const [name, value] of Object.entries(config)) {
    const file = fileOfFingerprint(name);
    if (!UNIT_KEYS.includes(file ?? name)) return `config.${name} is not a setting of an experiment`;
    if (file !== undefined) {
      if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value)) return `config.${name} is no SHA-256`;
      continue;
    }
    const { kind, file: built } = CONFIG_KEYS[name];
    if (built && !built.builtIn.includes(value as string)) {
      return `config.${name} must be ${built.builtIn.join(" or ")}; a file is named by its SHA-256`;
    }
    const problem = problemOf(kind, value);
    if (problem !== null) return `config.${name} ${problem}`;
  }
  const { keys } = definitionOf(config as { task?: string });
  const foreign = Object.keys(config).find(
    (name) => CONFIG_KEYS[name]?.group === "task" && name !== "task" && !Object.hasOwn(keys, name),
  );
  return foreign === undefined ? null : `config.${foreign} does not belong to the task ${show(config.task)}`;
}
