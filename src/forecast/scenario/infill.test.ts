// Gaps of small trained models: which are filled, of how many targets, and one of them as the model's own law says.

import type { numpy as np } from "@jax-js/jax";
import { expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { settings, tuning } from "../../../test/support/small-models.ts";
import { compile, spec, type TypedArray } from "../../engine/index.ts";
import { totalVariation } from "../../gfn/evaluate/distances.ts";
import { cutSeries } from "../data/cut.ts";
import { fitLikelihood } from "../model/likelihood.ts";
import type { Panel } from "../types.ts";
import { infillGaps } from "./infill.ts";
import type { PathLaw } from "./law.ts";
import { modelLaw } from "./model-law.ts";

/** The panel without the values of some rows, target by target. */
function without(panel: Panel, ...rows: readonly (readonly number[])[]): Panel {
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

test("gaps shorter and longer than the horizon are filled, and those at the ends are named", async () => {
  const made = madePanel({ rows: 40, value: (t) => 5 * (t % 2) + (t % 7) / 10 });
  const holes = without(made, [0, 20, 21, 27, 28, 29, 30, 31, 35, 39]);
  const model = await fitLikelihood(holes, settings);
  const { filled, skipped } = await infillGaps(model, holes, { ...tuning, quantiles: [0.1, 0.9] });
  expect(filled.map(({ target, from, rows, mean }) => [target, from, rows, mean.length])).toEqual([
    ["y0", 20, 2, 2],
    ["y0", 27, 5, 5],
    ["y0", 35, 1, 1],
  ]);
  for (const { paths, report, times, from, rows, quantiles } of filled) {
    expect(paths).toHaveLength(60);
    for (const path of paths!) expect(path.every(Number.isFinite)).toBe(true);
    expect(times).toEqual(holes.series[0].times.slice(from, from + rows));
    expect(quantiles[0][0]).toBeLessThan(quantiles[1][0]);
    expect(report.effective).toBeGreaterThan(60);
  }
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "A gap must have a value of y0 before it, got none before 1 row from 2020-01-01 on.",
    "A gap must have a value after it, got none after 1 row from 2020-02-09 on: there it is a forecast.",
  ]);
});

test("a horizon of one step sees nothing after a gap", async () => {
  const holes = without(madePanel({ rows: 40 }), [20]);
  const model = await fitLikelihood(holes, { ...settings, horizon: 1, iterations: 1 });
  await expect(infillGaps(model, holes)).rejects.toThrow(
    "infill: the model must reach at least 2 rows ahead, to see what follows a gap, got 1",
  );
});

test("of two targets, what is seen of one in the gap of the other counts as the model's own law says", async () => {
  // Both go up and down together, and nothing before says when.
  const jumps = (t: number) => (Math.abs(Math.sin(12.9898 * t) * 43758.5453) % 1 < 0.5 ? 0 : 8);
  const made = madePanel({
    rows: 200,
    targets: 2,
    value: (t, _, stream) => jumps(t) + 0.5 * stream.normal(),
  });
  const [row, longFrom] = [150, 170];
  const long = [0, 1, 2, 3].map((i) => longFrom + i);
  const holes = without(made, [...long.slice(1, 3), 199], [row, ...long]);
  const model = await fitLikelihood(holes, { ...settings, iterations: 250, batch: 32, samples: 2000 });
  const { filled, skipped } = await infillGaps(model, holes, { ...tuning, proposals: 2048 });
  expect(skipped).toEqual([]);
  expect(filled.map(({ target, from, rows }) => [target, from, rows])).toEqual([
    ["y0", 171, 2],
    ["y0", 199, 1],
    ["y1", 150, 1],
    ["y1", 170, 4],
  ]);

  const { law, contexts } = modelLaw(model);
  const [series] = holes.series;
  const [context] = await contexts([cutSeries(series, holes, 0, row)]);
  const known = Array.from({ length: law.steps }, (_, t) =>
    context.token(t, series.targets[t % 2][row + Math.floor(t / 2)]),
  );
  expect(known[1]).toBe(-1);
  const exact = await posterior(law, context.inputs, known, 1);
  const shares = new Float64Array(law.tokens);
  const { paths = [] } = filled[2];
  for (const [number] of paths) shares[context.token(1, number)] += 1 / paths.length;
  expect(totalVariation(exact, shares)).toBeLessThan(0.05);
  // Had the other target been elsewhere, so would this one.
  const other = known.map((token, t) => (t === 0 ? law.tokens - 1 - token : token));
  expect(totalVariation(exact, await posterior(law, context.inputs, other, 1))).toBeGreaterThan(0.2);
});

test("the density of a number within its bin is the slope of the share below it", async () => {
  const made = madePanel({ rows: 40 });
  const model = await fitLikelihood(made, { ...settings, iterations: 1 });
  const { law, contexts } = modelLaw(model);
  const [context] = await contexts(made.series);
  for (const token of [0, 2, law.tokens - 1]) {
    const x = context.numbers(Int32Array.of(token, token), () => 0.4)[1];
    expect(context.token(1, x)).toBe(token);
    const slope = (context.below(1, token, x + 1e-4) - context.below(1, token, x - 1e-4)) / 2e-4;
    expect(context.logDensity(1, x)).toBeCloseTo(Math.log(slope), 4);
  }
});

/** The law of the token at one step, given those at all others. */
async function posterior(
  law: PathLaw,
  inputs: Readonly<Record<string, TypedArray>>,
  known: readonly number[],
  step: number,
): Promise<Float64Array> {
  const { tokens: K, steps: P } = law;
  const specs = Object.fromEntries(
    Object.entries(law.inputs).map(([name, { shape }]) => [name, spec([K, ...shape])]),
  );
  const program = await compile(
    ({ paths, ...given }: Readonly<Record<string, np.Array>>) => ({ logs: law.all(given, paths) }),
    { ...specs, paths: spec([K, P, K]) } as Record<string, ReturnType<typeof spec>>,
    { name: "posterior" },
  );
  const paths = new Float32Array(K * P * K);
  const tokensOf = (k: number) => known.map((token, t) => (t === step ? k : token));
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
