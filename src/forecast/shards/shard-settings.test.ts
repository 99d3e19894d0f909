// Settings of shards from elsewhere: every one is checked before anything is read.

import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../executor/unit.ts";
import { shardProblem } from "./shard-settings.ts";

const valid: JsonObject = {
  ...{ idColumn: "unique_id", timeColumn: "ds", targetColumns: ["y"], timeFormat: { kind: "text" } },
  ...{ rows: { from: 0, to: 100 }, series: 2, frequency: { unit: "month", count: 1 }, season: 12 },
  ...{
    horizon: 3,
    ...{ windows: 2, stepSize: 1, cutoffs: [0, Number.NEGATIVE_INFINITY] },
    levels: [80],
    models: ["naive", "seasonal-naive"],
  },
  forecasts: false,
};

test("complete settings have no problem, with and without the optional ones", () => {
  expect(shardProblem(valid)).toBeNull();
  const all = {
    ...{
      ids: ["a", ""],
      duplicates: "mean",
      fill: "linear",
      inputSize: 5,
      predictiveDistribution: "empirical",
    },
    resample: { every: { unit: "quarter", count: 1 }, aggregate: "sum" },
  };
  expect(shardProblem({ ...valid, ...all })).toBeNull();
  expect(shardProblem({ ...valid, frequency: null })).toBeNull();
  // The name of a column is data: it is quoted in queries.
  expect(shardProblem({ ...valid, idColumn: '"; DROP TABLE a; --' })).toBeNull();
});

test.each<[string, Record<string, Json>, string]>([
  ["an unknown setting", { path: "/etc/passwd" }, 'there is no setting "path"'],
  ["a number as a column", { idColumn: 3 }, "idColumn must be a text of 1 to 1000 characters, got 3"],
  ["no targets", { targetColumns: [] }, "targetColumns must be a list"],
  ["a query as a time unit", { timeFormat: { kind: "epoch", milliseconds: "1); --" } }, "timeFormat must be"],
  ["another time unit", { timeFormat: { kind: "epoch", milliseconds: 2 } }, "timeFormat must be"],
  ["more in the time format", { timeFormat: { kind: "text", sql: "1" } }, "timeFormat must be"],
  ["a query as a row", { rows: { from: "0; --", to: 100 } }, "rows must be rows"],
  ["negative rows", { rows: { from: -1, to: 100 } }, "rows must be rows"],
  ["rows in reverse", { rows: { from: 100, to: 100 } }, "rows must begin before they end"],
  ["too many rows", { rows: { from: 0, to: 2 ** 31 - 1 } }, "rows must be at most"],
  ["names that are not texts", { ids: ["a", 1] }, "ids must be a list"],
  ["the same name twice", { ids: ["a", "a"] }, "ids must name each series once"],
  ["a fractional horizon", { horizon: 1.5 }, "horizon must be a whole number"],
  ["too many steps", { horizon: 251 }, "horizon times the number of models must be at most 500, got 502"],
  ["fewer cutoffs than windows", { cutoffs: [0] }, "cutoffs must be one per window"],
  ["no window", { windows: 0 }, "windows must be"],
  ["no cutoff", { cutoffs: [] }, "cutoffs must be a list"],
  ["a cutoff that is no time", { cutoffs: [Number.NaN] }, "cutoffs must be a list"],
  ["a learned model", { models: ["token-model"] }, "models must be a list"],
  ["a model twice", { models: ["naive", "naive"] }, "models must be different"],
  ["a model of the prototype", { models: ["constructor"] }, "models must be a list"],
  [
    "another aggregate",
    { resample: { every: { unit: "month", count: 1 }, aggregate: "eval" } },
    "resample must be",
  ],
  ["a text as a switch", { forecasts: "yes" }, "forecasts must be true or false"],
  ["too long settings", { ids: ["x".repeat(70_000)] }, "they must have at most 60000 characters"],
])("%s is refused", (_, change, problem) => {
  expect(shardProblem({ ...valid, ...change })).toContain(problem);
});

test("every setting is needed but the optional ones", () => {
  for (const key of Object.keys(valid).filter((name) => name !== "cutoffs")) {
    const { [key]: _, ...rest } = valid;
    expect(shardProblem(rest)).toContain(key);
  }
});
