// Drawing, saving and refining small models on panels whose laws are known.

import { describe, expect, test } from "vitest";
import { evaluate, type HostInput } from "../../../test/support/gradients.ts";
import { madeModel } from "../../../test/support/made-model.ts";
import { madePanel } from "../../../test/support/model-panels.ts";
import { tiny } from "../../../test/support/small-models.ts";
import { loadOnnx } from "../../engine/onnx/index.ts";
import type { Series } from "../types.ts";
import { exportForecastModel } from "./export.ts";
import { readSeries } from "./features.ts";
import { fitted, flowForecaster } from "./forecaster.ts";
import { type ForecastModel, fitLikelihood, type TrainingEvent } from "./likelihood.ts";
import { forecastNetwork } from "./network.ts";
import { cdf, tokensOf } from "./quantiser.ts";
import { refineModel } from "./refine.ts";
import { decodeForecastModel, encodeForecastModel } from "./save.ts";
import { windowArrays, windowSizes, writeWindow } from "./windows.ts";

const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];

/** The window after the last row of a series, as the networks read it, with the parameters beside. */
function readWindow({ features, shape, settings, bins, parameters }: ForecastModel, given: Series) {
  const sizes = windowSizes(features, shape);
  const network = forecastNetwork(settings, shape, sizes, bins);
  const arrays = windowArrays(1, shape, sizes);
  const series = readSeries(features, given, shape.horizon);
  const place = { series, origin: series.rows };
  const centrings = writeWindow({ features, shape, sizes }, place, arrays, 0);
  const windows = Object.entries(network.specs(1)).map(([name, { shape, dtype }]): [string, HostInput] => [
    name,
    { shape, dtype, data: arrays[name as keyof typeof arrays] },
  ]);
  const flat: HostInput = { shape: [network.layout.size], data: parameters };
  return { network, centrings, inputs: { ...Object.fromEntries(windows), flat } };
}

describe("drawing", () => {
  const panel = madePanel({ rows: 90, series: 3, targets: 2, covariates: true });
  const model = madeModel(panel, tiny);

  test("follows the probabilities that the network gives", async () => {
    const forecaster = fitted(model);
    const forecasts = await forecaster.predict(panel, { horizon: 3, quantiles, samples: 6000 });
    await forecaster.dispose();
    const { network, centrings, inputs } = readWindow(model, panel.series[1]);
    const [{ centre, scale }] = centrings;
    const { bins } = model;
    const { law } = evaluate(({ flat, ...given }) => {
      const params = network.layout.split(flat);
      return { law: network.next(params, 0, network.read(params, given)) };
    }, inputs);
    const paths = forecasts[2].paths!;
    expect(paths.length).toBe(6000);
    for (const x of [-3, -1, -0.2, 0, 0.4, 1, 3]) {
      const share = paths.filter((path) => (path[0] - centre[0]) / scale <= x).length / paths.length;
      const expected = cdf(bins, law, x);
      expect(Math.abs(share - expected)).toBeLessThan(4 * Math.sqrt(0.25 / paths.length));
    }
  });

  test("gives what the point head says, in the units of the data, however many paths there are", async () => {
    const pointed = madeModel(panel, { ...tiny, point: { loss: "mse", weight: 1 } });
    const forecaster = fitted(pointed);
    const forecasts = await forecaster.predict(panel, { horizon: 2, quantiles });
    const more = await forecaster.predict(panel, { horizon: 2, quantiles, samples: 2500 });
    await forecaster.dispose();
    panel.series.forEach((series, i) => {
      const { network, centrings, inputs } = readWindow(pointed, series);
      const { point } = evaluate(({ flat, ...given }) => {
        const params = network.layout.split(flat);
        return { point: network.point!(params, network.read(params, given).thought) };
      }, inputs);
      centrings.forEach(({ centre, scale }, j) => {
        const found = forecasts[2 * i + j].point!;
        expect(found).toHaveLength(2);
        // Steps of both targets take turns.
        found.forEach((value, h) => {
          expect(value).toBeCloseTo(centre[h] + scale * point[2 * h + j], 4);
          expect(more[2 * i + j].point![h]).toBeCloseTo(value, 4);
        });
      });
    });
  });

  test("gives every target of every series, quantiles that never cross, and paths of the horizon asked for", async () => {
    const forecaster = fitted(model);
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

  test("does not depend on the series beside, nor on what was drawn before", async () => {
    const forecaster = fitted(model);
    const request = { horizon: 3, quantiles };
    const all = await forecaster.predict(panel, request);
    const alone = await forecaster.predict({ ...panel, series: [panel.series[2]] }, request);
    await forecaster.dispose();
    expect(alone.map(({ mean }) => [...mean])).toEqual(all.slice(4).map(({ mean }) => [...mean]));
  });

  test("refuses a horizon that was not learned, and other targets", async () => {
    await expect(
      fitted(model).predict({ ...panel, targets: ["y0", "z"] }, { horizon: 3, quantiles }),
    ).rejects.toThrow("forecast: the panel must have the targets y0, y1, got y0, z");
    await expect(fitted(model).predict(panel, { horizon: 4, quantiles })).rejects.toThrow(
      "forecast: horizon must be a whole number from 1 to 3, which was learned, got 4",
    );
  });
});

describe("a saved model", () => {
  const panel = madePanel({ rows: 90, series: 2, covariates: true });
  const model = madeModel(panel, { ...tiny, point: { loss: "huber", weight: 0.1 } });
  const bytes = encodeForecastModel(model);

  test("comes back as it was, and forecasts the same to the bit", async () => {
    const loaded = decodeForecastModel(bytes, "model");
    expect(loaded).toEqual(model);
    const [before, after] = [fitted(model), fitted(loaded)];
    const request = { horizon: 3, quantiles };
    expect(await after.predict(panel, request)).toEqual(await before.predict(panel, request));
    await before.dispose();
    await after.dispose();
  });

  test("is refused in one sentence if a byte is wrong, or it is something else", () => {
    const broken = bytes.slice();
    broken[broken.length - 9] ^= 1;
    expect(() => decodeForecastModel(broken, "model")).toThrow(
      "model is a damaged forecasting model: its checksum is wrong.",
    );
    expect(() => decodeForecastModel(bytes.slice(0, 100), "model")).toThrow(
      /^model is not a whole safetensors file: /,
    );
    const wrong = encodeForecastModel({ ...model, parameters: model.parameters.slice(1) });
    expect(() => decodeForecastModel(wrong, "model")).toThrow(/parameters, and its settings ask for \d+\.$/);
    const infinite = encodeForecastModel({ ...model, parameters: model.parameters.map(() => Infinity) });
    expect(() => decodeForecastModel(infinite, "model")).toThrow("a parameter is not finite");
  });

  test("says the same as .onnx files", async () => {
    const { features, shape, settings, bins } = model;
    const sizes = windowSizes(features, shape);
    const network = forecastNetwork(settings, shape, sizes, bins);
    const arrays = windowArrays(2, shape, sizes);
    panel.series.forEach((one, index) => {
      const series = readSeries(features, one, 3);
      writeWindow({ features, shape, sizes }, { series, origin: 90 }, arrays, index);
    });
    const specs = Object.entries(network.specs(2));
    const tokens = Int32Array.of(1, 4, -1, 9, 0, -1);
    const files = exportForecastModel(model, { rows: 2 });
    const [encoder, paths] = [await loadOnnx(files.encoder, "encoder"), await loadOnnx(files.paths, "paths")];
    const given = Object.fromEntries(specs.map(([name]) => [name, arrays[name as keyof typeof arrays]]));
    const { thought, ahead } = await encoder.run(given);
    const { law } = await paths.run({ thought, ahead, tokens });
    await encoder.dispose();
    await paths.dispose();
    const inputs = Object.fromEntries(
      specs.map(([name, { shape, dtype }]) => [name, { shape, dtype, data: given[name] }]),
    );
    const expected = evaluate(
      ({ flat, tokens, ...windows }) => {
        const params = network.layout.split(flat);
        return { law: network.all(params, network.read(params, windows), tokens) };
      },
      {
        flat: { shape: [network.layout.size], data: model.parameters },
        tokens: { shape: [2, 3], dtype: "int32", data: tokens },
        ...inputs,
      },
    ).law;
    law.forEach((p, i) => {
      expect(Math.abs(p - expected[i])).toBeLessThan(1e-5);
    });
    expect(JSON.parse(encoder.description.metadata.edges)).toEqual([...bins.edges]);
  });
});

describe("a refined model", () => {
  const panel = madePanel({ rows: 90 });
  const lawsOf = (model: ForecastModel, tokens: readonly number[]) => {
    const { features, shape, settings, bins } = model;
    const sizes = windowSizes(features, shape);
    const network = forecastNetwork(settings, shape, sizes, bins);
    const arrays = windowArrays(1, shape, sizes);
    const series = readSeries(features, panel.series[0], 3);
    writeWindow({ features, shape, sizes }, { series, origin: 90 }, arrays, 0);
    const inputs = Object.fromEntries(
      Object.entries(network.specs(1)).map(([name, { shape, dtype }]): [string, HostInput] => [
        name,
        { shape, dtype, data: arrays[name as keyof typeof arrays] },
      ]),
    );
    return evaluate(
      ({ flat, tokens, ...windows }) => {
        const params = network.layout.split(flat);
        return { law: network.all(params, network.read(params, windows), tokens) };
      },
      {
        flat: { shape: [network.layout.size], data: model.parameters },
        tokens: { shape: [1, 3], dtype: "int32", data: tokens },
        ...inputs,
      },
    ).law;
  };
  /** Laws of all steps after tokens, and after both kinds of halves that these were cut into. */
  const expectSame = (coarse: ForecastModel, fine: ForecastModel) => {
    expect(tokensOf(fine.bins)).toBe(2 * (tokensOf(coarse.bins) - 2) + 2);
    const [K, finer] = [tokensOf(coarse.bins), tokensOf(fine.bins)];
    const whole = lawsOf(coarse, [3, K - 1, 0]);
    for (const halves of [
      [5, finer - 1, 0],
      [6, finer - 1, 0],
    ]) {
      const split = lawsOf(fine, halves);
      for (let step = 0; step < 3; step++) {
        for (const x of [-4, -1, -0.3, 0, 0.1, 1, 2, 5]) {
          const one = cdf(coarse.bins, whole.slice(step * K, (step + 1) * K), x);
          const other = cdf(fine.bins, split.slice(step * finer, (step + 1) * finer), x);
          // The biases are float32, in which log 2 is rounded.
          expect(Math.abs(one - other)).toBeLessThan(1e-6);
        }
      }
    }
  };

  test("says the same of twice the bins, also after tokens that were refined", () => {
    const coarse = madeModel(panel, { ...tiny, smoothing: 0 });
    expectSame(coarse, refineModel(coarse));
  });

  test("that training has refined says the same as without, until it has learned more", async () => {
    // Of one iteration the first stage has all, and the last has none.
    const settings = { ...tiny, smoothing: 0, validation: 0, iterations: 1, learningRate: 0.1 };
    const coarse = await fitLikelihood(panel, settings);
    const fine = await fitLikelihood(panel, { ...settings, refine: 1 });
    expectSame(coarse, fine);
    expect(fine.trained).toMatchObject({ iterations: 1, best: 1 });
  });

  test("shares its iterations out among the stages, and may be no worse than what was refined", async () => {
    const events: TrainingEvent[] = [];
    const settings = { ...tiny, iterations: 7, every: 100, refine: 1, validation: 0.2 };
    const forecaster = await flowForecaster(settings, { onEvent: (event) => events.push(event) }).fit(panel);
    const { bins, trained } = forecaster.model;
    await forecaster.dispose();
    expect(events.map(({ iteration }) => iteration)).toEqual([4, 7]);
    expect(bins.edges.length - 1).toBe(2 * tiny.bins!);
    // Halves of a bin that are alike cost log 2 more; what is kept costs no more than that.
    const [first] = events.map(({ validation }) => validation!);
    expect(trained.validation).toBeLessThan(first + Math.LN2 + 1e-6);
    expect(trained.validation).toBeGreaterThan(first);
  });
});
