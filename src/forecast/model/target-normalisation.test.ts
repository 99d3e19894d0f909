// Normalisation of the targets: forecasts are in the units of the data, and equal those of a model without a normaliser on
// data that the test has normalised.

import { describe, expect, test } from "vitest";
import { randomForecastModel } from "../../../test/support/random-forecast-model.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { AFFINE_NORMALISATIONS } from "../data/normalise.ts";
import type { Panel } from "../types.ts";
import { fittedForecaster } from "./forecaster.ts";
import { decodeForecastModel, encodeForecastModel } from "./model-file.ts";
import { type ForecastSettings, NORMALISERS } from "./settings.ts";
import { denormaliseSteps, normaliseSteps, normaliseTargets } from "./target-normalisation.ts";
import { type ForecastModel, fitForecastModel } from "./train.ts";

const quantiles = [0.1, 0.5, 0.9];
const [season, horizon] = [2, 3];
const tiny: ForecastSettings = {
  // The horizon is longer than the season, so that differences add up.
  season,
  horizon,
  context: 4,
  bins: 8,
  encoder: "mlp",
  width: 8,
  hidden: [8],
  batch: 8,
  iterations: 2,
  lags: [],
  samples: 40,
};
const panel = syntheticPanel({ rows: 60, series: 2 });

function withTargets(made: Panel, change: (values: Float64Array) => Float64Array): Panel {
  return { ...made, series: made.series.map((one) => ({ ...one, targets: one.targets.map(change) })) };
}

async function forecastsOf(model: ForecastModel, data: Panel) {
  const forecaster = fittedForecaster(model);
  const forecasts = await forecaster.predict(data, { horizon, quantiles });
  await forecaster.dispose();
  return forecasts;
}

describe("forecasts of a model", () => {
  test.each(AFFINE_NORMALISATIONS)(
    "with the normaliser %s equal those of a model without a normaliser",
    async (normaliser) => {
      const plain = await forecastsOf(randomForecastModel(panel, tiny), panel);
      const other = await forecastsOf(randomForecastModel(panel, { ...tiny, normaliser }), panel);
      plain.forEach(({ paths, mean }, i) => {
        expect(other[i].mean).toSatisfy((found: Float64Array) => near(found, mean));
        paths!.forEach((path, n) => {
          expect(other[i].paths![n]).toSatisfy((found: Float64Array) => near(found, path));
        });
      });
    },
  );

  test("with the normaliser log are the exponentials of forecasts of logarithms", async () => {
    const data = withTargets(panel, (values) => values.map((x) => Math.exp(x / 4)));
    const logarithms = withTargets(data, (values) => values.map(Math.log));
    // Without validation windows there is no calibration, which depends on the units of the data.
    const settings: ForecastSettings = { ...tiny, validationShare: 0, pointLoss: "mae" };
    const [plain, log] = [
      await fitForecastModel(logarithms, settings),
      await fitForecastModel(data, { ...settings, normaliser: "log" }),
    ];
    expect(log.parameters).toEqual(plain.parameters);
    expect(log.bins).toEqual(plain.bins);
    const [expected, found] = [await forecastsOf(plain, logarithms), await forecastsOf(log, data)];
    expected.forEach(({ paths, point }, i) => {
      expect(found[i].paths).toEqual(paths!.map((path) => path.map(Math.exp)));
      expect(found[i].point).toEqual(point!.map(Math.exp));
      // The mean of the exponentials, not the exponential of the mean.
      const mean = paths!.reduce((sum, path) => sum + Math.exp(path[2]), 0) / paths!.length;
      expect(found[i].mean[2]).toBeCloseTo(mean, 9);
    });
  });

  test("with the normaliser seasonal-difference add the differences up along each path", async () => {
    const withGap = withTargets(panel, (values) => values.map((x, row) => (row === 58 ? Number.NaN : x)));
    const model = randomForecastModel(withGap, { ...tiny, normaliser: "seasonal-difference" });
    // Only the difference of row 58 is missing, since no observed row is one season after it.
    const scaleOf = (id: string) => model.features.normalisers!.bySeries[id][0].scale;
    const differences = withGap.series.map((one) => ({
      ...one,
      targets: one.targets.map((values) =>
        values.map((x, row) => (x - (values[row - season] ?? Number.NaN)) / scaleOf(one.id)),
      ),
    }));
    const { normalisers: _, ...features } = model.features;
    const expected = await forecastsOf({ ...model, features }, { ...withGap, series: differences });
    const found = await forecastsOf(model, withGap);
    expected.forEach(({ id, paths }, i) => {
      const values = withGap.series[i].targets[0];
      paths!.forEach((path, n) => {
        const series = [...values];
        // Row 58 is missing, so the difference of the first step is added to the value one season before row 58.
        series[58] = series[56];
        path.forEach((z) => {
          series.push(series[series.length - season] + scaleOf(id) * z);
        });
        expect(found[i].paths![n]).toSatisfy((got: Float64Array) => near(got, series.slice(60)));
      });
    });
  });
});

describe("a normaliser", () => {
  test.each(NORMALISERS)("%s is stored in the model file", (normaliser) => {
    const model = randomForecastModel(panel, { ...tiny, normaliser });
    expect(decodeForecastModel(encodeForecastModel(model), "model")).toEqual(model);
  });

  test("from a file gives bit-identical forecasts", async () => {
    const model = randomForecastModel(panel, { ...tiny, normaliser: "robust" });
    const loaded = decodeForecastModel(encodeForecastModel(model), "model");
    expect(await forecastsOf(loaded, panel)).toEqual(await forecastsOf(model, panel));
  });

  test("is the fitted one for series of the training panel, and a new one for other series", () => {
    const model = randomForecastModel(panel, { ...tiny, normaliser: "standard" });
    const [first, second] = panel.series;
    const normalisersOf = (id: string) =>
      normaliseTargets(model.features.normalisers, { ...second, id }, panel.targets, season).normalisers;
    expect(normalisersOf(first.id)).toEqual(model.features.normalisers!.bySeries[first.id]);
    for (const id of ["another", "constructor", "__proto__"]) {
      expect(normalisersOf(id)).toEqual(model.features.normalisers!.bySeries[second.id]);
    }
  });

  test.each(NORMALISERS)("%s can be inverted for future steps", (normaliser) => {
    const { normalisers } = randomForecastModel(panel, { ...tiny, normaliser }).features;
    const targets = normaliseTargets(normalisers, panel.series[0], panel.targets, season);
    const steps = Float64Array.of(3, 11, 0.5, 9, 9, 9, 9, 12, 20);
    const normalised = normaliseSteps(targets, 0, 60, steps);
    expect(denormaliseSteps(targets, 0, 60, normalised)).toSatisfy((back: Float64Array) => near(back, steps));
    expect([...normalised]).toSatisfy(
      (z: number[]) => (normaliser === "none") === (z.join() === steps.join()),
    );
  });

  test("of logarithms maps values of at most 0 to −∞", () => {
    const { normalisers } = randomForecastModel(panel, { ...tiny, normaliser: "log" }).features;
    const targets = normaliseTargets(normalisers, panel.series[0], panel.targets, season);
    expect([...normaliseSteps(targets, 0, 60, Float64Array.of(-2, 0, 1))]).toEqual([-Infinity, -Infinity, 0]);
  });
});

describe("a normaliser rejects", () => {
  const low = withTargets(panel, (values) => values.map((x, row) => (row === 3 ? -0.5 : x)));

  test("values without a logarithm, in training and in forecasts", async () => {
    const message = 'normaliser: log needs values above 0, got -0.5 in row 4 of y0 in series "series 0"';
    await expect(fitForecastModel(low, { ...tiny, normaliser: "log" })).rejects.toThrow(message);
    await expect(
      forecastsOf(randomForecastModel(panel, { ...tiny, normaliser: "log" }), low),
    ).rejects.toThrow(message);
    const forecasts = await forecastsOf(randomForecastModel(low, { ...tiny, normaliser: "log1p" }), low);
    expect(forecasts[0].paths!.flatMap((path) => [...path]).every((x) => x > -1)).toBe(true);
  });

  test("series that are not longer than a season", async () => {
    const settings = { ...tiny, normaliser: "seasonal-difference" } as const;
    await expect(fitForecastModel(syntheticPanel({ rows: 2 }), settings)).rejects.toThrow(
      'normaliser: seasonal-difference needs series longer than a season of 2, got 2 rows in series "series 0"',
    );
  });
});

test("columns far from 0 are scaled by their differences", () => {
  const made = syntheticPanel({ rows: 60, covariates: true });
  const far = {
    ...made,
    series: made.series.map((one) => ({
      ...one,
      covariates: { ...one.covariates, wind: Float64Array.from({ length: 60 }, (_, t) => 1e12 + (t % 5)) },
    })),
  };
  const wind = (columnNormaliser: (typeof AFFINE_NORMALISATIONS)[number]) =>
    randomForecastModel(far, { ...tiny, columnNormaliser }).features.numeric.find(
      ({ name }) => name === "wind",
    );
  // The differences from 1e12 are 0 to 4, in equal shares.
  expect(wind("standard")).toMatchObject({ mean: 1e12 + 2, scale: expect.closeTo(Math.SQRT2, 3) });
  expect(wind("min-max")).toMatchObject({ mean: 1e12, scale: 4 });
  expect(wind("robust")).toMatchObject({ mean: 1e12 + 2, scale: 2 });
  expect(wind("mean")).toMatchObject({ mean: 0, scale: 1e12 + 2 });
});

/** Whether all numbers are equal up to rounding. */
function near(found: ArrayLike<number>, expected: ArrayLike<number>): boolean {
  return (
    found.length === expected.length &&
    Array.from(found).every((x, i) => Math.abs(x - expected[i]) < 1e-9 * Math.max(1, Math.abs(expected[i])))
  );
}
