// Checks of panels before forecasting: dropped series, notes, horizons and the selection of series.

import { describe, expect, test } from "vitest";
import { panelOf } from "../../../test/support/panels.ts";
import { UserError } from "../../issues.ts";
import { checkHorizon, seasonNotes, selectSeries, usablePanel } from "./usable-panel.ts";

const missing = Number.NaN;
const long = Array.from({ length: 12 }, (_, t) => t);

describe("usablePanel", () => {
  test("drops series without values and notes short ones and trailing rows", () => {
    const { panel, notes } = usablePanel(
      panelOf({ long, empty: [missing, missing], short: [1, 2, missing] }, 7),
    );
    expect(panel.series.map(({ id }) => id)).toEqual(["long", "short"]);
    expect(notes).toEqual([
      'series "empty" is skipped, because it has no value of y',
      'series "short" ends with 1 row without y; declare columns with known future values if these rows describe the future',
      'intervals are unreliable with fewer than 8 values: series "short"',
    ]);
  });

  test("rejects a panel without values", () => {
    expect(() => usablePanel(panelOf({ empty: [missing] }, 1))).toThrow(
      "at least one series must have values of y, got none",
    );
  });
});

test("seasonNotes mentions a season that is longer than all series", () => {
  expect(seasonNotes(panelOf({ long }, 30), { season: 30 })).toEqual([
    "a season of 30 steps is longer than the longest series, 12 rows",
  ]);
  expect(seasonNotes(panelOf({ long }, 7), {})).toEqual([]);
});

test("checkHorizon returns a horizon below the longest series, and reports the option otherwise", () => {
  const panel = panelOf({ long }, 7);
  expect(checkHorizon(11, panel)).toBe(11);
  const issuesOf = (horizon?: number) => {
    try {
      checkHorizon(horizon, panel);
    } catch (error) {
      return (error as UserError).issues;
    }
  };
  expect(issuesOf(12)).toEqual([
    {
      path: "horizon",
      code: "range",
      message: "must be below the 12 rows of the longest series, got 12",
    },
  ]);
  expect(issuesOf(undefined)).toMatchObject([{ path: "horizon" }]);
});

test("selectSeries keeps the given series in the order of the panel", () => {
  const panel = panelOf({ a: [1, 2], b: [3, 4], c: [5, 6] }, 1);
  expect(selectSeries(panel, ["c", "a"]).series.map(({ id }) => id)).toEqual(["a", "c"]);
  expect(selectSeries(panel, undefined)).toBe(panel);
  expect(() => selectSeries(panel, ["d"])).toThrow(UserError);
});
