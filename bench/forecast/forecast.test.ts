// Tests of the forecast benchmark: data sets, table rows, and the refusal to record incomplete results.

import { describe, expect, test } from "vitest";
import { forecast } from "../forecast.ts";
import { DATA_SETS } from "./data-sets.ts";
import type { BacktestResult } from "./measure.ts";
import { type ForecastRow, rowsOf, TABLE } from "./rows.ts";

const measured = (name: string, wql: number): BacktestResult => ({
  name,
  mase: 1,
  wql,
  lastWql: wql,
  coverage: 0.8,
  fitSeconds: 0,
  rate: 10,
});

describe("data sets", () => {
  test.each([
    ["births 1969-1988", 1, 7305, "1969-01-01", "1988-12-31"],
    ["births 2000-2014", 1, 5479, "2000-01-01", "2014-12-31"],
    ["ETTh", 14, 17420, "2016-07-01", "2018-06-26"],
    ["exchange rate", 8, 7588, "1990-01-01", "2019-01-30"],
  ])("%s has the expected series and time range", (name, series, rows, first, last) => {
    const panel = DATA_SETS.find((set) => set.name === name)!.load();
    // Only the births are part of the package; other files may be missing.
    if (!panel) return expect(name).not.toMatch(/births/);
    expect(panel.series.map(({ times }) => times.length)).toEqual(Array(series).fill(rows));
    const days = Array.from(panel.series[0].times, (time) => new Date(time).toISOString().slice(0, 10));
    expect([days[0], days.at(-1)]).toEqual([first, last]);
    for (const { targets } of panel.series) expect(targets[0].every(Number.isFinite)).toBe(true);
  });
});

describe("rows", () => {
  const set = { name: "set", recentRows: 90 };
  const baselines = [measured("SeasonalNaive", 2), measured("Naive", 4)];
  const cellsOf = (rows: readonly ForecastRow[]) => (heading: string) =>
    rows.map((row) => TABLE.columns.find((column) => column.heading === heading)!.cell(row));

  test("have errors relative to the seasonal naive forecast, with the range over seeds", () => {
    const ours = [0.6, 0.5, 0.9].map((wql) => ({ ...measured("TokenModel", wql), fitCpuSeconds: 3 }));
    const cells = cellsOf(rowsOf(set, baselines, measured("SARIMA", 1), ours));
    expect(cells("setting")).toEqual(["set, SeasonalNaive", "set, Naive", "set, SARIMA", "set, TokenModel"]);
    expect(cells("relative")).toEqual(["1.000", "2.000", "0.500", "0.300 (0.250–0.450)"]);
    expect(cells("fit CPU s")).toEqual(["", "", "", "3 (3–3)"]);
    expect(cells("note")).toEqual(["", "", "sees the last 90 rows", ""]);
  });

  test("say that ARIMA models are missing if there is no Python", () => {
    const cells = cellsOf(rowsOf(set, baselines, undefined, []));
    expect(cells("setting")).toEqual(["set, SeasonalNaive", "set, Naive", "set, AutoARIMA"]);
    for (const heading of ["WQL", "relative", "forecasts/s"]) expect(cells(heading)[2]).toBe("");
    expect(cells("note")[2]).toBe("missing: no Python with statsforecast or statsmodels");
  });
});

test("only complete results are recorded", () => {
  const whole = { rounds: 3, seconds: 1, quick: false };
  expect(forecast.recordProblem!({ ...whole, only: /births/ })).toMatch(/^--record needs a complete result/);
  expect(forecast.recordProblem!({ ...whole, rounds: 2 })).toMatch(/^--record needs a complete result/);
});
