// Training by likelihood: what is learned, what is kept, and what is refused.

import { describe, expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { tiny } from "../../../test/support/small-models.ts";
import { temperaturesOf } from "./calibrate.ts";
import { readSeries } from "./features.ts";
import { flowForecaster } from "./forecaster.ts";
import { fitLikelihood, type TrainingEvent, trainLikelihood } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { batchWriter } from "./training-batch.ts";
import { trainingPrograms } from "./training-programs.ts";
import { splitWindows } from "./training-windows.ts";
import { windowSizes } from "./windows.ts";

const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];

describe("training", () => {
  test("finds the law of independent normal numbers", async () => {
    const panel = madePanel({ rows: 300, series: 12 });
    const settings = {
      ...tiny,
      seasons: 4,
      bins: 16,
      batch: 32,
      iterations: 200,
      every: 50,
      learningRate: 3e-3,
    };
    const forecaster = await flowForecaster(settings).fit(panel);
    const forecasts = await forecaster.predict(panel, { horizon: 3, quantiles, samples: 200 });
    await forecaster.dispose();
    const normal = [-1.2816, -0.6745, 0, 0.6745, 1.2816];
    quantiles.forEach((p, i) => {
      const errors = forecasts.flatMap((one) => [...one.quantiles[i]].map((value) => value - 10 - normal[i]));
      const mean = errors.reduce((sum, error) => sum + error) / errors.length;
      // Twelve series of which each is told a little wrong.
      expect(Math.abs(mean), `quantile ${p}`).toBeLessThan(0.2);
    });
    // As wide as the law itself; about the value a season before, it would be √2 times that.
    const widths = forecasts.flatMap(({ quantiles: [low, , , , high] }) =>
      [...high].map((x, h) => x - low[h]),
    );
    const width = widths.reduce((sum, x) => sum + x) / widths.length;
    expect(Math.abs(width - 2 * normal[4])).toBeLessThan(0.4);
  });

  test("gives the same model to the bit for the same seed, another for another", async () => {
    const panel = madePanel({ rows: 120, covariates: true, targets: 2 });
    const [one, same, other] = [
      await fitLikelihood(panel, tiny),
      await fitLikelihood(panel, tiny),
      await fitLikelihood(panel, { ...tiny, seed: 1 }),
    ];
    expect(same.parameters).toEqual(one.parameters);
    expect(same.bins).toEqual(one.bins);
    expect(other.parameters).not.toEqual(one.parameters);
    expect(one.trained.dataChecksum).toBe(same.trained.dataChecksum);
  });

  test("tells its progress, keeps the best and stops when validation stops getting better", async () => {
    const settings = { ...tiny, iterations: 300, every: 5, patience: 2, learningRate: 0.05 };
    const panel = madePanel({ rows: 80 });
    const events: TrainingEvent[] = [];
    const training = trainLikelihood(panel, settings);
    let step = await training.next();
    for (; !step.done; step = await training.next()) events.push(step.value);
    const { trained } = step.value;
    const scores = events.map(({ validation }) => validation!);
    expect(trained.iterations).toBeLessThan(300);
    expect(trained.iterations).toBe(events.at(-1)!.iteration);
    expect(trained.validation).toBe(Math.min(...scores));
    expect(trained.best).toBe(events[scores.indexOf(Math.min(...scores))].iteration);
    expect(trained.iterations - trained.best).toBe(10);
    // A fifth of the iterations at most is run once more in the end.
    for (const { iteration, left } of events) expect(iteration + left).toBe(300 + 60);
    expect(trained.tailShare).toBeGreaterThan(0);
    expect(trained.tailShare).toBeLessThan(0.05);
  });

  test("learns in the end from what only validated, and leaves the temperatures that it asked for", async () => {
    // Only the rows that validate have a pattern: it is known by the price.
    const plain = madePanel({ rows: 200, series: 2, covariates: true });
    const panel = {
      ...plain,
      series: plain.series.map((one) => {
        const price = one.covariates.price as Float64Array;
        const values = one.targets[0].map((x, row) => (row >= 100 ? 10 + 6 * price[row] : x));
        return { ...one, targets: [values] };
      }),
    };
    const settings = { ...tiny, validation: 0.5, batch: 32, iterations: 100, every: 50, learningRate: 0.01 };
    const model = await fitLikelihood(panel, settings);
    const { features, shape, bins, parameters } = model;
    const sizes = windowSizes(features, shape);
    const network = forecastNetwork(model.settings, shape, sizes, bins);
    const { train, evaluate } = await trainingPrograms(network, model.settings, sizes.steps);
    const series = panel.series.map((one) => readSeries(features, one, 3));
    const { validation } = splitWindows(series, { horizon: 3, season: 7, validation: 0.5 });
    const windows = Array.from({ length: 32 }, (_, i) => validation.at(i * 6));
    const inputs = batchWriter({ features, shape, sizes }, bins, 32, network)(windows);
    const { crossEntropy } = await evaluate.run({ ...inputs, parameters });
    await train.dispose();
    await evaluate.dispose();
    expect(crossEntropy[0]).toBeLessThan(model.trained.validation! - 0.1);
    expect(Math.max(...temperaturesOf(model).map((t) => Math.abs(Math.log(t))))).toBeGreaterThan(0.01);
  });

  test("can be stopped at any time", async () => {
    const controller = new AbortController();
    const training = trainLikelihood(madePanel({ rows: 80 }), tiny, controller);
    await training.next();
    controller.abort(new Error("enough"));
    await expect(training.next()).rejects.toThrow("enough");
  });

  test("learns from constants, from series with holes, at odd times, and from three rows", async () => {
    const constant = madePanel({ rows: 60, value: () => 7 });
    const holes = madePanel({
      rows: 60,
      value: (t, _, stream) => (t % 4 === 1 ? Number.NaN : stream.normal()),
    });
    const three = madePanel({ rows: 3 });
    const regular = madePanel({ rows: 60 });
    const odd = {
      ...regular,
      frequency: null,
      season: 1,
      series: regular.series.map((one) => ({
        ...one,
        times: one.times.map((time, t) => time + (t % 3) * 3e7),
      })),
    };
    for (const [name, panel] of Object.entries({ constant, holes, odd, three })) {
      const positions = name === "odd" ? "continuous" : "learned";
      const forecaster = await flowForecaster({ ...tiny, positions }).fit(panel);
      const [{ mean }] = await forecaster.predict(panel, { horizon: 3, quantiles });
      await forecaster.dispose();
      expect(mean.every(Number.isFinite), name).toBe(true);
      if (name === "constant") for (const value of mean) expect(value).toBeCloseTo(7, 3);
    }
  });

  test("is not sure of what it has seen a few times only", async () => {
    const panel = { ...madePanel({ rows: 5, value: (t) => [1, 3, 2, 4, 3][t] }), season: 1 };
    const learned = await flowForecaster({ ...tiny, horizon: 1, iterations: 300, every: 100 }).fit(panel);
    const { windows } = learned.model.trained;
    expect(learned.model.settings.smoothing).toBe(2 / (windows + 2));
    const [{ quantiles: found }] = await learned.predict(panel, {
      horizon: 1,
      quantiles: [0.1, 0.9],
      samples: 400,
    });
    await learned.dispose();
    // Values differ by 1.5 from one to the next.
    expect(found[1][0] - found[0][0]).toBeGreaterThan(1.5);
    expect(found[1][0] - found[0][0]).toBeLessThan(15);
    const told = await fitLikelihood(panel, { ...tiny, horizon: 1, smoothing: 0.3 });
    expect(told.settings.smoothing).toBe(0.3);
  });

  test("says in one sentence what it cannot learn from", async () => {
    const panel = madePanel({ rows: 20 });
    await expect(fitLikelihood({ ...panel, series: [] }, tiny)).rejects.toThrow(
      "forecast: the panel must hold at least one series, got none",
    );
    await expect(fitLikelihood(madePanel({ rows: 1 }), tiny)).rejects.toThrow(
      "forecast: at least one series must have two rows or more, got none",
    );
    for (const nothing of [madePanel({ rows: 20, value: () => Number.NaN }), madePanel({ rows: 2 })]) {
      await expect(fitLikelihood(nothing, tiny)).rejects.toThrow(
        "forecast: the targets must have values to learn from, after others that differ; got none",
      );
    }
  });
});
