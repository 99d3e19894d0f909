// Tests of the ARIMA forecaster, with a Node.js process in place of Python.

import { expect, test } from "vitest";
import type { Panel } from "../../src/forecast/types.ts";
import { arimaForecaster } from "./arima-forecaster.ts";

/** Forecasts the last value of each series, plus q for the quantile q. */
const LAST_VALUE = `
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { horizon, quantiles, series } = JSON.parse(line);
    const forecasts = series.map((values) => {
      const row = (more) => Array(horizon).fill(values.at(-1) + more);
      return { mean: row(0), quantiles: quantiles.map(row) };
    });
    console.log(JSON.stringify({ forecasts }));
  });`;

const rival = (code: string) => ({
  name: "ARIMA",
  library: "none",
  command: { file: process.execPath, parameters: ["-e", code], threads: 1 },
});

const panel: Panel = {
  series: [
    [1, 2],
    [3, 5],
  ].map((values, i) => ({
    id: `${i}`,
    times: Float64Array.of(0, 1),
    targets: [Float64Array.from(values)],
    covariates: {},
    statics: {},
  })),
  targets: ["y"],
  covariates: [],
  frequency: null,
  season: 1,
};

test("one process answers all requests, series by series", async () => {
  const forecaster = arimaForecaster(rival(LAST_VALUE));
  try {
    const fitted = await forecaster.fit(panel);
    for (const horizon of [1, 3]) {
      const forecasts = await fitted.predict(panel, { horizon, quantiles: [0.25, 0.5] });
      expect(forecasts.map(({ id, target }) => [id, target])).toEqual([
        ["0", "y"],
        ["1", "y"],
      ]);
      expect(forecasts.map(({ mean }) => [...mean])).toEqual([2, 5].map((x) => Array(horizon).fill(x)));
      expect(forecasts[1].quantiles.map((row) => [...row])).toEqual([
        Array(horizon).fill(5.25),
        Array(horizon).fill(5.5),
      ]);
    }
  } finally {
    await forecaster.dispose();
  }
});

test("the error contains the message of a failed process", async () => {
  const forecaster = arimaForecaster(rival('throw new RangeError("no such model")'));
  const fitted = await forecaster.fit(panel);
  await expect(fitted.predict(panel, { horizon: 1, quantiles: [0.5] })).rejects.toThrow(
    "ARIMA: the process must answer every request, got RangeError: no such model",
  );
  await forecaster.dispose();
});
