// The records of a shard as JSON: scores and forecasts as the bytes of their numbers in base64, so that they are compact
// and exact, and the sums of the metrics as plain numbers. Records contain no times of the clock: a shard that runs twice
// gives the same bytes.

import { isObject } from "../../executor/json-text.ts";
import type { Json, JsonObject } from "../../executor/unit.ts";
import { ExactSum } from "../../math/exact-sum.ts";
import type { QuantileColumns } from "../forecast-columns.ts";
import type { ForecastSums } from "../metrics/forecast-metrics.ts";
import type { Sums } from "../metrics/summed-metric.ts";

/** The scores of some series, in the order of the file. */
export interface SeriesRecord {
  readonly kind: "series";
  readonly ids: readonly string[]; // [S]
  /** Number of windows in which each series is forecast. */
  readonly windows: readonly number[]; // [S]
  /** What is remarkable about each series; "" for nothing. */
  readonly notes: readonly string[]; // [S]
  /** Metrics by series, target, model and name; NaN if there is none. */
  readonly scores: Float64Array; // [S · targets · models · metrics]
}

/** The forecasts of some series: one row per series, target, window and step. */
export interface ForecastRecord {
  readonly kind: "forecasts";
  readonly ids: readonly string[]; // [S]
  /** For each series, target and window with a forecast: the position of the series in `ids`, and the target. */
  readonly cases: readonly (readonly [series: number, target: number])[]; // [C]
  /** By case: cutoff; then by step: time, actual value, and of each model mean, median, bounds of intervals and quantiles. */
  readonly values: Float64Array; // [C · caseLength]
}

/** The sums of the metrics of each model over all series of the shard. */
export interface SumsRecord {
  readonly kind: "sums";
  readonly models: readonly ModelSums[];
}

/** Sums of all metrics of a model, and of the coverage at further levels. */
export interface ModelSums extends ForecastSums {
  readonly coverage: readonly Sums[];
}

export type ShardRecord = SeriesRecord | ForecastRecord | SumsRecord;

/** Numbers of a case of a forecast record. */
export function caseLength(
  horizon: number,
  models: number,
  { levels, quantiles = [] }: QuantileColumns,
): number {
  return 1 + horizon * (2 + models * (2 + 2 * levels.length + quantiles.length));
}

/** Characters of a number in a record. */
export const NUMBER_SIZE = (8 * 4) / 3;

export function encodeRecord(record: ShardRecord): JsonObject {
  switch (record.kind) {
    case "series": {
      const { kind, ids, windows, notes, scores } = record;
      return { kind, ids, windows, notes, scores: base64(scores) };
    }
    case "forecasts": {
      const { kind, ids, cases, values } = record;
      return { kind, ids, cases: cases.map((one) => [...one]), values: base64(values) };
    }
    case "sums":
      return {
        kind: "sums",
        models: record.models.map((model) => allSums(model).map(({ parts }) => [...parts])),
      };
    default:
      return record satisfies never;
  }
}

/** Reads a record. `emptySums` makes the sums of a model over no forecasts. Throws if the record is damaged. */
export function decodeRecord(json: Json, emptySums: () => ModelSums): ShardRecord {
  if (!isObject(json)) throw damaged();
  switch (json.kind) {
    case "series": {
      const { ids, windows, notes, scores } = json;
      if (!isList(ids, isString) || !isList(windows, isNumber) || !isList(notes, isString)) throw damaged();
      if (windows.length !== ids.length || notes.length !== ids.length) throw damaged();
      return { kind: "series", ids, windows, notes, scores: numbers(scores) };
    }
    case "forecasts": {
      const { ids, cases, values } = json;
      if (!isList(ids, isString) || !isList(cases, isPair)) throw damaged();
      return { kind: "forecasts", ids, cases, values: numbers(values) };
    }
    case "sums": {
      const { models } = json;
      if (!isList(models, (model) => isList(model, (parts) => isList(parts, isNumber)))) throw damaged();
      return { kind: "sums", models: models.map((parts) => modelSums(parts, emptySums())) };
    }
    default:
      throw damaged();
  }
}

/** All sums of a model in a fixed order. */
function allSums({ overall, byStep, pit, coverage }: ModelSums): ExactSum[] {
  return [...overall, ...byStep.flat(), pit, ...coverage].flatMap((sums) => Object.values(sums));
}

function modelSums(parts: readonly (readonly number[])[], empty: ModelSums): ModelSums {
  const sums = allSums(empty);
  if (parts.length !== sums.length) throw damaged();
  for (const [i, sum] of sums.entries()) sum.addSum(new ExactSum(parts[i]));
  return empty;
}

function base64(values: Float64Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}

function numbers(text: Json | undefined): Float64Array {
  if (typeof text !== "string") throw damaged();
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % 8 !== 0) throw damaged();
  return new Float64Array(new Uint8Array(bytes).buffer);
}

function isList<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[];
function isList(value: unknown, isItem: (item: unknown) => boolean): value is readonly never[];
function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isNumber);
}

function damaged(): Error {
  return new Error("a record of a shard is damaged");
}
