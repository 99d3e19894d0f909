// Tables of metrics: what stands in them, and that each part is of its own cases.

import { describe, expect, test } from "vitest";
import { madeCase } from "../../../test/support/forecast-cases.ts";
import { metricTables, skill } from "./index.ts";

const options = { quantiles: [0.1, 0.5, 0.9], levels: [80], wqlQuantiles: [0.1, 0.5, 0.9] };
const quantiles = [
  [0, 0],
  [1, 1],
  [2, 2],
];
const a = madeCase({ id: "a", actual: [1, 3], mean: [1, 1], quantiles });
const b = madeCase({ id: "b", actual: [4, Number.NaN], mean: [1, 1], quantiles });

describe("tables", () => {
  const { overall, series, horizon, pit } = metricTables([a, b], options);

  test("have every metric overall, per series and per step", () => {
    const names =
      "MAE RMSE MAPE sMAPE MASE RMSSE WQL CRPS energy coverage-80 width-80 Winkler-80 MSIS-80".split(" ");
    for (const measures of [overall, series.a, series.b, ...horizon])
      expect(Object.keys(measures)).toEqual(names);
    expect(horizon).toHaveLength(2);
    expect(pit).toHaveLength(10);
  });

  test("tell series and steps apart", () => {
    expect(overall.MAE.value).toBeCloseTo(5 / 3, 12);
    expect([series.a.MAE.value, series.b.MAE.value]).toEqual([1, 3]);
    expect(horizon.map(({ MAE }) => MAE.value)).toEqual([1.5, 2]);
    expect(horizon[1]["coverage-80"].value).toBe(0);
  });

  test("have no NaN anywhere: what cannot be had is null with a reason", () => {
    const empty = metricTables([madeCase({ actual: [Number.NaN], quantiles: [[0], [1], [2]] })], options);
    for (const { value, reason } of Object.values(empty.overall)) {
      expect([value, typeof reason]).toEqual([null, "string"]);
    }
    expect(empty.pit).toBeNull();
    expect(metricTables([], options).horizon).toEqual([]);
  });

  test("name series and target where there are several targets", () => {
    const other = madeCase({ id: "a", target: "z", actual: [2], quantiles: [[0], [1], [2]] });
    expect(Object.keys(metricTables([a, other], options).series)).toEqual(["a/y", "a/z"]);
  });

  test("take CRPS from paths only where all forecasts have them", () => {
    const drawn = madeCase({ actual: [1], quantiles: [[0], [1], [2]], paths: [[0], [0]] });
    expect(metricTables([drawn], options).overall.CRPS.value).toBe(1);
    expect(metricTables([drawn, a], options).overall.CRPS.value).toBeGreaterThan(0);
  });
});

describe("skill", () => {
  test("is what is gained beside the reference, where less is better", () => {
    const measures = { MAE: { value: 3 }, "coverage-80": { value: 0.8 }, "width-80": { value: 1 } };
    expect(skill(measures, { MAE: { value: 4 }, "coverage-80": { value: 0.7 } })).toEqual({
      MAE: { value: 0.25 },
    });
  });

  test("is null with a reason where either cannot be had, or the reference is without error", () => {
    const none = { value: null, reason: "every target is zero" };
    expect(skill({ MAPE: none }, { MAPE: { value: 1 } }).MAPE).toEqual(none);
    expect(skill({ MAPE: { value: 1 } }, { MAPE: none }).MAPE.reason).toBe(
      "of the reference, every target is zero",
    );
    expect(skill({ MAE: { value: 1 } }, {}).MAE.reason).toBe("of the reference, it was not measured");
    expect(skill({ MAE: { value: 1 } }, { MAE: { value: 0 } }).MAE.reason).toBe(
      "the reference makes no error",
    );
  });
});
