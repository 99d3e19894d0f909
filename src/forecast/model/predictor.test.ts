// Forecasts of small models: the samples follow the probabilities of the network.

import { expect, test } from "vitest";
import { encodedWindow } from "../../../test/support/encoded-window.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { randomForecastModel } from "../../../test/support/random-forecast-model.ts";
import { tinySettings } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { fittedForecaster } from "./forecaster.ts";
import { binnedCdf } from "./quantiser.ts";

const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];
const panel = syntheticPanel({ rows: 90, series: 3, targets: 2, covariates: true });
const model = randomForecastModel(panel, tinySettings);

test("samples follow the probabilities of the network", async () => {
  const forecaster = fittedForecaster(model);
  const forecasts = await forecaster.predict(panel, { horizon: 3, quantiles, samples: 6000 });
  await forecaster.dispose();
  const { network, locationScales, inputs } = encodedWindow(model, [panel.series[1]]);
  const [[{ location, scale }]] = locationScales;
  const { probabilities } = evaluate(({ flat, ...windows }) => {
    const params = network.layout.split(flat);
    return { probabilities: network.stepProbabilities(params, 0, network.encode(params, windows)) };
  }, inputs);
  const paths = forecasts[2].paths!;
  expect(paths.length).toBe(6000);
  for (const x of [-3, -1, -0.2, 0, 0.4, 1, 3]) {
    const share = paths.filter((path) => (path[0] - location[0]) / scale <= x).length / paths.length;
    const expected = binnedCdf(model.bins, probabilities, x);
    expect(Math.abs(share - expected)).toBeLessThan(4 * Math.sqrt(0.25 / paths.length));
  }
});

test("the point forecast is the output of the point head in the units of the data, for any number of paths", async () => {
  const withPoint = randomForecastModel(panel, { ...tinySettings, pointLoss: "mse" });
  const forecaster = fittedForecaster(withPoint);
  const forecasts = await forecaster.predict(panel, { horizon: 2, quantiles });
  const more = await forecaster.predict(panel, { horizon: 2, quantiles, samples: 2500 });
  await forecaster.dispose();
  panel.series.forEach((series, i) => {
    const { network, locationScales, inputs } = encodedWindow(withPoint, [series]);
    const { point } = evaluate(({ flat, ...windows }) => {
      const params = network.layout.split(flat);
      return { point: network.pointForecast!(params, network.encode(params, windows).embedding) };
    }, inputs);
    locationScales[0].forEach(({ location, scale }, j) => {
      const found = forecasts[2 * i + j].point!;
      expect(found).toHaveLength(2);
      found.forEach((value, h) => {
        expect(value).toBeCloseTo(location[h] + scale * point[2 * h + j], 4);
        expect(more[2 * i + j].point![h]).toBeCloseTo(value, 4);
      });
    });
  });
});

test("there is a forecast per series and target, with paths of the requested horizon and ordered quantiles", async () => {
  const forecaster = fittedForecaster(model);
  const forecasts = await forecaster.predict(panel, { horizon: 2, quantiles });
  await forecaster.dispose();
  expect(forecasts.map(({ id, target }) => `${id} ${target}`)).toEqual(
    [0, 1, 2].flatMap((i) => [`series ${i} y0`, `series ${i} y1`]),
  );
  for (const { quantiles: found, paths, mean, point } of forecasts) {
    expect(point).toBeUndefined();
    expect(paths!.length).toBe(50);
    expect([mean.length, paths![0].length]).toEqual([2, 2]);
    for (let h = 0; h < 2; h++) {
      for (let i = 1; i < found.length; i++) expect(found[i][h]).toBeGreaterThanOrEqual(found[i - 1][h]);
      expect(mean[h]).toBeCloseTo(paths!.reduce((sum, path) => sum + path[h], 0) / 50, 9);
    }
  }
});

test("the forecast of a series depends neither on other series nor on earlier predictions", async () => {
  const forecaster = fittedForecaster(model);
  const request = { horizon: 3, quantiles };
  const all = await forecaster.predict(panel, request);
  const alone = await forecaster.predict({ ...panel, series: [panel.series[2]] }, request);
  await forecaster.dispose();
  expect(alone.map(({ mean }) => [...mean])).toEqual(all.slice(4).map(({ mean }) => [...mean]));
});

test("rejects a horizon beyond that of the model, and other targets", async () => {
  await expect(
    fittedForecaster(model).predict({ ...panel, targets: ["y0", "z"] }, { horizon: 3, quantiles }),
  ).rejects.toThrow("the panel must have the targets y0, y1, got y0, z");
  await expect(fittedForecaster(model).predict(panel, { horizon: 4, quantiles })).rejects.toThrow(
    "horizon: must be a whole number from 1 to 3, the horizon of the model, got 4",
  );
});
