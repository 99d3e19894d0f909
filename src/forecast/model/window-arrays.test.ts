import { describe, expect, test } from "vitest";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { truncatePanel } from "../data/truncate.ts";
import type { Panel, Series } from "../types.ts";
import { encodeSeries, type FeatureOptions, fitFeatures } from "./features.ts";
import { NORMALISERS } from "./settings.ts";
import { allocateWindowArrays, MISSING, windowSizes, writeWindow } from "./window-arrays.ts";

const shape = { context: 10, recent: 3, horizon: 4, scaleRows: 56, drift: true, averagedSeasons: 1 };
const origin = 400;

/** The arrays of the window at an origin, with features that are fitted to `training`. */
function window(
  panel: Panel,
  training: Panel = panel,
  at = origin,
  series = 0,
  options: Partial<FeatureOptions> = {},
) {
  const features = fitFeatures(training, { horizon: shape.horizon, ...options });
  const sizes = windowSizes(features, shape);
  const arrays = allocateWindowArrays(1, shape, sizes);
  const encoded = encodeSeries(features, panel.series[series], shape.horizon);
  const locationScales = writeWindow({ features, shape, sizes }, { series: encoded, origin: at }, arrays, 0);
  return { arrays, locationScales, features, sizes };
}

function changed(panel: Panel, change: (series: Series) => Partial<Series>): Panel {
  return { ...panel, series: panel.series.map((one) => ({ ...one, ...change(one) })) };
}

const panel = syntheticPanel({ rows: 450, targets: 2, covariates: true, series: 2 });

describe("a window", () => {
  test("does not depend on values after its origin", () => {
    const later = (values: Float64Array) => values.map((x, row) => (row >= origin ? 1e5 - x : x));
    const other = changed(panel, ({ targets, covariates }) => ({
      targets: targets.map(later),
      covariates: { ...covariates, wind: later(covariates.wind as Float64Array) },
    }));
    const before = window(panel);
    // Both use the same fitted features, so only the contents of the window could differ.
    const after = window(other, panel);
    expect(after.arrays).toEqual(before.arrays);
    expect(after.locationScales).toEqual(before.locationScales);
  });

  test.each(NORMALISERS)(
    "and the features do not depend on later values with the normaliser %s",
    (normaliser) => {
      const cutoff = panel.series[0].times[origin];
      const from = (row: number) => (values: Float64Array) => values.map((x, r) => (r >= row ? 9e4 - x : x));
      const other = (row: number) =>
        changed(panel, ({ targets, covariates: { wind, ...rest } }) => ({
          targets: targets.map(from(row)),
          covariates: { ...rest, wind: from(row)(wind as Float64Array) },
        }));
      const at = (changedPanel: Panel) =>
        window(changedPanel, truncatePanel(changedPanel, cutoff), origin, 0, {
          normaliser,
          columnNormaliser: "robust",
        });
      const { arrays, locationScales, features } = at(panel);
      const [later, earlier] = [at(other(origin)), at(other(origin - 1))];
      expect(later.arrays).toEqual(arrays);
      expect(later.locationScales).toEqual(locationScales);
      expect(later.features).toEqual(features);
      expect(earlier.arrays).not.toEqual(arrays);
      // One value does not change the quartiles, and logarithms have nothing to fit.
      const isSensitive = ["mean", "standard", "min-max", "seasonal-difference"].includes(normaliser);
      if (isSensitive) expect(earlier.features.normalisers).not.toEqual(features.normalisers);
    },
  );

  test("depends on known future covariates, on earlier targets and on earlier covariates", () => {
    const at = (row: number) => (values: Float64Array) => values.map((x, r) => (r === row ? x + 1 : x));
    const before = window(panel).arrays;
    const ahead = changed(panel, ({ covariates }) => ({
      covariates: { ...covariates, price: at(origin + 2)(covariates.price as Float64Array) },
    }));
    expect(window(ahead, panel).arrays.futureNumbers).not.toEqual(before.futureNumbers);
    const target = changed(panel, ({ targets }) => ({ targets: targets.map(at(origin - 1)) }));
    expect(window(target, panel).arrays.numbers).not.toEqual(before.numbers);
    const wind = changed(panel, ({ covariates }) => ({
      covariates: { ...covariates, wind: at(origin - 3)(covariates.wind as Float64Array) },
    }));
    expect(window(wind, panel).arrays.numbers).not.toEqual(before.numbers);
  });

  test("pads a short past at its front, with a mask", () => {
    const { arrays, sizes } = window(panel, panel, 3);
    expect([...arrays.present]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(arrays.numbers.slice(0, 7 * sizes.channels).every((x) => x === 0)).toBe(true);
    expect(arrays.numbers.slice(7 * sizes.channels).some((x) => x !== 0)).toBe(true);
    expect([...arrays.times.slice(7)]).toEqual([-2, -1, 0]);
  });

  test("has zeros and a zero mask for missing values, and no NaN", () => {
    const holes = changed(panel, ({ targets }) => ({
      targets: targets.map((values) => values.map((x, row) => (row % 3 === 0 ? Number.NaN : x))),
    }));
    const { arrays, sizes } = window(holes);
    for (const array of Object.values(arrays)) expect(array.every(Number.isFinite)).toBe(true);
    for (let t = 0; t < shape.context; t++) {
      const missing = (origin - shape.context + t) % 3 === 0;
      expect(arrays.numbers[t * sizes.channels]).toSatisfy((x: number) => (x === 0) === missing);
      expect(arrays.numbers[t * sizes.channels + 2]).toBe(missing ? 0 : 1);
    }
  });

  test("contains the standardised values of the last steps, in the order of a path", () => {
    const { arrays, locationScales } = window(panel);
    // Two targets and three steps: the second target of the row before the last, then both targets of the last row.
    const [first, second] = panel.series[0].targets;
    const expected = [
      [second, 1, 2],
      [first, 0, 1],
      [second, 1, 1],
    ] as const;
    expected.forEach(([values, j, back], i) => {
      const { recentLocation, scale } = locationScales[j];
      const x = (values[origin - back] - recentLocation[recentLocation.length - back]) / scale;
      expect(arrays.recent[i]).toBeCloseTo(x, 5);
    });
    expect([...window(panel, panel, 1).arrays.recent.slice(0, 1)]).toEqual([MISSING]);
  });

  test("contains for each step the values of the same weekday and the same date of the previous year", () => {
    const { arrays, locationScales, features, sizes } = window(panel);
    expect(features.lags).toEqual([364, "year"]);
    const values = panel.series[0].targets[1];
    const { location, scale } = locationScales[1];
    // The second target of the third future step. 2020 was a leap year, so the same date is 366 days back.
    const step = (2 * 2 + 1) * sizes.futureChannels;
    const compressed = (x: number) => 4 * Math.asinh(x / scale / 4);
    expect(arrays.futureNumbers[step + 12 + 2]).toBeCloseTo(
      compressed(values[origin + 2 - 364] - location[2]),
      5,
    );
    expect(arrays.futureNumbers[step + 12 + 4 + 2]).toBeCloseTo(
      compressed(values[origin + 2 - 366] - location[2]),
      5,
    );
  });

  test("encodes unknown levels and missing levels by separate codes", () => {
    const withHail = changed(panel, ({ covariates }) => ({
      covariates: {
        ...covariates,
        sky: (covariates.sky as string[]).map((sky, row) => (row === origin ? "hail" : sky)),
      },
    }));
    const { arrays, features } = window(withHail, panel);
    const { levels } = features.categories.find(({ name }) => name === "sky")!;
    expect(levels).toEqual(["clear", "rain", "snow"]);
    const future = features.categories.filter(({ knownInFuture }) => knownInFuture);
    const sky = future.findIndex(({ name }) => name === "sky");
    const codes = Array.from({ length: 8 }, (_, step) => arrays.futureCodes[step * future.length + sky]);
    expect(codes.slice(0, 2)).toEqual([3, 3]);
    const observed = panel.series[0].covariates.sky as readonly (string | null)[];
    expect(codes[2]).toBe(observed[origin + 1] === null ? 4 : levels.indexOf(observed[origin + 1]!));
  });
});
