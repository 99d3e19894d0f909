// All metrics of a forecaster, overall, per series and per step, and skill scores.

import { describe, expect, test } from "vitest";
import { forecastCase } from "../../../test/support/forecast-cases.ts";
import { addForecastSums, forecastSums, metricsOfSums } from "./forecast-metrics.ts";
import { forecastMetrics, skillScores } from "./index.ts";

const options = { quantiles: [0.1, 0.5, 0.9], levels: [80], wqlQuantiles: [0.1, 0.5, 0.9] };
const quantiles = [
  [0, 0],
  [1, 1],
  [2, 2],
];
const a = forecastCase({ id: "a", actual: [1, 3], mean: [1, 1], quantiles });
const b = forecastCase({ id: "b", actual: [4, Number.NaN], mean: [1, 1], quantiles });

describe("forecastMetrics", () => {
  const { overall, bySeries, byStep, pit } = forecastMetrics([a, b], options);

  test("has every metric overall, per series and per step", () => {
    const names =
      "MAE RMSE MAPE sMAPE MASE RMSSE WQL CRPS energy coverage-80 width-80 Winkler-80 MSIS-80".split(" ");
    for (const measures of [overall, bySeries.a, bySeries.b, ...byStep])
      expect(Object.keys(measures)).toEqual(names);
    expect(byStep).toHaveLength(2);
    expect(pit).toHaveLength(10);
  });

  test("computes series and steps from their own cases", () => {
    expect(overall.MAE.value).toBeCloseTo(5 / 3, 12);
    expect([bySeries.a.MAE.value, bySeries.b.MAE.value]).toEqual([1, 3]);
    expect(byStep.map(({ MAE }) => MAE.value)).toEqual([1.5, 2]);
    expect(byStep[1]["coverage-80"].value).toBe(0);
  });

  test("has no NaN: a missing value is null with a reason", () => {
    const empty = forecastMetrics(
      [forecastCase({ actual: [Number.NaN], quantiles: [[0], [1], [2]] })],
      options,
    );
    for (const { value, reason } of Object.values(empty.overall)) {
      expect([value, typeof reason]).toEqual([null, "string"]);
    }
    expect(empty.pit).toBeNull();
    expect(forecastMetrics([], options).byStep).toEqual([]);
  });

  test("names series and target if there are several targets", () => {
    const other = forecastCase({ id: "a", target: "z", actual: [2], quantiles: [[0], [1], [2]] });
    expect(Object.keys(forecastMetrics([a, other], options).bySeries)).toEqual(["a/y", "a/z"]);
  });

  test("computes CRPS from paths only if all forecasts have them", () => {
    const drawn = forecastCase({ actual: [1], quantiles: [[0], [1], [2]], paths: [[0], [0]] });
    expect(forecastMetrics([drawn], options).overall.CRPS.value).toBe(1);
    expect(forecastMetrics([drawn, a], options).overall.CRPS.value).toBeGreaterThan(0);
  });
});

describe("sums", () => {
  const cases = Array.from({ length: 200 }, (_, i) => {
    const at = (k: number) => Math.sin(17 * i + k) * 10 ** ((i % 7) - 3);
    const actual = i % 11 === 0 ? [Number.NaN, 0] : [at(1), at(2)];
    const mean = [at(3), at(4)];
    const bounds = [-1, 0, 1].map((side) => mean.map((value) => value + side * Math.abs(at(5))));
    return forecastCase({ id: `s${i}`, actual, mean, quantiles: bounds });
  });
  const { bySeries: _, ...whole } = forecastMetrics(cases, options);

  test("of parts of the forecasts give the metrics of all, to the bit and in any order", () => {
    for (const size of [1, 7, 90]) {
      const total = forecastSums([], options, 2);
      for (let end = cases.length; end > 0; end -= size) {
        addForecastSums(total, forecastSums(cases.slice(Math.max(0, end - size), end), options, 2));
      }
      expect(metricsOfSums(total, options)).toEqual(whole);
    }
    expect(whole.overall.MAPE.warning).toBe("19 of 381 actual values are zero and skipped");
  });
});

describe("skillScores", () => {
  test("is 1 − metric / reference for metrics where lower is better", () => {
    const measures = { MAE: { value: 3 }, "coverage-80": { value: 0.8 }, "width-80": { value: 1 } };
    expect(skillScores(measures, { MAE: { value: 4 }, "coverage-80": { value: 0.7 } })).toEqual({
      MAE: { value: 0.25 },
    });
  });

  test("is null with a reason if a value is missing or the reference has no error", () => {
    const none = { value: null, reason: "all actual values are zero" };
    expect(skillScores({ MAPE: none }, { MAPE: { value: 1 } }).MAPE).toEqual(none);
    expect(skillScores({ MAPE: { value: 1 } }, { MAPE: none }).MAPE.reason).toBe(
      "the reference has no value: all actual values are zero",
    );
    expect(skillScores({ MAE: { value: 1 } }, {}).MAE.reason).toBe(
      "the reference has no value: the metric is missing",
    );
    expect(skillScores({ MAE: { value: 1 } }, { MAE: { value: 0 } }).MAE.reason).toBe(
      "the reference has no error",
    );
  });
});
