import { expect, test } from "vitest";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { encodeSeries, fitFeatures } from "./features.ts";
import { splitWindows } from "./window-split.ts";

const panel = syntheticPanel({ rows: 450, targets: 2, covariates: true, series: 2 });
const features = fitFeatures(panel, { horizon: 4 });
const encoded = panel.series.map((series) => encodeSeries(features, series, 4));

test("the split keeps training windows apart from validation rows, and uses all rows", () => {
  const { training, validation } = splitWindows(encoded, { horizon: 4, season: 7, validationShare: 0.1 });
  expect(training.count).toBe(2 * (405 - 4 - 14 + 1));
  expect(validation.count).toBe(2 * (45 - 4 + 1));
  const origins = (set: typeof training) =>
    Array.from(
      { length: set.count },
      (_, i) => set.at(i).origin + (set.at(i).series === encoded[1] ? 1000 : 0),
    );
  expect(Math.max(...origins(training).map((o) => (o % 1000) + 4))).toBe(405);
  expect(Math.min(...origins(validation).map((o) => o % 1000))).toBe(405);
  expect(Math.max(...origins(validation).map((o) => (o % 1000) + 4))).toBe(450);
  expect(new Set(origins(training)).size).toBe(training.count);
});

test("a window step of n keeps every n-th training window, counted back from the validation rows", () => {
  const options = { horizon: 4, season: 7, validationShare: 0.1 };
  const all = splitWindows(encoded, options);
  const sparse = splitWindows(encoded, { ...options, windowStep: 20 });
  const origins = Array.from({ length: sparse.training.count }, (_, i) => sparse.training.at(i).origin);
  const ofOneSeries = [...Array(20).keys()].map((i) => 401 - 20 * (19 - i)); // 21, 41, … 401
  expect(origins).toEqual([...ofOneSeries, ...ofOneSeries]);
  expect(sparse.training.at(20).series).toBe(encoded[1]);
  expect(sparse.validation.count).toBe(all.validation.count);
});

test("training starts in the middle of a series that is too short for two preceding seasons", () => {
  const { training } = splitWindows(encoded.slice(0, 1), { horizon: 4, season: 400, validationShare: 0 });
  expect([training.at(0).origin, training.at(training.count - 1).origin]).toEqual([223, 446]);
});

test("training uses all windows of a series that is short for its horizon", () => {
  const short = syntheticPanel({ rows: 9 });
  const one = encodeSeries(fitFeatures(short, { horizon: 8 }), short.series[0], 8);
  const { training, validation } = splitWindows([one], { horizon: 8, season: 7, validationShare: 0.1 });
  // Nine rows: every origin with at least one row before it and one after it.
  expect([training.count, validation.count]).toEqual([8, 0]);
  expect([training.at(0).origin, training.at(7).origin]).toEqual([1, 8]);
});
