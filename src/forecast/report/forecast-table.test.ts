// Rows and columns of forecast tables.

import { expect, test } from "vitest";
import type { Panel } from "../types.ts";
import { forecastColumnNames, forecastRows, requestedQuantiles } from "./forecast-table.ts";

test("rows of two targets and two months have the requested interval bounds and quantiles", () => {
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
  const columns = { horizon: 2, levels: [80], quantiles: [0.25] };
  expect(requestedQuantiles(columns)).toEqual([0.1, 0.25, 0.5, 0.9]);
  const forecastOf = (target: string, base: number) => ({
    id: "s",
    target,
    mean: Float64Array.of(base, base + 1),
    quantiles: [1, 2, 5, 9].map((q) => Float64Array.of(base + q, base + q + 0.5)),
  });
  const models = [{ name: "M", forecasts: [forecastOf("y", 10), forecastOf("z", 20)] }];
  expect(forecastColumnNames(models, panel, columns)).toEqual([
    ...["unique_id", "target", "ds", "M", "M-median", "M-lo-80", "M-hi-80", "M-q-25"],
  ]);
  const rows = [...forecastRows(models, panel, columns)];
  expect(rows).toHaveLength(4);
  expect(rows[1]).toEqual({
    ...{ unique_id: "s", target: "y", ds: "2021-02-28" },
    ...{ M: 11, "M-median": 15.5, "M-lo-80": 11.5, "M-hi-80": 19.5, "M-q-25": 12.5 },
  });
  expect(rows[2]).toMatchObject({ target: "z", ds: "2021-01-31", M: 20 });
  const withPoint = models[0].forecasts.map((one, j) => ({ ...one, point: Float64Array.of(j, j + 0.5) }));
  const both = [{ name: "P", forecasts: withPoint }, ...models];
  expect(forecastColumnNames(both, panel, columns)).toEqual([
    ...["unique_id", "target", "ds", "P", "P-median", "P-point", "P-lo-80", "P-hi-80", "P-q-25"],
    ...["M", "M-median", "M-lo-80", "M-hi-80", "M-q-25"],
  ]);
  expect([...forecastRows(both, panel, columns)].map((row) => row["P-point"])).toEqual([0, 0.5, 1, 1.5]);
});
