// Doubling the bins of a trained model, and doubling them during training.

import { expect, test } from "vitest";
import { encodedWindow } from "../../../test/support/encoded-window.ts";
import { evaluate } from "../../../test/support/gradients.ts";
import { randomForecastModel } from "../../../test/support/random-forecast-model.ts";
import { tinySettings } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { doubleBins } from "./double-bins.ts";
import { tokenModel } from "./forecaster.ts";
import { binnedCdf, tokenCount } from "./quantiser.ts";
import { type ForecastModel, type ForecastTrainingEvent, fitForecastModel } from "./train.ts";

const panel = syntheticPanel({ rows: 90 });

/** Probabilities at all steps of a path of tokens, [3, K]. */
function probabilitiesOf(model: ForecastModel, tokens: readonly number[]): Float64Array {
  const { network, inputs } = encodedWindow(model, panel.series);
  return evaluate(
    ({ flat, tokens, ...windows }) => {
      const params = network.layout.split(flat);
      return { probabilities: network.pathProbabilities(params, network.encode(params, windows), tokens) };
    },
    { ...inputs, tokens: { shape: [1, 3], dtype: "int32", data: tokens } },
  ).probabilities;
}

/** Compares the distributions after the same tokens, and after either half of a bin that was cut. */
function expectSameDistributions(coarse: ForecastModel, fine: ForecastModel): void {
  expect(tokenCount(fine.bins)).toBe(2 * (tokenCount(coarse.bins) - 2) + 2);
  const [K, newK] = [tokenCount(coarse.bins), tokenCount(fine.bins)];
  const before = probabilitiesOf(coarse, [3, K - 1, 0]);
  for (const half of [5, 6]) {
    const after = probabilitiesOf(fine, [half, newK - 1, 0]);
    for (let step = 0; step < 3; step++) {
      for (const x of [-4, -1, -0.3, 0, 0.1, 1, 2, 5]) {
        const expected = binnedCdf(coarse.bins, before.slice(step * K, (step + 1) * K), x);
        const found = binnedCdf(fine.bins, after.slice(step * newK, (step + 1) * newK), x);
        // The biases are float32, so log 2 is rounded.
        expect(Math.abs(found - expected)).toBeLessThan(1e-6);
      }
    }
  }
}

test("doubling the bins keeps the distributions, also after tokens whose bins were cut", () => {
  const coarse = randomForecastModel(panel, { ...tinySettings, smoothing: 0 });
  expectSameDistributions(coarse, doubleBins(coarse));
});

test("doubling the bins during training keeps the distributions until the next iteration", async () => {
  // The only iteration belongs to the first stage; the second stage has none.
  const settings = {
    ...tinySettings,
    smoothing: 0,
    validationShare: 0,
    iterations: 1,
    learningRate: 0.1,
  };
  const coarse = await fitForecastModel(panel, settings);
  const fine = await fitForecastModel(panel, { ...settings, binDoublings: 1 });
  expectSameDistributions(coarse, fine);
  expect(fine.trained).toMatchObject({ iterations: 1, bestIteration: 1 });
});

test("training divides its iterations among the stages, and keeps the doubled model if nothing better follows", async () => {
  const events: ForecastTrainingEvent[] = [];
  const settings = {
    ...tinySettings,
    iterations: 7,
    validateEvery: 100,
    binDoublings: 1,
    validationShare: 0.2,
  };
  const forecaster = await tokenModel(settings, { onEvent: (event) => events.push(event) }).fit(panel);
  const { bins, trained } = forecaster.model;
  await forecaster.dispose();
  expect(events.map(({ iteration }) => iteration)).toEqual([4, 7]);
  expect(bins.edges.length - 1).toBe(2 * tinySettings.bins!);
  // Two equally likely halves of each bin add log 2 to the cross-entropy, so the result is at most that much larger.
  const [first] = events.map(({ validationLoss }) => validationLoss!);
  expect(trained.validationLoss).toBeLessThan(first + Math.LN2 + 1e-6);
  expect(trained.validationLoss).toBeGreaterThan(first);
});
