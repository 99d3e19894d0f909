import { describe, expect, test } from "vitest";
import { madeModel } from "../../../test/support/made-model.ts";
import { madePanel } from "../../../test/support/model-panels.ts";
import { readSeries } from "../model/features.ts";
import { type ForecastModel, fitLikelihood } from "../model/likelihood.ts";
import { restored } from "../model/normalised.ts";
import { numberIn, tokensOf } from "../model/quantiser.ts";
import { type ForecastSettings, NORMALISERS } from "../model/settings.ts";
import { windowArrays, windowSizes, writeWindow } from "../model/windows.ts";
import type { Panel } from "../types.ts";
import { eventProbabilities } from "./event.ts";
import { infillGaps } from "./infill.ts";
import { tokenNumbers } from "./token-numbers.ts";

const [season, horizon, rows] = [2, 3, 60];
const tiny: ForecastSettings = {
  ...{ season, horizon, context: 4, bins: 8, encoder: "mlp", width: 4, hidden: [8], batch: 8 },
  ...{ iterations: 2, lags: [], samples: 40, validation: 0 },
};
const panel = madePanel({ rows, targets: 2 });

function numbersOf(model: ForecastModel, { series: [series] }: Panel) {
  const { features, shape, bins } = model;
  const sizes = windowSizes(features, shape);
  const read = readSeries(features, series, horizon);
  const arrays = windowArrays(1, shape, sizes);
  const centrings = writeWindow({ features, shape, sizes }, { series: read, origin: rows }, arrays, 0);
  return { read, centrings, bins, said: tokenNumbers(bins, read, centrings) };
}

describe.each(NORMALISERS)("tokens of a model that reads by %s", (normaliser) => {
  const { read, centrings, bins, said } = numbersOf(madeModel(panel, { ...tiny, normaliser }), panel);
  const K = tokensOf(bins);

  test("stand for numbers of the series, target by target", () => {
    const tokens = Int32Array.of(3, 0, 5, K - 1, 1, 4);
    const uniforms = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    const [...left] = uniforms;
    const path = said.numbers(tokens, () => left.shift()!);
    for (const j of [0, 1]) {
      const { centre, scale } = centrings[j];
      const steps = centre.map((x, h) => x + scale * numberIn(bins, tokens[2 * h + j], uniforms[2 * h + j]));
      expect(path.filter((_, t) => t % 2 === j)).toEqual(restored(read, j, rows, steps));
    }
    // Two times lie within the season, so that what they are hangs on nothing ahead.
    for (let t = 0; t < 4; t++) {
      expect(said.token(t, path[t])).toBe(tokens[t]);
      expect(said.below(t, tokens[t], path[t])).toBeCloseTo(uniforms[t], 9);
    }
    expect(said.token(0, Number.NaN)).toBe(-1);
  });

  test("have the mean and the spread of these", () => {
    const many = 4000;
    for (const [t, token] of [
      [0, 3],
      [3, 6],
    ]) {
      const numbers = Array.from({ length: many }, (_, i) => {
        const tokens = Int32Array.from({ length: t + 1 }, () => token);
        return said.numbers(tokens, () => (i + 0.5) / many)[t];
      });
      const mean = numbers.reduce((sum, x) => sum + x) / many;
      const spread = Math.sqrt(numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / many);
      expect(said.values[t * K + token] / mean).toBeCloseTo(1, 3);
      expect(said.spreads[t * K + token] / spread).toBeCloseTo(1, 2);
    }
  });
});

test("of a model of logarithms nothing lies below 0", () => {
  const { said, bins } = numbersOf(madeModel(panel, { ...tiny, normaliser: "log" }), panel);
  for (let token = 0; token < tokensOf(bins); token++) {
    expect([said.below(0, token, 0), said.below(0, token, -5)]).toEqual([0, 0]);
  }
});

test("events are asked for in the units of the data", async () => {
  const positive = madePanel({ rows, value: (_t, _j, stream) => Math.exp(stream.normal() / 2) });
  const [one] = positive.series;
  const logarithms = { ...positive, series: [{ ...one, targets: [one.targets[0].map(Math.log)] }] };
  const chanceOf = async (data: Panel, normaliser: "none" | "log", event: string) =>
    (
      await eventProbabilities(await fitLikelihood(data, { ...tiny, normaliser }), data, {
        event,
        iterations: 0,
        proposals: 400,
      })
    )[0].probability;
  const chance = await chanceOf(positive, "log", `max >= ${Math.exp(0.5)} and min > 0.2`);
  expect(chance).toBe(await chanceOf(logarithms, "none", `max >= 0.5 and min > ${Math.log(0.2)}`));
  expect(chance).toBeGreaterThan(0.05);
  expect(chance).toBeLessThan(0.95);
});

test("of a model of differences, gaps as long as a season and those in the first season are left, with the reason", async () => {
  const made = madePanel({ rows });
  const missing = [1, 20, 21];
  const values = made.series[0].targets[0].map((x, row) => (missing.includes(row) ? Number.NaN : x));
  const holes = { ...made, series: [{ ...made.series[0], targets: [values] }] };
  const model = madeModel(holes, { ...tiny, normaliser: "seasonal-difference" });
  const { filled, skipped } = await infillGaps(model, holes);
  expect(filled).toEqual([]);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "A gap must come after the first season of 2 rows, which differences begin from, got 1 from 2020-01-02 on.",
    "A gap must be shorter than 2 rows, which a model of seasonal differences reaches over, got 2 from 2020-01-21 on.",
  ]);
});
