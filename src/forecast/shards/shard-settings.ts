// A shard of a backtest as a unit of work: some series of a Parquet file, which is an input by its SHA-256. Settings may
// come from elsewhere, so every one is checked: names of columns become quoted identifiers, and no text becomes a query.

import { isObject, jsonText } from "../../executor/json-text.ts";
import type { Json, JsonObject, Unit } from "../../executor/unit.ts";
import { show } from "../../issues.ts";
import { boolean, choice, type Kind, listOf, number, problemOf, text, whole } from "../../settings/kinds.ts";
import { baselines, type PredictiveDistribution } from "../baselines/index.ts";
import { FILL_METHODS, type FillMethod } from "../data/fill-gaps.ts";
import { AGGREGATES, type Aggregate, FLOORS, type Floor } from "../data/option-names.ts";
import { MAX_ROWS } from "../data/read-limits.ts";
import type { PartOptions } from "../data/read-part.ts";
import {
  horizonKind,
  inputSizeKind,
  levelsKind,
  quantilesKind,
  seasonKind,
  stepSizeKind,
} from "../option-kinds.ts";
import { type Frequency, TIME_UNITS } from "../types.ts";

/** The kind of the units. */
export const FORECAST_SHARD = "forecast-shard";
/** The name of the input: the Parquet file. */
export const DATA_INPUT = "data";

/** The settings of a unit. All that depends on the whole file is decided before, and given here. */
export interface ShardSettings extends PartOptions {
  /** Number of series of the shard. */
  readonly series: number;
  readonly frequency: Frequency | null;
  readonly season: number;
  readonly furtherSeasons?: readonly number[];
  readonly duplicates?: Aggregate;
  readonly resample?: { readonly every: Frequency; readonly aggregate: Aggregate };
  readonly fill?: FillMethod;
  readonly floor?: Floor;
  readonly horizon: number;
  readonly windows: number;
  readonly stepSize: number;
  /** The cutoff time of each window. Default: counted from the end of each series. */
  readonly cutoffs?: readonly number[];
  readonly inputSize?: number;
  readonly levels: readonly number[];
  /** Quantiles that are columns of the forecasts. */
  readonly quantiles?: readonly number[];
  /** Names of baselines, among them the reference of skill scores. */
  readonly models: readonly string[];
  readonly predictiveDistribution?: PredictiveDistribution;
  /** Whether the records have the forecasts, besides the scores. */
  readonly forecasts: boolean;
}

/** Most characters of the settings as JSON. */
export const MAX_SETTINGS = 60_000;
/** Most windows, because each has a cutoff in the settings. */
export const MAX_WINDOWS = 1000;
/** Most series of a shard. */
export const MAX_SHARD_SERIES = 20_000;
/** Most pairs of a model and a step ahead, because the records have sums of each. */
export const MAX_MODEL_STEPS = 500;
const MAX_NAME = 1000;

/** Milliseconds of the units of numeric times. */
const TIME_UNIT_LENGTHS = [1000, 1, 1e-3, 1e-6];

const name: Kind<string> = {
  ...text(`a text of 1 to ${MAX_NAME} characters`),
  violation: (value) =>
    typeof value === "string" && value.length > 0 && value.length <= MAX_NAME
      ? null
      : { rule: `a text of 1 to ${MAX_NAME} characters` },
};
const cutoff: Kind<unknown> = {
  ...number(),
  violation: (value) =>
    Number.isFinite(value) || value === Number.NEGATIVE_INFINITY ? null : { rule: "a time" },
};
const frequency = object("a frequency", { unit: choice(TIME_UNITS), count: whole(1, 1e9) });
const timeFormat: Kind<unknown> = {
  ...text(),
  violation(value) {
    const rule = { rule: "a format of times" };
    if (!isObject(value)) return rule;
    const { kind, milliseconds, ...more } = value;
    if (Object.keys(more).length > 0) return rule;
    if (kind === "epoch") return TIME_UNIT_LENGTHS.includes(milliseconds as number) ? null : rule;
    const isKnown = ["text", "year", "compact", "step"].includes(kind as string);
    return isKnown && milliseconds === undefined ? null : rule;
  },
};
const aggregate = choice(AGGREGATES);

/** Kinds of the settings; those in `OPTIONAL` may be missing. */
const KINDS: Readonly<Record<keyof ShardSettings, Kind<unknown>>> = {
  idColumn: name,
  timeColumn: name,
  targetColumns: sizedList(name, 1, 100),
  timeFormat,
  rows: object("rows", { from: whole(0), to: whole(1) }),
  ids: sizedList(anyText(MAX_SETTINGS), 1, MAX_SHARD_SERIES),
  series: whole(1, MAX_SHARD_SERIES),
  frequency: orNull(frequency),
  season: seasonKind,
  furtherSeasons: sizedList(seasonKind, 1, 100),
  duplicates: aggregate,
  resample: object("a frequency and an aggregate", { every: frequency, aggregate }),
  fill: choice(FILL_METHODS),
  floor: choice(FLOORS),
  horizon: horizonKind,
  windows: whole(1, MAX_WINDOWS),
  stepSize: stepSizeKind,
  cutoffs: sizedList(cutoff, 1, MAX_WINDOWS),
  inputSize: inputSizeKind,
  levels: levelsKind,
  quantiles: quantilesKind,
  models: sizedList(choice(Object.keys(baselines)), 1, Object.keys(baselines).length),
  predictiveDistribution: choice(["gaussian", "empirical"]),
  forecasts: boolean(),
};
const OPTIONAL = [
  ...[
    "ids",
    "duplicates",
    "resample",
    "fill",
    "floor",
    "cutoffs",
    "furtherSeasons",
    "inputSize",
    "quantiles",
    "predictiveDistribution",
  ],
];

/** The unit of a shard of the file with this SHA-256. */
export function shardUnit(settings: ShardSettings, sha256: string): Unit {
  return {
    kind: FORECAST_SHARD,
    settings: settings as unknown as JsonObject,
    inputs: { [DATA_INPUT]: sha256 },
  };
}

/** What is wrong with settings that came from elsewhere; null if nothing is. */
export function shardProblem(settings: JsonObject): string | null {
  const unknown = Object.keys(settings).find((key) => !Object.hasOwn(KINDS, key));
  if (unknown !== undefined) return `there is no setting ${show(unknown)}`;
  if (jsonText(settings).length > MAX_SETTINGS) return `they must have at most ${MAX_SETTINGS} characters`;
  for (const [key, kind] of Object.entries(KINDS)) {
    const value: Json | undefined = settings[key];
    if (value === undefined && OPTIONAL.includes(key)) continue;
    const problem = problemOf(kind, value);
    if (problem !== null) return `${key} ${problem}`;
  }
  return relationProblem(settings as unknown as ShardSettings);
}

function relationProblem({
  rows,
  ids,
  horizon,
  models,
  levels,
  quantiles = [],
  series,
  windows,
  cutoffs,
}: ShardSettings): string | null {
  if (rows.from >= rows.to) return "rows must begin before they end";
  // With names of series, only the rows of these count, and the query finds them.
  if (ids === undefined && rows.to - rows.from > MAX_ROWS) return `rows must be at most ${MAX_ROWS}`;
  if (ids !== undefined && new Set(ids).size !== series) return "ids must name each series once";
  if (cutoffs && cutoffs.length !== windows) return "cutoffs must be one per window";
  if (levels.length > 100) return "levels must be at most 100";
  if (quantiles.length > 100) return "quantiles must be at most 100";
  if (new Set(models).size !== models.length) return "models must be different";
  return horizon * models.length > MAX_MODEL_STEPS
    ? `horizon times the number of models must be at most ${MAX_MODEL_STEPS}, got ${horizon * models.length}`
    : null;
}

function sizedList<T>(kind: Kind<T>, least: number, most: number): Kind<readonly T[]> {
  const rule = `a list of ${least} to ${most} values, each ${kind.rule}`;
  const isValid = (value: unknown) =>
    Array.isArray(value) &&
    value.length >= least &&
    value.length <= most &&
    value.every((one) => kind.violation(one) === null);
  return {
    ...listOf(kind, rule),
    violation: (value) => (isValid(value) ? null : { rule, got: "another value" }),
  };
}

/** Texts of any content: the names of series are data. */
function anyText(most: number): Kind<string> {
  const rule = `a text of at most ${most} characters`;
  return {
    ...text(rule),
    violation: (value) => (typeof value === "string" && value.length <= most ? null : { rule }),
  };
}

function orNull(kind: Kind<unknown>): Kind<unknown> {
  return { ...kind, violation: (value) => (value === null ? null : kind.violation(value)) };
}

/** An object with exactly these keys. */
function object(rule: string, kinds: Readonly<Record<string, Kind<unknown>>>): Kind<unknown> {
  const keys = Object.keys(kinds);
  const isValid = (value: unknown) =>
    isObject(value) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key) && kinds[key].violation(value[key]) === null);
  return { ...text(rule), violation: (value) => (isValid(value) ? null : { rule, got: "another value" }) };
}
