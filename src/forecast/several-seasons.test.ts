// Several seasons: as an option, in the panel, as inputs of the model, in MSTL, and in decompositions.

import { describe, expect, test } from "vitest";
import { forecastOf } from "../../test/support/forecast-of.ts";
import { panelOf } from "../../test/support/panels.ts";
import { problemOf, readText } from "../settings/kinds.ts";
import { mstlEts, seasonalNaive } from "./baselines/index.ts";
import { panelSeasons, seasonsText } from "./data/seasons.ts";
import { fitFeatures } from "./model/features.ts";
import { seasonsKind } from "./option-kinds.ts";
import { decompositionCsv } from "./report/decomposition-report.ts";
import type { Panel } from "./types.ts";

const hours = { unit: "minute", count: 30 } as const;

describe("the option season", () => {
  test("is a number or a list of numbers", () => {
    expect(readText(seasonsKind, "48")).toEqual({ value: 48 });
    expect(readText(seasonsKind, "48, 336")).toEqual({ value: [48, 336] });
    for (const wrong of ["0", "48,0", "48,,336", "weekly"]) {
      expect(readText(seasonsKind, wrong)).toHaveProperty("problem");
    }
    expect(problemOf(seasonsKind, [48, 1.5])).toContain("whole numbers from 1 to 100,000");
  });

  test("makes the shortest the season of the panel, and the others further ones", () => {
    expect(panelSeasons([336, 48, 336], hours)).toEqual({ season: 48, furtherSeasons: [336] });
    expect(panelSeasons(48, hours)).toEqual({ season: 48 });
    expect(panelSeasons(undefined, hours)).toEqual({ season: 48 });
    expect(seasonsText({ season: 48, furtherSeasons: [336] })).toBe("48 and 336");
  });
});

describe("further seasons of a panel", () => {
  // A season of 4 times one of 12: exactly the sum of both, with a slow trend.
  const values = Array.from(
    { length: 96 },
    (_, t) => [0, 3, 1, 7][t % 4] + 5 * Math.cos((2 * Math.PI * t) / 12) + t / 50,
  );
  const panel: Panel = { ...panelOf({ a: values }, 4), furtherSeasons: [12] };
  const request = { horizon: 12, quantiles: [0.5] };

  test("are removed by MSTL-ETS as if they were given to it", async () => {
    const [forecast] = await (await mstlEts().fit(panel)).predict(panel, request);
    const given = await forecastOf(mstlEts({ seasons: [4, 12] }), values, { horizon: 12 });
    expect([...forecast.mean]).toEqual(given.mean);
    forecast.mean.forEach((value, i) => {
      const t = 96 + i;
      expect(value).toBeCloseTo([0, 3, 1, 7][t % 4] + 5 * Math.cos((2 * Math.PI * t) / 12) + t / 50, 0);
    });
  });

  test("do not change other baselines, or MSTL-ETS with a season of its own", async () => {
    const [naive] = await (await seasonalNaive().fit(panel)).predict(panel, request);
    expect([...naive.mean]).toEqual(
      (await forecastOf(seasonalNaive(), values, { season: 4, horizon: 12 })).mean,
    );
    const [own] = await (await mstlEts({ season: 4 }).fit(panel)).predict(panel, request);
    expect([...own.mean]).toEqual((await forecastOf(mstlEts(), values, { season: 4, horizon: 12 })).mean);
  });

  test("are lags of the model, as multiples that paths do not reach", () => {
    const long: Panel = {
      ...panelOf({ a: Array.from({ length: 3000 }, (_, t) => t % 5) }, 48),
      ...{ frequency: hours, furtherSeasons: [336] },
    };
    expect(fitFeatures(long, { horizon: 48 }).lags).toEqual([336]);
    expect(fitFeatures(long, { horizon: 400 }).lags).toEqual([672]);
    expect(fitFeatures(long, { horizon: 48, lags: [100] }).lags).toEqual([100]);
    const hourly: Panel = {
      ...long,
      season: 24,
      frequency: { unit: "hour", count: 1 },
      furtherSeasons: [168],
    };
    expect(fitFeatures(hourly, { horizon: 24 }).lags).toEqual([168]);
  });

  test("are in decompositions, whose trend, season and residual add up to the values", () => {
    const [head, ...rows] = decompositionCsv(panel).trim().split("\n");
    expect(head).toBe("unique_id,ds,y,trend,season,residual");
    for (const row of rows) {
      const [y, trend, season, residual] = row.split(",").slice(2).map(Number);
      expect(trend + season + residual).toBeCloseTo(y, 8);
    }
  });
});
