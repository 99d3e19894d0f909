import { expect, test } from "vitest";
import { syntheticPanel } from "../../../test/support/synthetic-panel.ts";
import { RandomStream } from "../../engine/index.ts";
import { encodeSeries, fitFeatures } from "./features.ts";
import { chooseAveragedSeasons } from "./standardised-values.ts";
import { splitWindows } from "./window-split.ts";

const horizon = 3;
const shape = { context: 14, recent: 8, horizon, scaleRows: 56, drift: false, averagedSeasons: 4 };

test("the chosen location is the mean of four seasons for noise and the last value for a random walk", () => {
  const panel = syntheticPanel({ rows: 200 });
  const features = fitFeatures(panel, { horizon, lags: [] });
  const chosenFor = (change: (values: Float64Array) => Float64Array) => {
    const series = panel.series.map((one) =>
      encodeSeries(features, { ...one, targets: one.targets.map(change) }, horizon),
    );
    const { training } = splitWindows(series, { horizon, season: features.season, validationShare: 0 });
    return chooseAveragedSeasons(features, shape, training, () => RandomStream.fromSeed(2));
  };
  const cumulativeSum = (values: Float64Array) => {
    let sum = 0;
    return values.map((x) => {
      sum += x - 10;
      return sum;
    });
  };
  expect(chosenFor((values) => values)).toBe(4);
  expect(chosenFor(cumulativeSum)).toBe(0);
});
