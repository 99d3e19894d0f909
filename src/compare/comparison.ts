// What a comparison was told: plain data, complete, which makes the same comparison again.

import { RunError } from "../run/run-error.ts";
import type { Budget } from "./cell.ts";
import type { Grid } from "./grid.ts";

export interface Comparison extends Grid {
  /** Oracle calls of a cell, or seconds; the other is null. */
  readonly calls: number | null;
  readonly seconds: number | null;
  readonly evaluations: number;
  readonly onPolicy: boolean;
  /** The task, and what all learned methods have in common: keys of a config, complete. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Of `comparison.json`; higher numbers are written by later programs. */
export const COMPARISON_VERSION = 1;

export function budgetOf({ calls, seconds }: Pick<Comparison, "calls" | "seconds">): Budget {
  if (calls !== null) return { calls };
  if (seconds !== null) return { seconds };
  throw new RangeError("comparison: it has neither calls nor seconds");
}

/** The text of `comparison.json`. */
export function comparisonText(comparison: Comparison): string {
  return `${JSON.stringify({ version: COMPARISON_VERSION, ...comparison }, null, 2)}\n`;
}

/** The comparison of a file; throws a RunError that names it if it is none. */
export function parseComparison(text: string, where: string): Comparison {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RunError(`${where} is damaged: it is not JSON`, { cause: error });
  }
  if (typeof value !== "object" || value === null) throw new RunError(`${where} is damaged: it is no object`);
  const { version, ...rest } = value as Partial<Comparison> & { readonly version?: unknown };
  if (version !== COMPARISON_VERSION) {
    throw new RunError(
      `${where} has version ${JSON.stringify(version)}, and this gflownet reads version ${COMPARISON_VERSION}`,
    );
  }
  for (const [name, fits] of Object.entries(FIELDS)) {
    const field = rest[name as keyof Comparison];
    if (!fits(field)) throw new RunError(`${where} is damaged: ${name} is ${shown(field)}`);
  }
  return rest as Comparison;
}

/** What one comparison was told otherwise than another, as "batch was 128 and is 64"; null if nothing. */
export function difference(before: Comparison, now: Comparison): string | null {
  const flat = ({ settings, ...rest }: Comparison): Readonly<Record<string, unknown>> => ({
    ...settings,
    ...rest,
  });
  const [old, fresh] = [flat(before), flat(now)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const name = names.find((each) => shown(old[each]) !== shown(fresh[each]));
  return name === undefined ? null : `${name} was ${shown(old[name])} and is ${shown(fresh[name])}`;
}

const isList = (of: "string" | "number") => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === of);
const isNumberOrNull = (value: unknown) => value === null || typeof value === "number";

const FIELDS: Readonly<Record<keyof Comparison, (value: unknown) => boolean>> = {
  methods: isList("string"),
  sticks: isList("number"),
  seeds: isList("number"),
  calls: isNumberOrNull,
  seconds: isNumberOrNull,
  evaluations: (value) => typeof value === "number",
  onPolicy: (value) => typeof value === "boolean",
  settings: (value) => typeof value === "object" && value !== null,
};

function shown(value: unknown): string {
  return value === undefined || value === null ? "not given" : JSON.stringify(value);
}
