// Point errors and scaled errors against values computed by hand.

import { describe, expect, test } from "vitest";
import { forecastCase } from "../../../test/support/forecast-cases.ts";
import { mae, mape, mase, rmse, rmsse, seriesScale, smape } from "./index.ts";

const missing = Number.NaN;

describe("point errors", () => {
  const cases = [
    forecastCase({ actual: [2, missing, 4], mean: [1, 100, 7] }),
    forecastCase({ actual: [10], mean: [8] }),
  ];

  test("are means over all observed steps", () => {
    expect(mae(cases)).toEqual({ value: 2 }); // (1 + 3 + 2) / 3
    expect(rmse(cases).value).toBeCloseTo(Math.sqrt(14 / 3), 12);
    expect(mape(cases).value).toBeCloseTo((100 * (1 / 2 + 3 / 4 + 2 / 10)) / 3, 12);
    expect(smape(cases).value).toBeCloseTo((200 * (1 / 3 + 3 / 11 + 2 / 18)) / 3, 12);
  });

  test("are those of the median, if it is given, but squares are of the mean", () => {
    const one = forecastCase({ actual: [2, 4], mean: [5, 5] });
    const skewed = [{ ...one, forecast: { ...one.forecast, median: Float64Array.of(3, 4) } }];
    expect(mae(skewed)).toEqual({ value: 0.5 });
    expect(mape(skewed)).toEqual({ value: 25 });
    expect(smape(skewed).value).toBeCloseTo((200 * (1 / 5)) / 2, 12);
    expect(rmse(skewed).value).toBeCloseTo(Math.sqrt((9 + 1) / 2), 12);
    const scaled = skewed.map((each) => ({ ...each, scale: { absolute: 2, squared: 4 } }));
    expect(mase(scaled)).toEqual({ value: 0.25 });
    expect(rmsse(scaled).value).toBeCloseTo(Math.sqrt(5 / 4), 12);
  });

  test("in percent skip actual values of zero and report their number", () => {
    const zero = [forecastCase({ actual: [0, 4], mean: [1, 3] })];
    expect(mape(zero)).toEqual({ value: 25, warning: "1 of 2 actual values are zero and skipped" });
    expect(mape([forecastCase({ actual: [0, 0] })])).toEqual({
      value: null,
      reason: "all actual values are zero",
    });
  });

  test("in symmetric percent are 0 if both values are zero, with a warning", () => {
    const { value, warning } = smape([forecastCase({ actual: [0, 0, 1], mean: [0, 5, 1] })]);
    expect(value).toBeCloseTo(200 / 3, 12);
    expect(warning).toBe("2 actual values are zero, where sMAPE is either 0 or 200");
  });

  test.each([mae, rmse, mape, smape, mase, rmsse])(
    "are null with a reason if nothing was observed: %o",
    (metric) => {
      const reason = { value: null, reason: "no target was observed" };
      expect(metric([])).toEqual(reason);
      expect(metric([forecastCase({ actual: [missing] })])).toEqual(reason);
    },
  );

  test.each([mae, rmse, mape, smape, mase, rmsse])("are null if a forecast is not finite: %o", (metric) => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const { value, reason } = metric([forecastCase({ actual: [1, 2], mean: [1, wrong] })]);
      expect([value, reason]).toEqual([null, "a forecast is not finite"]);
    }
  });
});

describe("the scale of a series", () => {
  test("is the mean seasonal difference, absolute and squared", () => {
    expect(seriesScale(Float64Array.of(1, 5, 2, 9), 2)).toEqual({ absolute: 2.5, squared: 8.5 });
  });

  test("skips pairs with a missing value", () => {
    expect(seriesScale(Float64Array.of(1, missing, 4, 6), 1)).toEqual({ absolute: 2, squared: 4 });
  });

  test("uses a lag of 1 if the series is not longer than a season", () => {
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
        "no two observed values are one season (lag 1) apart",
      );
    }
  });
});

describe("scaled errors", () => {
  const cases = [
    forecastCase({ actual: [2, 4], mean: [1, 1], scale: { absolute: 4, squared: 20 } }),
    forecastCase({ actual: [3, missing], mean: [0, 0], scale: { absolute: 1, squared: 9 } }),
  ];

  test("weight every forecast equally, regardless of its number of observed steps", () => {
    expect(mase(cases).value).toBeCloseTo((2 / 4 + 3) / 2, 12);
    expect(rmsse(cases).value).toBeCloseTo((Math.sqrt(5 / 20) + 1) / 2, 12);
  });

  test("skip forecasts without a scale and report them", () => {
    const flat = forecastCase({ actual: [1], scale: { absolute: null, squared: null } });
    const reason = "the past of the series is constant or too short for a scale";
    expect(mase([flat])).toEqual({ value: null, reason });
    expect(rmsse([flat, cases[1]])).toEqual({
      value: 1,
      warning: `1 of 2 forecasts are skipped: ${reason}`,
    });
  });
});
