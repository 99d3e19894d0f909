// Forecasts in the units of the data: what a normaliser does before, is undone after, against the same model on data that
// were normalised by hand.

import { describe, expect, test } from "vitest";
import { madeModel } from "../../../test/support/made-model.ts";
import { madePanel } from "../../../test/support/model-panels.ts";
import { decodeSafetensors, encodeSafetensors } from "../../gfn/safetensors.ts";
import { AFFINE_NORMALISATIONS } from "../data/normalise.ts";
import type { Panel } from "../types.ts";
import { fitted } from "./forecaster.ts";
import { type ForecastModel, fitLikelihood } from "./likelihood.ts";
import { normalisedSteps, normalisedTargets, restored } from "./normalised.ts";
import { decodeForecastModel, encodeForecastModel } from "./save.ts";
import { type ForecastSettings, NORMALISERS } from "./settings.ts";

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
const panel = madePanel({ rows: 60, series: 2 });

function withTargets(made: Panel, change: (values: Float64Array) => Float64Array): Panel {
  return { ...made, series: made.series.map((one) => ({ ...one, targets: one.targets.map(change) })) };
}

async function forecastsOf(model: ForecastModel, data: Panel) {
  const forecaster = fitted(model);
  const forecasts = await forecaster.predict(data, { horizon, quantiles });
  await forecaster.dispose();
  return forecasts;
}

describe("forecasts of a model", () => {
  test.each(AFFINE_NORMALISATIONS)(
    "that reads by %s are those of one that reads data as they are",
    async (normaliser) => {
      const plain = await forecastsOf(madeModel(panel, tiny), panel);
      const other = await forecastsOf(madeModel(panel, { ...tiny, normaliser }), panel);
      plain.forEach(({ paths, mean }, i) => {
        expect(other[i].mean).toSatisfy((found: Float64Array) => near(found, mean));
        paths!.forEach((path, n) => {
          expect(other[i].paths![n]).toSatisfy((found: Float64Array) => near(found, path));
        });
      });
    },
  );

  test("that reads logarithms are the powers of those of one that was given logarithms", async () => {
    const data = withTargets(panel, (values) => values.map((x) => Math.exp(x / 4)));
    const logarithms = withTargets(data, (values) => values.map(Math.log));
    // Without validation nothing is calibrated, which goes by the units of the data.
    const settings: ForecastSettings = { ...tiny, validation: 0, point: { loss: "mae", weight: 1 } };
    const [plain, log] = [
      await fitLikelihood(logarithms, settings),
      await fitLikelihood(data, { ...settings, normaliser: "log" }),
    ];
    expect(log.parameters).toEqual(plain.parameters);
    expect(log.bins).toEqual(plain.bins);
    const [expected, found] = [await forecastsOf(plain, logarithms), await forecastsOf(log, data)];
    expected.forEach(({ paths, point }, i) => {
      expect(found[i].paths).toEqual(paths!.map((path) => path.map(Math.exp)));
      expect(found[i].point).toEqual(point!.map(Math.exp));
      // Of the powers, not the power of the mean.
      const mean = paths!.reduce((sum, path) => sum + Math.exp(path[2]), 0) / paths!.length;
      expect(found[i].mean[2]).toBeCloseTo(mean, 9);
    });
  });

  test("that reads seasonal differences add up from season to season, path by path", async () => {
    const holes = withTargets(panel, (values) => values.map((x, row) => (row === 58 ? Number.NaN : x)));
    const model = madeModel(holes, { ...tiny, normaliser: "seasonal-difference" });
    // Differences by hand; that of row 58 is missing, and no other is to it.
    const scaleOf = (id: string) => model.features.normalisers!.bySeries[id][0].scale;
    const differences = holes.series.map((one) => ({
      ...one,
      targets: one.targets.map((values) =>
        values.map((x, row) => (x - (values[row - season] ?? Number.NaN)) / scaleOf(one.id)),
      ),
    }));
    const { normalisers: _, ...features } = model.features;
    const expected = await forecastsOf({ ...model, features }, { ...holes, series: differences });
    const found = await forecastsOf(model, holes);
    expected.forEach(({ id, paths }, i) => {
      const values = holes.series[i].targets[0];
      paths!.forEach((path, n) => {
        const whole = [...values];
        // The first step goes on from one season more before, as row 58 is not known.
        whole[58] = whole[56];
        path.forEach((z) => {
          whole.push(whole[whole.length - season] + scaleOf(id) * z);
        });
        expect(found[i].paths![n]).toSatisfy((got: Float64Array) => near(got, whole.slice(60)));
      });
    });
  });
});

describe("a normaliser", () => {
  test.each(NORMALISERS)("%s goes with the model into its file", (normaliser) => {
    const model = madeModel(panel, { ...tiny, normaliser });
    expect(decodeForecastModel(encodeForecastModel(model), "model")).toEqual(model);
  });

  test("that was read from a file gives the same forecasts to the bit", async () => {
    const model = madeModel(panel, { ...tiny, normaliser: "robust" });
    const loaded = decodeForecastModel(encodeForecastModel(model), "model");
    expect(await forecastsOf(loaded, panel)).toEqual(await forecastsOf(model, panel));
  });

  test("is none in files from before there were any, and other versions are refused", () => {
    const model = madeModel(panel, tiny);
    const { normaliser: _, columnNormaliser: __, refine: ___, ...settings } = model.settings;
    const old = encodeForecastModel({ ...model, settings: settings as ForecastModel["settings"] });
    expect(decodeForecastModel(old, "model")).toEqual(model);
    const { tensors, metadata } = decodeSafetensors(old, "model");
    // What was written before is what is written now where nothing is normalised.
    expect(metadata.version).toBe("2");
    expect(() =>
      decodeForecastModel(encodeSafetensors(tensors, { ...metadata, version: "4" }), "model"),
    ).toThrow("model is a forecasting model of version 4, and this gflownet reads versions 2 and 3.");
  });

  test("is the one that was fitted, for series that go on, and a new one for series never seen", () => {
    const model = madeModel(panel, { ...tiny, normaliser: "standard" });
    const [first, second] = panel.series;
    const read = (id: string) =>
      normalisedTargets(model.features.normalisers, { ...second, id }, panel.targets, season).normalisers;
    expect(read(first.id)).toEqual(model.features.normalisers!.bySeries[first.id]);
    for (const id of ["another", "constructor", "__proto__"]) {
      expect(read(id)).toEqual(model.features.normalisers!.bySeries[second.id]);
    }
  });

  test.each(NORMALISERS)("%s goes both ways for steps ahead", (normaliser) => {
    const { normalisers } = madeModel(panel, { ...tiny, normaliser }).features;
    const targets = normalisedTargets(normalisers, panel.series[0], panel.targets, season);
    const steps = Float64Array.of(3, 11, 0.5, 9, 9, 9, 9, 12, 20);
    const there = normalisedSteps(targets, 0, 60, steps);
    expect(restored(targets, 0, 60, there)).toSatisfy((back: Float64Array) => near(back, steps));
    expect([...there]).toSatisfy((z: number[]) => (normaliser === "none") === (z.join() === steps.join()));
  });

  test("of logarithms has no number as low as 0", () => {
    const { normalisers } = madeModel(panel, { ...tiny, normaliser: "log" }).features;
    const targets = normalisedTargets(normalisers, panel.series[0], panel.targets, season);
    expect([...normalisedSteps(targets, 0, 60, Float64Array.of(-2, 0, 1))]).toEqual([
      -Infinity,
      -Infinity,
      0,
    ]);
  });
});

describe("what a normaliser cannot take is said in one sentence:", () => {
  const low = withTargets(panel, (values) => values.map((x, row) => (row === 3 ? -0.5 : x)));

  test("values that have no logarithm, in training and afterwards", async () => {
    const sentence =
      'forecast: the normaliser log takes values above 0 only, got -0.5 in row 4 of y0 in series "series 0"';
    await expect(fitLikelihood(low, { ...tiny, normaliser: "log" })).rejects.toThrow(sentence);
    await expect(forecastsOf(madeModel(panel, { ...tiny, normaliser: "log" }), low)).rejects.toThrow(
      sentence,
    );
    const near0 = await forecastsOf(madeModel(low, { ...tiny, normaliser: "log1p" }), low);
    expect(near0[0].paths!.flatMap((path) => [...path]).every((x) => x > -1)).toBe(true);
  });

  test("series as short as a season", async () => {
    const settings = { ...tiny, normaliser: "seasonal-difference" } as const;
    await expect(fitLikelihood(madePanel({ rows: 2 }), settings)).rejects.toThrow(
      'forecast: the normaliser seasonal-difference takes series longer than a season of 2, got 2 rows in series "series 0"',
    );
  });

  test("names that are none", async () => {
    await expect(fitLikelihood(panel, { ...tiny, normaliser: "cube" as "log" })).rejects.toThrow(
      /^forecast: normaliser must be one of none, mean, .*, got cube$/,
    );
    await expect(fitLikelihood(panel, { ...tiny, refine: 7 })).rejects.toThrow(
      "forecast: refine must be a whole number from 0 to 6, got 7",
    );
  });
});

test("columns far from 0 are scaled by what they differ, whatever the normaliser", () => {
  const made = madePanel({ rows: 60, covariates: true });
  const far = {
    ...made,
    series: made.series.map((one) => ({
      ...one,
      covariates: { ...one.covariates, wind: Float64Array.from({ length: 60 }, (_, t) => 1e12 + (t % 5)) },
    })),
  };
  const wind = (columnNormaliser: (typeof AFFINE_NORMALISATIONS)[number]) =>
    madeModel(far, { ...tiny, columnNormaliser }).features.numeric.find(({ name }) => name === "wind");
  // 0 to 4, all alike.
  expect(wind("standard")).toMatchObject({ mean: 1e12 + 2, scale: expect.closeTo(Math.SQRT2, 3) });
  expect(wind("min-max")).toMatchObject({ mean: 1e12, scale: 4 });
  expect(wind("robust")).toMatchObject({ mean: 1e12 + 2, scale: 2 });
  expect(wind("mean")).toMatchObject({ mean: 0, scale: 1e12 + 2 });
});

/** Up to rounding. */
function near(found: ArrayLike<number>, expected: ArrayLike<number>): boolean {
  return (
    found.length === expected.length &&
    Array.from(found).every((x, i) => Math.abs(x - expected[i]) < 1e-9 * Math.max(1, Math.abs(expected[i])))
  );
}
