// Scenarios of a small trained model: what it was asked, its own laws as the reference, and what is refused.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { settings, tuning } from "../../../test/support/small-models.ts";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { type ForecastModel, fitLikelihood } from "../model/likelihood.ts";
import { cdf, tokensOf } from "../model/quantiser.ts";
import { holds, parseCondition } from "./condition.ts";
import { eventProbabilities } from "./event.ts";
import type { LawContext } from "./law.ts";
import { modelLaw } from "./model-law.ts";
import { scenarioForecasts } from "./scenario.ts";

const panel = madePanel({
  rows: 90,
  series: 2,
  targets: 2,
  value: (_t, j, stream) => 10 * (j + 1) + stream.normal(),
});
let model: ForecastModel;

beforeAll(async () => {
  model = await fitLikelihood(panel, settings);
});

describe("scenarios", () => {
  test("all paths meet the constraint, of the target that it names", async () => {
    const constraint = "max >= 21.5 and sum <= 62";
    const { forecasts, reports } = await scenarioForecasts(model, panel, {
      ...tuning,
      constraint,
      target: "y1",
      quantiles: [0.1, 0.9],
    });
    expect(forecasts.map(({ id, target }) => `${id} ${target}`)).toEqual([
      "series 0 y0",
      "series 0 y1",
      "series 1 y0",
      "series 1 y1",
    ]);
    for (const { target, paths, quantiles } of forecasts) {
      expect(paths).toHaveLength(60);
      expect(quantiles[0][0]).toBeLessThan(quantiles[1][0]);
      const met = paths!.filter((path) => holds(parseCondition(constraint), path)).length;
      if (target === "y1") expect(met).toBe(60);
      else expect(met).toBeLessThan(60);
    }
    for (const { effective, acceptance, iterations, logZ } of reports) {
      expect(effective).toBeGreaterThan(60);
      expect(acceptance).toBeGreaterThan(Math.exp(logZ));
      expect(iterations).toBe(48);
    }
  });

  test("the same seed and iterations draw the same paths", async () => {
    const draw = () =>
      scenarioForecasts(model, panel, { ...tuning, iterations: 4, constraint: "mean > 10", horizon: 2 });
    const [one, other] = [await draw(), await draw()];
    expect(one.forecasts[0].paths).toEqual(other.forecasts[0].paths);
    expect(one.forecasts[0].paths![0]).toHaveLength(2);
  });

  test("plans come true but for noise, and paths are given as they come", async () => {
    const asked = { ...tuning, iterations: 4, horizon: 2, constraint: "max >= 11", noise: 0.4, samples: 900 };
    const noisy = await scenarioForecasts(model, panel, asked);
    const condition = parseCondition("max >= 11");
    for (const [i, { target, paths = [], intended = [] }] of noisy.forecasts.entries()) {
      expect([paths.length, intended.length, intended[0].length]).toEqual([900, 900, 2]);
      const same = paths.flatMap((path, n) => Array.from(path, (x, t) => +(x === intended[n][t])));
      const expected = 0.6 + 0.4 / tokensOf(model.bins);
      expect(Math.abs(same.reduce((sum, one) => sum + one) / same.length - expected)).toBeLessThan(0.04);
      if (target !== "y0") continue;
      // As they come: some miss, as many as the report says.
      const { realised } = noisy.reports[i / 2];
      const met = paths.filter((path) => holds(condition, path)).length / 900;
      expect(realised!.acceptance).toBeLessThan(1);
      expect(Math.abs(met - realised!.acceptance)).toBeLessThan(0.05);
      expect(realised!.effective).toBeLessThan(realised!.drawn);
      expect(realised!.divergence).toBeGreaterThan(0);
    }
  });

  test("what cannot be is said in one sentence", async () => {
    await expect(scenarioForecasts(model, panel, { constraint: "min > 1e9", ...tuning })).rejects.toThrow(
      'paths of series 0 must meet "min > 1e9", and none of 1024 did',
    );
    await expect(scenarioForecasts(model, panel, { temperature: 0 })).rejects.toThrow(
      "scenario: temperature must be positive and finite, got 0",
    );
    await expect(scenarioForecasts(model, panel, { target: "y7" })).rejects.toThrow(
      "scenario: target must be one of y0, y1, got y7",
    );
    await expect(scenarioForecasts(model, panel, { noise: 1 })).rejects.toThrow(
      "scenario: noise must be from 0 on and below 1, got 1",
    );
    await expect(scenarioForecasts(model, panel, { horizon: 4 })).rejects.toThrow("from 1 to 3");
    await expect(scenarioForecasts(model, panel, { constraint: "value[4] > 1" })).rejects.toThrow(
      "a step must be at most 3",
    );
  });
});

describe("events", () => {
  test("of the first step are as likely as the model's own law says", async () => {
    const { law, contexts } = modelLaw(model);
    const laws = await Promise.all(
      (await contexts(panel.series)).map(async (context) => ({
        context,
        first: await firstLaw(law, context.inputs),
      })),
    );
    const exactAt = (bound: number) =>
      laws.map(({ context, first }) => 1 - cdf(model.bins, first, scaled(context, bound)));
    // Neither common nor so rare that counting finds none.
    const bound = Array.from({ length: 80 }, (_, k) => 5 + k / 4).find((x) => Math.max(...exactAt(x)) < 0.1)!;
    const chances = await eventProbabilities(model, panel, { ...tuning, event: `first >= ${bound}` });
    for (const [i, exact] of exactAt(bound).entries()) {
      const { probability, standardError, plain } = chances[i];
      expect(exact).toBeGreaterThan(0);
      expect(Math.abs(probability - exact)).toBeLessThan(4 * standardError);
      if (plain.probability > 0.005) expect(standardError).toBeLessThan(plain.standardError);
    }
    expect(Math.max(...exactAt(bound))).toBeGreaterThan(0.02);
  });

  /** The model's law of the first token. */
  async function firstLaw(
    { inputs, at }: ReturnType<typeof modelLaw>["law"],
    arrays: Readonly<Record<string, TypedArray>>,
  ) {
    const example = Object.fromEntries(
      Object.entries(inputs).map(([name, { shape }]) => [name, spec([1, ...shape])]),
    ) as Record<string, ReturnType<typeof spec>>;
    const program = await compile(
      (given: Readonly<Record<string, np.Array>>) => ({ law: np.exp(at(given, 0, [])) }),
      example,
      { name: "first" },
    );
    const { law } = await program.run(arrays);
    await program.dispose();
    return law;
  }

  /** A number of the first step as one that bins hold, found by where their edges are. */
  function scaled({ numbers }: Pick<LawContext, "numbers">, x: number) {
    const [low, high] = [1, 2].map((token) => numbers(Int32Array.of(token), () => 0)[0]);
    const { edges } = model.bins;
    return edges[0] + ((x - low) / (high - low)) * (edges[1] - edges[0]);
  }
});
