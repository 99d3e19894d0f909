// Gaps filled by small trained models: which gaps are filled, and one compared with the exact posterior of the model.

import type { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { smallSettings, smallTuning } from "../../../test/support/small-forecast-settings.ts";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { totalVariation } from "../../math/distances.ts";
import { sliceSeries } from "../data/truncate.ts";
import { fitForecastModel } from "../model/train.ts";
import type { Panel } from "../types.ts";
import { infillGaps } from "./infill.ts";
import { modelPathDistribution } from "./model-path-distribution.ts";
import type { PathDistribution } from "./path-distribution.ts";

/** The panel with the values of these rows removed, one list of rows per target. */
function withoutRows(panel: Panel, ...rows: readonly (readonly number[])[]): Panel {
  return {
    ...panel,
    series: panel.series.map((series) => ({
      ...series,
      targets: series.targets.map((values, j) =>
        values.map((value, row) => (rows[j]?.includes(row) ? Number.NaN : value)),
      ),
    })),
  };
}

test("gaps shorter and longer than the horizon are filled, and those at the ends are skipped", async () => {
  const complete = syntheticPanel({ rows: 40, value: (t) => 5 * (t % 2) + (t % 7) / 10 });
  const withGaps = withoutRows(complete, [0, 20, 21, 27, 28, 29, 30, 31, 35, 39]);
  const model = await fitForecastModel(withGaps, smallSettings);
  const { filled, skipped } = await infillGaps(model, withGaps, { ...smallTuning, quantiles: [0.1, 0.9] });
  expect(filled.map(({ target, from, rows, mean }) => [target, from, rows, mean.length])).toEqual([
    ["y0", 20, 2, 2],
    ["y0", 27, 5, 5],
    ["y0", 35, 1, 1],
  ]);
  for (const { paths, report, times, from, rows, quantiles } of filled) {
    expect(paths).toHaveLength(60);
    for (const path of paths!) expect(path.every(Number.isFinite)).toBe(true);
    expect(times).toEqual(withGaps.series[0].times.slice(from, from + rows));
    expect(quantiles[0][0]).toBeLessThan(quantiles[1][0]);
    expect(report.effectiveSampleSize).toBeGreaterThan(60);
  }
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "A gap must have a value of y0 before it, got none before the gap of 1 row at 2020-01-01.",
    "A gap must have a value after it, got none after the gap of 1 row at 2020-02-09; forecast these rows instead.",
  ]);
});

test("a model with a horizon of one step cannot fill gaps", async () => {
  const withGaps = withoutRows(syntheticPanel({ rows: 40 }), [20]);
  const model = await fitForecastModel(withGaps, { ...smallSettings, horizon: 1, iterations: 1 });
  await expect(infillGaps(model, withGaps)).rejects.toThrow(
    "the model must reach at least 2 rows ahead to see the values after a gap, got 1",
  );
});

test("the observed values of one target in the gap of another have the exact influence of the model", async () => {
  // Both targets jump together, at unpredictable times.
  const jumps = (t: number) => (Math.abs(Math.sin(12.9898 * t) * 43758.5453) % 1 < 0.5 ? 0 : 8);
  const complete = syntheticPanel({
    rows: 200,
    targets: 2,
    value: (t, _, stream) => jumps(t) + 0.5 * stream.normal(),
  });
  const [row, longFrom] = [150, 170];
  const long = [0, 1, 2, 3].map((i) => longFrom + i);
  const withGaps = withoutRows(complete, [...long.slice(1, 3), 199], [row, ...long]);
  const model = await fitForecastModel(withGaps, {
    ...smallSettings,
    iterations: 250,
    batch: 32,
    samples: 2000,
  });
  const { filled, skipped } = await infillGaps(model, withGaps, { ...smallTuning, proposals: 2048 });
  expect(skipped).toEqual([]);
  expect(filled.map(({ target, from, rows }) => [target, from, rows])).toEqual([
    ["y0", 171, 2],
    ["y0", 199, 1],
    ["y1", 150, 1],
    ["y1", 170, 4],
  ]);

  const { distribution, contexts } = modelPathDistribution(model);
  const [series] = withGaps.series;
  const [context] = await contexts([sliceSeries(series, withGaps, 0, row)]);
  const observed = Array.from({ length: distribution.steps }, (_, t) =>
    context.tokenOf(t, series.targets[t % 2][row + Math.floor(t / 2)]),
  );
  expect(observed[1]).toBe(-1);
  const exact = await posterior(distribution, context.inputs, observed, 1);
  const shares = new Float64Array(distribution.tokens);
  const { paths = [] } = filled[2];
  for (const [number] of paths) shares[context.tokenOf(1, number)] += 1 / paths.length;
  expect(totalVariation(exact, shares)).toBeLessThan(0.05);
  // Another value of the observed target leads to another posterior.
  const other = observed.map((token, t) => (t === 0 ? distribution.tokens - 1 - token : token));
  expect(totalVariation(exact, await posterior(distribution, context.inputs, other, 1))).toBeGreaterThan(0.2);
});

test("the density of a value within its bin is the derivative of the share below it", async () => {
  const complete = syntheticPanel({ rows: 40 });
  const model = await fitForecastModel(complete, { ...smallSettings, iterations: 1 });
  const { distribution, contexts } = modelPathDistribution(model);
  const [context] = await contexts(complete.series);
  for (const token of [0, 2, distribution.tokens - 1]) {
    const x = context.valuesOf(Int32Array.of(token, token), () => 0.4)[1];
    expect(context.tokenOf(1, x)).toBe(token);
    const slope = (context.shareBelow(1, token, x + 1e-4) - context.shareBelow(1, token, x - 1e-4)) / 2e-4;
    expect(context.logDensity(1, x)).toBeCloseTo(Math.log(slope), 4);
  }
});

/** The distribution of the token at one step, given the tokens at all other steps. */
async function posterior(
  distribution: PathDistribution,
  inputs: Readonly<Record<string, TypedArray>>,
  observed: readonly number[],
  step: number,
): Promise<Float64Array> {
  const { tokens: K, steps: P } = distribution;
  const specs = Object.fromEntries(
    Object.entries(distribution.inputs).map(([name, { shape }]) => [name, spec([K, ...shape])]),
  );
  const program = await compile(
    ({ paths, ...arrays }: Readonly<Record<string, np.Array>>) => ({
      logs: distribution.atAllSteps(arrays, paths),
    }),
    { ...specs, paths: spec([K, P, K]) } as Record<string, ReturnType<typeof spec>>,
    { name: "posterior" },
  );
  const paths = new Float32Array(K * P * K);
  const tokensOf = (k: number) => observed.map((token, t) => (t === step ? k : token));
  for (let k = 0; k < K; k++) {
    for (const [t, token] of tokensOf(k).entries()) paths[(k * P + t) * K + token] = 1;
  }
  const { logs } = await program.run({
    ...Object.fromEntries(
      Object.keys(specs).map((name) => [
        name,
        Float32Array.from(
          { length: K * inputs[name].length },
          (_, i) => inputs[name][i % inputs[name].length],
        ),
      ]),
    ),
    paths,
  } as Record<string, TypedArray>);
  await program.dispose();
  const masses = Float64Array.from({ length: K }, (_, k) =>
    Math.exp(tokensOf(k).reduce((sum, token, t) => sum + logs[(k * P + t) * K + token], 0)),
  );
  const sum = masses.reduce((total, mass) => total + mass);
  return masses.map((mass) => mass / sum);
}
