// Rows that are written: names of columns, times ahead, and nothing for what is missing.

import { expect, test } from "vitest";
import type { Panel } from "../../../forecast/types.ts";
import { csvText } from "./csv.ts";
import { askedQuantiles, forecastColumns, forecastRows } from "./forecast-rows.ts";

test("CSV has quotes where a text needs them, and nothing for what is missing or not finite", () => {
  const rows = [
    { a: 'one "two", three', b: 0.1 },
    { a: null, b: Number.NaN },
  ];
  expect(csvText(["a", "b"], rows)).toBe('a,b\n"one ""two"", three",0.1\n,\n');
});

test("rows of two targets and two months have the bounds and quantiles that were asked for", () => {
  const panel: Panel = {
    series: [
      {
        id: "s",
        times: Float64Array.of(Date.UTC(2020, 10, 30), Date.UTC(2020, 11, 31)),
        targets: [Float64Array.of(1, 2), Float64Array.of(3, 4)],
        covariates: {},
        statics: {},
      },
    ],
    targets: ["y", "z"],
    covariates: [],
    frequency: { unit: "month", count: 1 },
    season: 12,
  };
  const asked = { horizon: 2, levels: [80], quantiles: [0.25] };
  expect(askedQuantiles(asked)).toEqual([0.1, 0.25, 0.5, 0.9]);
  const forecastOf = (target: string, base: number) => ({
    id: "s",
    target,
    mean: Float64Array.of(base, base + 1),
    quantiles: [1, 2, 5, 9].map((q) => Float64Array.of(base + q, base + q + 0.5)),
  });
  const models = [{ name: "M", forecasts: [forecastOf("y", 10), forecastOf("z", 20)] }];
  expect(forecastColumns(models, panel, asked)).toEqual([
    ...["unique_id", "target", "ds", "M", "M-lo-80", "M-hi-80", "M-q-25"],
  ]);
  const rows = [...forecastRows(models, panel, asked)];
  expect(rows).toHaveLength(4);
  expect(rows[1]).toEqual({
    ...{ unique_id: "s", target: "y", ds: "2021-02-28" },
    ...{ M: 11, "M-lo-80": 11.5, "M-hi-80": 19.5, "M-q-25": 12.5 },
  });
  expect(rows[2]).toMatchObject({ target: "z", ds: "2021-01-31", M: 20 });
  const pointed = models[0].forecasts.map((one, j) => ({ ...one, point: Float64Array.of(j, j + 0.5) }));
  const both = [{ name: "P", forecasts: pointed }, ...models];
  expect(forecastColumns(both, panel, asked)).toEqual([
    ...["unique_id", "target", "ds", "P", "P-point", "P-lo-80", "P-hi-80", "P-q-25"],
    ...["M", "M-lo-80", "M-hi-80", "M-q-25"],
  ]);
  expect([...forecastRows(both, panel, asked)].map((row) => row["P-point"])).toEqual([0, 0.5, 1, 1.5]);
});
