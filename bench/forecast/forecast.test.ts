// The forecast benchmark: its sets, its rows, and what is kept of it.

import { describe, expect, test } from "vitest";
import { forecast } from "../forecast.ts";
import type { Measured } from "./measure.ts";
import { type ForecastRow, rowsOf, TABLE } from "./rows.ts";
import { SETS } from "./sets.ts";

const measured = (name: string, wql: number): Measured => ({
  name,
  mase: 1,
  wql,
  lastWql: wql,
  coverage: 0.8,
  fitSeconds: 0,
  rate: 10,
});

describe("sets", () => {
  test.each([
    ["births 1969-1988", 1, 7305, "1969-01-01", "1988-12-31"],
    ["births 2000-2014", 1, 5479, "2000-01-01", "2014-12-31"],
    ["ETTh", 14, 17420, "2016-07-01", "2018-06-26"],
    ["exchange rate", 8, 7588, "1990-01-01", "2019-01-30"],
  ])("%s has its series, from its first day to its last", (name, series, rows, first, last) => {
    const panel = SETS.find((set) => set.name === name)!.load();
    // Files beside the package may be absent.
    if (!panel) return expect(name).not.toMatch(/births/);
    expect(panel.series.map(({ times }) => times.length)).toEqual(Array(series).fill(rows));
    const days = Array.from(panel.series[0].times, (time) => new Date(time).toISOString().slice(0, 10));
    expect([days[0], days.at(-1)]).toEqual([first, last]);
    for (const { targets } of panel.series) expect(targets[0].every(Number.isFinite)).toBe(true);
  });
});

describe("rows", () => {
  const set = { name: "set", recent: 90 };
  const baselines = [measured("SeasonalNaive", 2), measured("Naive", 4)];
  const cellsOf = (rows: readonly ForecastRow[]) => (heading: string) =>
    rows.map((row) => TABLE.columns.find((column) => column.heading === heading)!.cell(row));

  test("are relative to the seasonal naive forecast, and have the range over seeds", () => {
    const ours = [0.6, 0.5, 0.9].map((wql) => ({ ...measured("GFlowNet", wql), fitCpuSeconds: 3 }));
    const cells = cellsOf(rowsOf(set, baselines, measured("SARIMA", 1), ours));
    expect(cells("setting")).toEqual(["set, SeasonalNaive", "set, Naive", "set, SARIMA", "set, GFlowNet"]);
    expect(cells("relative")).toEqual(["1.000", "2.000", "0.500", "0.300 (0.250–0.450)"]);
    expect(cells("fit CPU s")).toEqual(["", "", "", "3 (3–3)"]);
    expect(cells("note")).toEqual(["", "", "sees the last 90 rows", ""]);
  });

  test("say that ARIMA models are absent where there is no Python for them", () => {
    const cells = cellsOf(rowsOf(set, baselines, undefined, []));
    expect(cells("setting")).toEqual(["set, SeasonalNaive", "set, Naive", "set, AutoARIMA"]);
    for (const heading of ["WQL", "relative", "forecasts/s"]) expect(cells(heading)[2]).toBe("");
    expect(cells("note")[2]).toBe("absent: no Python with statsforecast or statsmodels");
  });
});

test("only whole results are recorded", () => {
  const whole = { rounds: 3, seconds: 1, quick: false };
  expect(forecast.unrecordable!({ ...whole, only: /births/ })).toMatch(/^--record keeps a whole result/);
  expect(forecast.unrecordable!({ ...whole, rounds: 2 })).toMatch(/^--record keeps a whole result/);
});
