// Scenarios of a small trained model: constraints, plans, events compared with the exact distribution, and rejected options.

import { numpy as np } from "@jax-js/jax";
import { beforeAll, describe, expect, test } from "vitest";
import { smallSettings, smallTuning } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { binnedCdf, tokenCount } from "../model/quantiser.ts";
import { type ForecastModel, fitForecastModel } from "../model/train.ts";
import { meetsCondition, parseCondition } from "./condition.ts";
import { eventProbabilities } from "./event.ts";
import { modelPathDistribution } from "./model-path-distribution.ts";
import type { PathContext } from "./path-distribution.ts";
import { scenarioForecasts } from "./scenario.ts";

const panel = syntheticPanel({
  rows: 90,
  series: 2,
  targets: 2,
  value: (_t, j, stream) => 10 * (j + 1) + stream.normal(),
});
let model: ForecastModel;

beforeAll(async () => {
  model = await fitForecastModel(panel, smallSettings);
});

describe("scenarios", () => {
  test("all paths meet the constraint on the chosen target", async () => {
    const constraint = "max >= 21.5 and sum <= 62";
    const { forecasts, reports } = await scenarioForecasts(model, panel, {
      ...smallTuning,
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
      const met = paths!.filter((path) => meetsCondition(parseCondition(constraint), path)).length;
      if (target === "y1") expect(met).toBe(60);
      else expect(met).toBeLessThan(60);
    }
    for (const { effectiveSampleSize, acceptance, iterations, logZ } of reports) {
      expect(effectiveSampleSize).toBeGreaterThan(60);
      expect(acceptance).toBeGreaterThan(Math.exp(logZ));
      expect(iterations).toBe(48);
    }
  });

  test("the same seed and iterations give the same paths", async () => {
    const sample = () =>
      scenarioForecasts(model, panel, { ...smallTuning, iterations: 4, constraint: "mean > 10", horizon: 2 });
    const [one, other] = [await sample(), await sample()];
    expect(one.forecasts[0].paths).toEqual(other.forecasts[0].paths);
    expect(one.forecasts[0].paths![0]).toHaveLength(2);
  });

  test("plans are realised except for the noise, and realised paths are not selected by the constraint", async () => {
    const options = {
      ...smallTuning,
      iterations: 4,
      horizon: 2,
      constraint: "max >= 11",
      noise: 0.4,
      samples: 900,
    };
    const noisy = await scenarioForecasts(model, panel, options);
    const condition = parseCondition("max >= 11");
    for (const [i, { target, paths = [], intended = [] }] of noisy.forecasts.entries()) {
      expect([paths.length, intended.length, intended[0].length]).toEqual([900, 900, 2]);
      const same = paths.flatMap((path, n) => Array.from(path, (x, t) => +(x === intended[n][t])));
      const expected = 0.6 + 0.4 / tokenCount(model.bins);
      expect(Math.abs(same.reduce((sum, one) => sum + one) / same.length - expected)).toBeLessThan(0.04);
      if (target !== "y0") continue;
      // Some realised paths miss the constraint; their share agrees with the report.
      const { realised } = noisy.reports[i / 2];
      const met = paths.filter((path) => meetsCondition(condition, path)).length / 900;
      expect(realised!.acceptance).toBeLessThan(1);
      expect(Math.abs(met - realised!.acceptance)).toBeLessThan(0.05);
      expect(realised!.effectiveSampleSize).toBeLessThan(realised!.drawn);
      expect(realised!.divergence).toBeGreaterThan(0);
    }
  });

  test("impossible requests are rejected with one sentence", async () => {
    await expect(
      scenarioForecasts(model, panel, { constraint: "min > 1e9", ...smallTuning }),
    ).rejects.toThrow('constraint: none of 1024 paths of series 0 meets "min > 1e9"');
    await expect(scenarioForecasts(model, panel, { temperature: 0 })).rejects.toThrow(
      "temperature: must be a number above 0, got 0",
    );
    await expect(scenarioForecasts(model, panel, { target: "y7" })).rejects.toThrow(
      "target: must be one of y0, y1, got y7",
    );
    await expect(scenarioForecasts(model, panel, { noise: 1 })).rejects.toThrow(
      "noise: must be a number in [0, 1), got 1",
    );
    await expect(scenarioForecasts(model, panel, { horizon: 4 })).rejects.toThrow("from 1 to 3");
    await expect(scenarioForecasts(model, panel, { constraint: "value[4] > 1" })).rejects.toThrow(
      "a step must be at most 3",
    );
  });
});

describe("events", () => {
  test("of the first step have the exact probability of the model", async () => {
    const { distribution, contexts } = modelPathDistribution(model);
    const distributions = await Promise.all(
      (await contexts(panel.series)).map(async (context) => ({
        context,
        first: await firstTokenDistribution(distribution, context.inputs),
      })),
    );
    const exactAt = (bound: number) =>
      distributions.map(
        ({ context, first }) => 1 - binnedCdf(model.bins, first, standardised(context, bound)),
      );
    // An event that is rare, but not so rare that counting finds none.
    const bound = Array.from({ length: 80 }, (_, k) => 5 + k / 4).find((x) => Math.max(...exactAt(x)) < 0.1)!;
    const estimates = await eventProbabilities(model, panel, { ...smallTuning, event: `first >= ${bound}` });
    for (const [i, exact] of exactAt(bound).entries()) {
      const { probability, standardError, counted } = estimates[i];
      expect(exact).toBeGreaterThan(0);
      expect(Math.abs(probability - exact)).toBeLessThan(4 * standardError);
      if (counted.probability > 0.005) expect(standardError).toBeLessThan(counted.standardError);
    }
    expect(Math.max(...exactAt(bound))).toBeGreaterThan(0.02);
  });

  /** The distribution of the first token. */
  async function firstTokenDistribution(
    { inputs, atStep }: ReturnType<typeof modelPathDistribution>["distribution"],
    arrays: Readonly<Record<string, TypedArray>>,
  ) {
    const example = Object.fromEntries(
      Object.entries(inputs).map(([name, { shape }]) => [name, spec([1, ...shape])]),
    ) as Record<string, ReturnType<typeof spec>>;
    const program = await compile(
      (named: Readonly<Record<string, np.Array>>) => ({ probabilities: np.exp(atStep(named, 0, [])) }),
      example,
      { name: "first" },
    );
    const { probabilities } = await program.run(arrays);
    await program.dispose();
    return probabilities;
  }

  /** Standardises a value of the first step, by linear interpolation between two bin edges. */
  function standardised({ valuesOf }: Pick<PathContext, "valuesOf">, x: number) {
    const [low, high] = [1, 2].map((token) => valuesOf(Int32Array.of(token), () => 0)[0]);
    const { edges } = model.bins;
    return edges[0] + ((x - low) / (high - low)) * (edges[1] - edges[0]);
  }
});
