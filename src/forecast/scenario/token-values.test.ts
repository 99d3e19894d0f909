// The values of tokens: conversions in both directions for all normalisers, and their use in events and gaps.

import { describe, expect, test } from "vitest";
import { randomForecastModel } from "../../../test/support/random-forecast-model.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { encodeSeries } from "../model/features.ts";
import { tokenCount, valueInBin } from "../model/quantiser.ts";
import { type ForecastSettings, NORMALISERS } from "../model/settings.ts";
import { denormaliseSteps } from "../model/target-normalisation.ts";
import { type ForecastModel, fitForecastModel } from "../model/train.ts";
import { allocateWindowArrays, windowSizes, writeWindow } from "../model/window-arrays.ts";
import type { Panel } from "../types.ts";
import { eventProbabilities } from "./event.ts";
import { infillGaps } from "./infill.ts";
import { tokenValues } from "./token-values.ts";

const [season, horizon, rows] = [2, 3, 60];
const tinySettings: ForecastSettings = {
  ...{ season, horizon, context: 4, bins: 8, encoder: "mlp", width: 4, hidden: [8], batch: 8 },
  ...{ iterations: 2, lags: [], samples: 40, validationShare: 0 },
};
const panel = syntheticPanel({ rows, targets: 2 });

function tokenValuesOf(model: ForecastModel, { series: [series] }: Panel) {
  const { features, shape, bins } = model;
  const sizes = windowSizes(features, shape);
  const encoded = encodeSeries(features, series, horizon);
  const arrays = allocateWindowArrays(1, shape, sizes);
  const scales = writeWindow({ features, shape, sizes }, { series: encoded, origin: rows }, arrays, 0);
  return { encoded, scales, bins, values: tokenValues(bins, encoded, scales) };
}

describe.each(NORMALISERS)("tokens of a model with the normaliser %s", (normaliser) => {
  const { encoded, scales, bins, values } = tokenValuesOf(
    randomForecastModel(panel, { ...tinySettings, normaliser }),
    panel,
  );
  const K = tokenCount(bins);

  test("stand for values of the series, target by target", () => {
    const tokens = Int32Array.of(3, 0, 5, K - 1, 1, 4);
    const uniforms = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    const [...remaining] = uniforms;
    const path = values.valuesOf(tokens, () => remaining.shift()!);
    for (const j of [0, 1]) {
      const { location: centre, scale } = scales[j];
      const steps = centre.map(
        (x, h) => x + scale * valueInBin(bins, tokens[2 * h + j], uniforms[2 * h + j]),
      );
      expect(path.filter((_, t) => t % 2 === j)).toEqual(denormaliseSteps(encoded, j, rows, steps));
    }
    // The first two times lie within one season, so they do not depend on earlier sampled values.
    for (let t = 0; t < 4; t++) {
      expect(values.tokenOf(t, path[t])).toBe(tokens[t]);
      expect(values.shareBelow(t, tokens[t], path[t])).toBeCloseTo(uniforms[t], 9);
    }
    expect(values.tokenOf(0, Number.NaN)).toBe(-1);
  });

  test("have the mean and the standard deviation of these values", () => {
    const count = 4000;
    for (const [t, token] of [
      [0, 3],
      [3, 6],
    ]) {
      const numbers = Array.from({ length: count }, (_, i) => {
        const tokens = Int32Array.from({ length: t + 1 }, () => token);
        return values.valuesOf(tokens, () => (i + 0.5) / count)[t];
      });
      const mean = numbers.reduce((sum, x) => sum + x) / count;
      const deviation = Math.sqrt(numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / count);
      expect(values.tokenMeans[t * K + token] / mean).toBeCloseTo(1, 3);
      expect(values.tokenDeviations[t * K + token] / deviation).toBeCloseTo(1, 2);
    }
  });
});

test("tokens of a model of logarithms have no values below 0", () => {
  const { values, bins } = tokenValuesOf(
    randomForecastModel(panel, { ...tinySettings, normaliser: "log" }),
    panel,
  );
  for (let token = 0; token < tokenCount(bins); token++) {
    expect([values.shareBelow(0, token, 0), values.shareBelow(0, token, -5)]).toEqual([0, 0]);
  }
});

test("events are written in the units of the data", async () => {
  const positive = syntheticPanel({ rows, value: (_t, _j, stream) => Math.exp(stream.normal() / 2) });
  const [one] = positive.series;
  const logarithms = { ...positive, series: [{ ...one, targets: [one.targets[0].map(Math.log)] }] };
  const probabilityIn = async (data: Panel, normaliser: "none" | "log", event: string) =>
    (
      await eventProbabilities(await fitForecastModel(data, { ...tinySettings, normaliser }), data, {
        event,
        iterations: 0,
        proposals: 400,
      })
    )[0].probability;
  const probability = await probabilityIn(positive, "log", `max >= ${Math.exp(0.5)} and min > 0.2`);
  expect(probability).toBe(await probabilityIn(logarithms, "none", `max >= 0.5 and min > ${Math.log(0.2)}`));
  expect(probability).toBeGreaterThan(0.05);
  expect(probability).toBeLessThan(0.95);
});

test("a model of seasonal differences skips gaps of a season or more and gaps in the first season", async () => {
  const panelWithoutGaps = syntheticPanel({ rows });
  const missing = [1, 20, 21];
  const values = panelWithoutGaps.series[0].targets[0].map((x, row) =>
    missing.includes(row) ? Number.NaN : x,
  );
  const panelWithGaps = {
    ...panelWithoutGaps,
    series: [{ ...panelWithoutGaps.series[0], targets: [values] }],
  };
  const model = randomForecastModel(panelWithGaps, { ...tinySettings, normaliser: "seasonal-difference" });
  const { filled, skipped } = await infillGaps(model, panelWithGaps);
  expect(filled).toEqual([]);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "A gap must come after the first season of 2 rows, the base of seasonal differences, got 1 row at 2020-01-02.",
    "A gap must be shorter than 2 rows, the reach of a model of seasonal differences, got 2 rows at 2020-01-21.",
  ]);
});
