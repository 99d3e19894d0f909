// The settings of a comparison: complete plain data that reproduces it, as `comparison.json` holds it.

import { RunError } from "../disk/run-error.ts";
import { type Issue, show } from "../issues.ts";
import { formatCountOf } from "../report/text-format.ts";
import type { ExperimentGrid } from "./experiment-grid.ts";
import { readMethod } from "./method-text.ts";
import type { Budget } from "./run-experiment.ts";

export interface Comparison extends ExperimentGrid {
  /** Budget of an experiment: either oracle calls or seconds; the other one is null. */
  readonly calls: number | null;
  readonly seconds: number | null;
  readonly evaluations: number;
  readonly onPolicy: boolean;
  /** The task and the settings that all learned methods share, as keys of a config. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The version of `comparison.json`. It increases when older files can no longer be read. */
export const COMPARISON_VERSION = 3;

export function budgetOf({ calls, seconds }: Pick<Comparison, "calls" | "seconds">): Budget {
  if (calls !== null) return { calls };
  if (seconds !== null) return { seconds };
  throw new RangeError("budgetOf: either calls or seconds must be a number, got null for both");
}

/** The title of a comparison, such as "hypergrid: 2 methods, 2 noise levels, 1 seed: 4 experiments". */
export function comparisonTitle({ methods, sticks, seeds, settings }: Comparison): string {
  const grid = [
    formatCountOf(methods.length, "method"),
    ...noiseLevels(sticks),
    formatCountOf(seeds.length, "seed"),
  ].join(", ");
  const total = methods.length * sticks.length * seeds.length;
  return `${settings.task}: ${grid}: ${formatCountOf(total, "experiment")}`;
}

/** The number of noise levels, such as "2 noise levels"; empty for a task without one. */
export function noiseLevels(sticks: Comparison["sticks"]): string[] {
  return sticks[0] === null ? [] : [formatCountOf(sticks.length, "noise level")];
}

/** The text of `comparison.json`. */
export function comparisonText(comparison: Comparison): string {
  return `${JSON.stringify({ version: COMPARISON_VERSION, ...comparison }, null, 2)}\n`;
}

/** Parses the text of `comparison.json`. Throws a RunError that names the file if it is damaged. */
export function parseComparison(text: string, file: string): Comparison {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RunError(`${file} is damaged: it is not JSON`, { cause: error });
  }
  if (typeof value !== "object" || value === null) {
    throw new RunError(`${file} is damaged: it must be an object, got ${show(value)}`);
  }
  const { version, ...rest } = value as Partial<Comparison> & { readonly version?: unknown };
  if (version !== COMPARISON_VERSION) {
    throw new RunError(
      `${file} has version ${show(version)}, but this gflownet reads version ${COMPARISON_VERSION}; run the comparison again`,
    );
  }
  for (const [name, isValid] of Object.entries(FIELDS)) {
    const field = rest[name as keyof Comparison];
    if (!isValid(field)) throw new RunError(`${file} is damaged: ${name} is ${show(field)}`);
  }
  return rest as Comparison;
}

/** One issue for each setting in which `given` differs from an existing comparison. */
export function differences(existing: Comparison, given: Comparison): Issue[] {
  const flat = ({ settings, ...rest }: Comparison): Readonly<Record<string, unknown>> => ({
    ...settings,
    ...rest,
  });
  const [old, now] = [flat(existing), flat(given)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names
    .filter((name) => valueText(old[name]) !== valueText(now[name]))
    .map((name) => ({
      path: name,
      code: "conflict",
      message: `must be ${valueText(old[name])} as in the existing comparison, got ${valueText(now[name])}`,
    }));
}

const isListOf = (type: "string" | "number") => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === type);
const isNumberOrNull = (value: unknown) => value === null || typeof value === "number";

const FIELDS: Readonly<Record<keyof Comparison, (value: unknown) => boolean>> = {
  methods: (value) =>
    isListOf("string")(value) && (value as string[]).every((text) => "value" in readMethod(text)),
  sticks: (value) =>
    isListOf("number")(value) || (Array.isArray(value) && value.length === 1 && value[0] === null),
  seeds: isListOf("number"),
  calls: isNumberOrNull,
  seconds: isNumberOrNull,
  evaluations: (value) => typeof value === "number",
  onPolicy: (value) => typeof value === "boolean",
  settings: (value) => typeof value === "object" && value !== null,
};

function valueText(value: unknown): string {
  return value === undefined || value === null ? "omitted" : JSON.stringify(value);
}
