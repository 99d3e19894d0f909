import { describe, expect, test } from "vitest";
import { madePanel } from "../../../test/support/model-panels.ts";
import { cutPanel } from "../data/cut.ts";
import type { Panel, Series } from "../types.ts";
import { type FeatureOptions, fitFeatures, readSeries } from "./features.ts";
import { NORMALISERS } from "./settings.ts";
import { splitWindows } from "./training-windows.ts";
import { MISSING, windowArrays, windowSizes, writeWindow } from "./windows.ts";

const shape = { context: 10, recent: 3, horizon: 4, scaleRows: 56, drift: true, seasons: 1 };
const origin = 400;

/** The window at the origin as arrays, read by the columns of `fitted`. */
function window(
  panel: Panel,
  fitted: Panel = panel,
  at = origin,
  series = 0,
  options: Partial<FeatureOptions> = {},
) {
  const features = fitFeatures(fitted, { horizon: shape.horizon, ...options });
  const sizes = windowSizes(features, shape);
  const arrays = windowArrays(1, shape, sizes);
  const read = readSeries(features, panel.series[series], shape.horizon);
  const centrings = writeWindow({ features, shape, sizes }, { series: read, origin: at }, arrays, 0);
  return { arrays, centrings, features, sizes };
}

function changed(panel: Panel, change: (series: Series) => Partial<Series>): Panel {
  return { ...panel, series: panel.series.map((one) => ({ ...one, ...change(one) })) };
}

const panel = madePanel({ rows: 450, targets: 2, covariates: true, series: 2 });

describe("a window", () => {
  test("is the same to the bit whatever comes after its origin", () => {
    const later = (values: Float64Array) => values.map((x, row) => (row >= origin ? 1e5 - x : x));
    const other = changed(panel, ({ targets, covariates }) => ({
      targets: targets.map(later),
      covariates: { ...covariates, wind: later(covariates.wind as Float64Array) },
    }));
    const before = window(panel);
    // Columns are fitted on the same rows in both; only what a window reads may differ.
    const after = window(other, panel);
    expect(after.arrays).toEqual(before.arrays);
    expect(after.centrings).toEqual(before.centrings);
  });

  test.each(NORMALISERS)("normalised by %s is so, too, as are the normalisers themselves", (normaliser) => {
    const cutoff = panel.series[0].times[origin];
    const from = (row: number) => (values: Float64Array) => values.map((x, r) => (r >= row ? 9e4 - x : x));
    const other = (row: number) =>
      changed(panel, ({ targets, covariates: { wind, ...rest } }) => ({
        targets: targets.map(from(row)),
        covariates: { ...rest, wind: from(row)(wind as Float64Array) },
      }));
    const at = (whole: Panel) =>
      window(whole, cutPanel(whole, cutoff), origin, 0, { normaliser, columnNormaliser: "robust" });
    const { arrays, centrings, features } = at(panel);
    const [later, earlier] = [at(other(origin)), at(other(origin - 1))];
    expect(later.arrays).toEqual(arrays);
    expect(later.centrings).toEqual(centrings);
    expect(later.features).toEqual(features);
    expect(earlier.arrays).not.toEqual(arrays);
    // Quartiles are not moved by one value, and logarithms have nothing to fit.
    const moves = ["mean", "standard", "min-max", "seasonal-difference"].includes(normaliser);
    if (moves) expect(earlier.features.normalisers).not.toEqual(features.normalisers);
  });

  test("changes with what is known ahead, with targets before it and with covariates before it", () => {
    const at = (row: number) => (values: Float64Array) => values.map((x, r) => (r === row ? x + 1 : x));
    const before = window(panel).arrays;
    const ahead = changed(panel, ({ covariates }) => ({
      covariates: { ...covariates, price: at(origin + 2)(covariates.price as Float64Array) },
    }));
    expect(window(ahead, panel).arrays.known).not.toEqual(before.known);
    const target = changed(panel, ({ targets }) => ({ targets: targets.map(at(origin - 1)) }));
    expect(window(target, panel).arrays.numbers).not.toEqual(before.numbers);
    const wind = changed(panel, ({ covariates }) => ({
      covariates: { ...covariates, wind: at(origin - 3)(covariates.wind as Float64Array) },
    }));
    expect(window(wind, panel).arrays.numbers).not.toEqual(before.numbers);
  });

  test("pads a short past at its front and says so", () => {
    const { arrays, sizes } = window(panel, panel, 3);
    expect([...arrays.present]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(arrays.numbers.slice(0, 7 * sizes.channels).every((x) => x === 0)).toBe(true);
    expect(arrays.numbers.slice(7 * sizes.channels).some((x) => x !== 0)).toBe(true);
    expect([...arrays.times.slice(7)]).toEqual([-2, -1, 0]);
  });

  test("has zeros and a mask of zero for what is missing, and no NaN anywhere", () => {
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

  test("shows how the last steps differed from the season before, in the order of a path", () => {
    const { arrays, centrings } = window(panel);
    // Two targets: of the row before the last the second, then both of the last.
    const [first, second] = panel.series[0].targets;
    const expected = [
      [second, 1, 2],
      [first, 0, 1],
      [second, 1, 1],
    ] as const;
    expected.forEach(([values, j, back], i) => {
      const { before, scale } = centrings[j];
      const x = (values[origin - back] - before[before.length - back]) / scale;
      expect(arrays.recent[i]).toBeCloseTo(x, 5);
    });
    expect([...window(panel, panel, 1).arrays.recent.slice(0, 1)]).toEqual([MISSING]);
  });

  test("shows a step the same weekday and the same date of the year before", () => {
    const { arrays, centrings, features, sizes } = window(panel);
    expect(features.lags).toEqual([364, "year"]);
    const values = panel.series[0].targets[1];
    const { centre, scale } = centrings[1];
    // The second target of the third step ahead; 2020 was a leap year, so the date lies 366 days back.
    const step = (2 * 2 + 1) * sizes.known;
    const tamed = (x: number) => 4 * Math.asinh(x / scale / 4);
    expect(arrays.known[step + 12 + 2]).toBeCloseTo(tamed(values[origin + 2 - 364] - centre[2]), 5);
    expect(arrays.known[step + 12 + 4 + 2]).toBeCloseTo(tamed(values[origin + 2 - 366] - centre[2]), 5);
  });

  test("gives levels never seen and levels not given codes of their own", () => {
    const strange = changed(panel, ({ covariates }) => ({
      covariates: {
        ...covariates,
        sky: (covariates.sky as string[]).map((sky, row) => (row === origin ? "hail" : sky)),
      },
    }));
    const { arrays, features } = window(strange, panel);
    const { levels } = features.categories.find(({ name }) => name === "sky")!;
    expect(levels).toEqual(["clear", "rain", "snow"]);
    const sky = features.categories.filter(({ known }) => known).findIndex(({ name }) => name === "sky");
    const known = features.categories.filter(({ known }) => known).length;
    const codes = Array.from({ length: 8 }, (_, step) => arrays.knownCodes[step * known + sky]);
    expect(codes.slice(0, 2)).toEqual([3, 3]);
    const given = panel.series[0].covariates.sky as readonly (string | null)[];
    expect(codes[2]).toBe(given[origin + 1] === null ? 4 : levels.indexOf(given[origin + 1]!));
  });
});

describe("windows to learn from", () => {
  const features = fitFeatures(panel, { horizon: 4 });
  const read = panel.series.map((series) => readSeries(features, series, 4));

  test("never reach into the rows that validate, and both cover all there is", () => {
    const { training, validation } = splitWindows(read, { horizon: 4, season: 7, validation: 0.1 });
    expect(training.count).toBe(2 * (405 - 4 - 14 + 1));
    expect(validation.count).toBe(2 * (45 - 4 + 1));
    const origins = (set: typeof training) =>
      Array.from(
        { length: set.count },
        (_, i) => set.at(i).origin + (set.at(i).series === read[1] ? 1000 : 0),
      );
    expect(Math.max(...origins(training).map((o) => (o % 1000) + 4))).toBe(405);
    expect(Math.min(...origins(validation).map((o) => o % 1000))).toBe(405);
    expect(Math.max(...origins(validation).map((o) => (o % 1000) + 4))).toBe(450);
    expect(new Set(origins(training)).size).toBe(training.count);
  });

  test("so many rows apart share none, and the last one still ends where validation begins", () => {
    const options = { horizon: 4, season: 7, validation: 0.1 };
    const all = splitWindows(read, options);
    const apart = splitWindows(read, { ...options, windowStep: 20 });
    const origins = Array.from({ length: apart.training.count }, (_, i) => apart.training.at(i).origin);
    const ofOne = [...Array(20).keys()].map((i) => 401 - 20 * (19 - i)); // 21, 41, … 401
    expect(origins).toEqual([...ofOne, ...ofOne]);
    expect(apart.training.at(20).series).toBe(read[1]);
    expect(apart.validation.count).toBe(all.validation.count);
  });

  test("are the later half of a series that has not two seasons before them", () => {
    const { training } = splitWindows(read.slice(0, 1), { horizon: 4, season: 400, validation: 0 });
    expect([training.at(0).origin, training.at(training.count - 1).origin]).toEqual([223, 446]);
  });

  test("are all there is of a series that is short for its horizon", () => {
    const short = madePanel({ rows: 9 });
    const one = readSeries(fitFeatures(short, { horizon: 8 }), short.series[0], 8);
    const { training, validation } = splitWindows([one], { horizon: 8, season: 7, validation: 0.1 });
    // Nine rows: every origin with a row before it and one after it.
    expect([training.count, validation.count]).toEqual([8, 0]);
    expect([training.at(0).origin, training.at(7).origin]).toEqual([1, 8]);
  });
});
