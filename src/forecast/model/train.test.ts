// Training by maximum likelihood: the learned distribution, early stopping, the final pass, small and odd data, errors.

import { describe, expect, test } from "vitest";
import { tinySettings } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { encodeSeries } from "./features.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { tokenModel } from "./forecaster.ts";
import { temperaturesOf } from "./temperature-calibration.ts";
import { type ForecastTrainingEvent, fitForecastModel, trainForecastModel } from "./train.ts";
import { batchWriter } from "./training-batch.ts";
import { trainingPrograms } from "./training-programs.ts";
import { windowSizes } from "./window-arrays.ts";
import { splitWindows } from "./window-split.ts";

const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];

describe("training", () => {
  test("learns the distribution of independent normal values", async () => {
    const panel = syntheticPanel({ rows: 300, series: 12 });
    const settings = {
      ...tinySettings,
      averagedSeasons: 4,
      bins: 16,
      batch: 32,
      iterations: 200,
      validateEvery: 50,
      learningRate: 3e-3,
    };
    const forecaster = await tokenModel(settings).fit(panel);
    const forecasts = await forecaster.predict(panel, { horizon: 3, quantiles, samples: 200 });
    await forecaster.dispose();
    const normal = [-1.2816, -0.6745, 0, 0.6745, 1.2816];
    quantiles.forEach((p, i) => {
      const errors = forecasts.flatMap((one) => [...one.quantiles[i]].map((value) => value - 10 - normal[i]));
      const mean = errors.reduce((sum, error) => sum + error) / errors.length;
      // The location of each of the twelve series has an error, which is added to this deviation.
      expect(Math.abs(mean), `quantile ${p}`).toBeLessThan(0.2);
    });
    // The interval is as wide as that of the true distribution. Around the value one season earlier it would be √2
    // times as wide.
    const widths = forecasts.flatMap(({ quantiles: [low, , , , high] }) =>
      [...high].map((x, h) => x - low[h]),
    );
    const width = widths.reduce((sum, x) => sum + x) / widths.length;
    expect(Math.abs(width - 2 * normal[4])).toBeLessThan(0.4);
  });

  test("ends at the deadline, and still gives a model", async () => {
    const panel = syntheticPanel({ rows: 120 });
    const { trained } = await fitForecastModel(panel, { ...tinySettings, iterations: 50 }, { deadline: 0 });
    expect(trained.iterations).toBe(1);
    expect(trained.validationLoss).toBeGreaterThan(0);
  });

  test("gives bit-identical models for equal seeds, and different models for different seeds", async () => {
    const panel = syntheticPanel({ rows: 120, covariates: true, targets: 2 });
    const [one, same, other] = [
      await fitForecastModel(panel, tinySettings),
      await fitForecastModel(panel, tinySettings),
      await fitForecastModel(panel, { ...tinySettings, seed: 1 }),
    ];
    expect(same.parameters).toEqual(one.parameters);
    expect(same.bins).toEqual(one.bins);
    expect(other.parameters).not.toEqual(one.parameters);
    expect(one.trained.dataChecksum).toBe(same.trained.dataChecksum);
  });

  test("reports progress, keeps the best parameters and stops when the validation loss stops improving", async () => {
    const settings = { ...tinySettings, iterations: 300, validateEvery: 5, patience: 2, learningRate: 0.05 };
    const panel = syntheticPanel({ rows: 80 });
    const events: ForecastTrainingEvent[] = [];
    const training = trainForecastModel(panel, settings);
    let step = await training.next();
    for (; !step.done; step = await training.next()) events.push(step.value);
    const { trained } = step.value;
    const scores = events.map(({ validationLoss: validation }) => validation!);
    expect(trained.iterations).toBeLessThan(300);
    expect(trained.iterations).toBe(events.at(-1)!.iteration);
    expect(trained.validationLoss).toBe(Math.min(...scores));
    expect(trained.bestIteration).toBe(events[scores.indexOf(Math.min(...scores))].iteration);
    expect(trained.iterations - trained.bestIteration).toBe(10);
    // The final pass has at most a fifth of the iterations.
    for (const { iteration, iterationsLeft: left } of events) expect(iteration + left).toBe(300 + 60);
    expect(trained.tailShare).toBeGreaterThan(0);
    expect(trained.tailShare).toBeLessThan(0.05);
  });

  test("learns from the validation windows in the final pass, and keeps the calibrated temperatures", async () => {
    // Only the validation rows depend on the price.
    const plain = syntheticPanel({ rows: 200, series: 2, covariates: true });
    const panel = {
      ...plain,
      series: plain.series.map((one) => {
        const price = one.covariates.price as Float64Array;
        const values = one.targets[0].map((x, row) => (row >= 100 ? 10 + 6 * price[row] : x));
        return { ...one, targets: [values] };
      }),
    };
    const settings = {
      ...tinySettings,
      validationShare: 0.5,
      batch: 32,
      iterations: 100,
      validateEvery: 50,
      learningRate: 0.01,
    };
    const model = await fitForecastModel(panel, settings);
    const { features, shape, bins, parameters } = model;
    const sizes = windowSizes(features, shape);
    const network = forecastNetwork(model.settings, shape, sizes, bins);
    const { train, evaluate } = await trainingPrograms(network, model.settings, sizes.steps);
    const series = panel.series.map((one) => encodeSeries(features, one, 3));
    const { validation } = splitWindows(series, { horizon: 3, season: 7, validationShare: 0.5 });
    const windows = Array.from({ length: 32 }, (_, i) => validation.at(i * 6));
    const inputs = batchWriter({ features, shape, sizes }, bins, 32, network)(windows);
    const { crossEntropy } = await evaluate.run({ ...inputs, parameters });
    await train.dispose();
    await evaluate.dispose();
    expect(crossEntropy[0]).toBeLessThan(model.trained.validationLoss! - 0.1);
    expect(Math.max(...temperaturesOf(model).map((t) => Math.abs(Math.log(t))))).toBeGreaterThan(0.01);
  });

  test("can be aborted between iterations", async () => {
    const controller = new AbortController();
    const training = trainForecastModel(syntheticPanel({ rows: 80 }), tinySettings, controller);
    await training.next();
    controller.abort(new Error("enough"));
    await expect(training.next()).rejects.toThrow("enough");
  });

  test("accepts constant series, series with missing values, irregular times, and three rows", async () => {
    const constant = syntheticPanel({ rows: 60, value: () => 7 });
    const missing = syntheticPanel({
      rows: 60,
      value: (t, _, stream) => (t % 4 === 1 ? Number.NaN : stream.normal()),
    });
    const three = syntheticPanel({ rows: 3 });
    const regular = syntheticPanel({ rows: 60 });
    const irregular = {
      ...regular,
      frequency: null,
      season: 1,
      series: regular.series.map((one) => ({
        ...one,
        times: one.times.map((time, t) => time + (t % 3) * 3e7),
      })),
    };
    for (const [name, panel] of Object.entries({ constant, missing, irregular, three })) {
      const positions = name === "irregular" ? "continuous" : "learned";
      const forecaster = await tokenModel({ ...tinySettings, positions }).fit(panel);
      const [{ mean }] = await forecaster.predict(panel, { horizon: 3, quantiles });
      await forecaster.dispose();
      expect(mean.every(Number.isFinite), name).toBe(true);
      if (name === "constant") for (const value of mean) expect(value).toBeCloseTo(7, 3);
    }
  });

  test("smooths the distribution if there are few training windows", async () => {
    const panel = { ...syntheticPanel({ rows: 5, value: (t) => [1, 3, 2, 4, 3][t] }), season: 1 };
    const learned = await tokenModel({
      ...tinySettings,
      horizon: 1,
      iterations: 300,
      validateEvery: 100,
    }).fit(panel);
    const { trainingWindows: windows } = learned.model.trained;
    expect(learned.model.settings.smoothing).toBe(2 / (windows + 2));
    const [{ quantiles: found }] = await learned.predict(panel, {
      horizon: 1,
      quantiles: [0.1, 0.9],
      samples: 400,
    });
    await learned.dispose();
    // Neighbouring values differ by 1.5 on average.
    expect(found[1][0] - found[0][0]).toBeGreaterThan(1.5);
    expect(found[1][0] - found[0][0]).toBeLessThan(15);
    const smoothed = await fitForecastModel(panel, { ...tinySettings, horizon: 1, smoothing: 0.3 });
    expect(smoothed.settings.smoothing).toBe(0.3);
  });

  test("rejects panels without enough data", async () => {
    const panel = syntheticPanel({ rows: 20 });
    await expect(fitForecastModel({ ...panel, series: [] }, tinySettings)).rejects.toThrow(
      "the panel must have at least one series, got none",
    );
    await expect(fitForecastModel(syntheticPanel({ rows: 1 }), tinySettings)).rejects.toThrow(
      "at least one series must have two or more rows, got none",
    );
    for (const empty of [
      syntheticPanel({ rows: 20, value: () => Number.NaN }),
      syntheticPanel({ rows: 2 }),
    ]) {
      await expect(fitForecastModel(empty, tinySettings)).rejects.toThrow(
        "at least one target value must follow two different earlier values of its series, got none",
      );
    }
  });
});
