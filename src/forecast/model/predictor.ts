// Forecasts of a trained model: samples paths for every series and summarises them by mean and quantiles.

import { RandomStream } from "../../engine/index.ts";
import { UserError } from "../../issues.ts";
import { mean as meanOf } from "../../math/statistics.ts";
import type { Forecast, ForecastRequest, Panel } from "../types.ts";
import { encodeSeries } from "./features.ts";
import { quantileOfSamples } from "./quantiser.ts";
import type { ForecastModel } from "./train.ts";
import { windowSampler } from "./window-sampler.ts";

/** Keeps its compiled program between predictions, until `dispose`. */
export interface Predictor {
  predict(panel: Panel, request: ForecastRequest): Promise<readonly Forecast[]>;
  dispose(): Promise<void>;
}

/** Creates a predictor from a trained forecasting model. */
export function predictor(model: ForecastModel): Predictor {
  const { settings, features, shape } = model;
  const sampler = windowSampler(model);
  return {
    async predict({ series, targets }, { horizon, quantiles, samples = settings.samples, signal }) {
      if (!Number.isInteger(horizon) || horizon < 1 || horizon > shape.horizon) {
        const message = `must be a whole number from 1 to ${shape.horizon}, the horizon of the model, got ${horizon}`;
        throw new UserError([{ path: "horizon", code: "range", message }]);
      }
      if (JSON.stringify(targets) !== JSON.stringify(features.targets)) {
        throw new UserError(
          `the panel must have the targets ${features.targets.join(", ")}, got ${targets.join(", ")}`,
        );
      }
      // The samples of a series depend on the seed and the id of the series, not on the other series of the panel.
      const root = RandomStream.fromSeed(settings.seed).split("paths");
      const sampled = sampler.sample({
        count: series.length,
        window(index) {
          const { id, times } = series[index];
          const encoded = encodeSeries(features, series[index], shape.horizon);
          const stream = root.split(id).split(String(times.length));
          return { series: encoded, origin: encoded.rows, stream };
        },
        samples,
        signal,
      });
      const forecasts: Forecast[] = [];
      let index = 0;
      for await (const byTarget of sampled) {
        const { id } = series[index++];
        targets.forEach((target, j) => {
          const paths = byTarget[j].paths.map((path) => path.slice(0, horizon));
          const point = byTarget[j].point?.slice(0, horizon);
          forecasts.push({
            ...{ id, target, ...summarisePaths(paths, horizon, quantiles), paths },
            ...(point && { point }),
          });
        });
      }
      return forecasts;
    },
    dispose: sampler.dispose,
  };
}

/** Mean, median and quantiles of each step. All quantiles come from the same sorted samples, so they never cross. */
export function summarisePaths(
  paths: readonly Float64Array[],
  horizon: number,
  levels: readonly number[],
): Required<Pick<Forecast, "mean" | "median" | "quantiles">> {
  const mean = new Float64Array(horizon);
  const median = new Float64Array(horizon);
  const quantiles = levels.map(() => new Float64Array(horizon));
  for (let h = 0; h < horizon; h++) {
    const sorted = Float64Array.from(paths, (path) => path[h]).sort();
    mean[h] = meanOf(sorted);
    median[h] = quantileOfSamples(sorted, 0.5);
    levels.forEach((level, i) => {
      quantiles[i][h] = quantileOfSamples(sorted, level);
    });
  }
  return { mean, median, quantiles };
}
