// Point errors and scaled errors against numbers worked out by hand.

import { describe, expect, test } from "vitest";
import { madeCase } from "../../../test/support/forecast-cases.ts";
import { mae, mape, mase, rmse, rmsse, seriesScale, smape } from "./index.ts";

const missing = Number.NaN;

describe("errors of points", () => {
  const cases = [
    madeCase({ actual: [2, missing, 4], mean: [1, 100, 7] }),
    madeCase({ actual: [10], mean: [8] }),
  ];

  test("are means over all observed steps, and what is missing does not count", () => {
    expect(mae(cases)).toEqual({ value: 2 }); // (1 + 3 + 2) / 3
    expect(rmse(cases).value).toBeCloseTo(Math.sqrt(14 / 3), 12);
    expect(mape(cases).value).toBeCloseTo((100 * (1 / 2 + 3 / 4 + 2 / 10)) / 3, 12);
    expect(smape(cases).value).toBeCloseTo((200 * (1 / 3 + 3 / 11 + 2 / 18)) / 3, 12);
  });

  test("in percent leave targets of zero out, and say how many", () => {
    const zero = [madeCase({ actual: [0, 4], mean: [1, 3] })];
    expect(mape(zero)).toEqual({ value: 25, warning: "1 of 2 targets are zero and left out" });
    expect(mape([madeCase({ actual: [0, 0] })])).toEqual({ value: null, reason: "every target is zero" });
  });

  test("in symmetric percent are nothing where both are zero, and warn", () => {
    const { value, warning } = smape([madeCase({ actual: [0, 0, 1], mean: [0, 5, 1] })]);
    expect(value).toBeCloseTo(200 / 3, 12);
    expect(warning).toBe("2 targets are zero, where this is 0 or 200 and nothing between");
  });

  test.each([mae, rmse, mape, smape, mase, rmsse])(
    "are null with a reason where nothing was observed: %o",
    (metric) => {
      const reason = { value: null, reason: "no target was observed" };
      expect(metric([])).toEqual(reason);
      expect(metric([madeCase({ actual: [missing] })])).toEqual(reason);
    },
  );

  test.each([mae, rmse, mape, smape, mase, rmsse])(
    "are null where a forecast is not finite: %o",
    (metric) => {
      for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const { value, reason } = metric([madeCase({ actual: [1, 2], mean: [1, wrong] })]);
        expect([value, reason]).toEqual([null, "a forecast is not finite"]);
      }
    },
  );
});

describe("the scale of a series", () => {
  test("is the mean seasonal difference, absolute and squared", () => {
    expect(seriesScale(Float64Array.of(1, 5, 2, 9), 2)).toEqual({ absolute: 2.5, squared: 8.5 });
  });

  test("leaves out pairs of which one is missing", () => {
    expect(seriesScale(Float64Array.of(1, missing, 4, 6), 1)).toEqual({ absolute: 2, squared: 4 });
  });

  test("goes from step to step where the series is not longer than a season", () => {
    expect(seriesScale(Float64Array.of(1, 4), 12)).toEqual({ absolute: 3, squared: 9 });
  });

  test("is null with a reason for a constant, short or missing past", () => {
    expect(seriesScale(Float64Array.of(3, 3, 3), 1)).toEqual({
      absolute: null,
      squared: null,
      reason: "the past is constant",
    });
    for (const past of [[], [1], [missing, missing], [1, missing, 2]]) {
      expect(seriesScale(Float64Array.from(past), 1).reason).toBe(
        "no two values a season of 1 apart are known",
      );
    }
  });
});

describe("scaled errors", () => {
  const cases = [
    madeCase({ actual: [2, 4], mean: [1, 1], scale: { absolute: 4, squared: 20 } }),
    madeCase({ actual: [3, missing], mean: [0, 0], scale: { absolute: 1, squared: 9 } }),
  ];

  test("weigh every forecast alike, however many steps of it were observed", () => {
    expect(mase(cases).value).toBeCloseTo((2 / 4 + 3) / 2, 12);
    expect(rmsse(cases).value).toBeCloseTo((Math.sqrt(5 / 20) + 1) / 2, 12);
  });

  test("leave out what has no scale, and say so", () => {
    const flat = madeCase({ actual: [1], scale: { absolute: null, squared: null } });
    const reason = "the past of the series is constant or too short to scale by";
    expect(mase([flat])).toEqual({ value: null, reason });
    expect(rmsse([flat, cases[1]])).toEqual({
      value: 1,
      warning: `1 of 2 forecasts are left out: ${reason}`,
    });
  });
});
