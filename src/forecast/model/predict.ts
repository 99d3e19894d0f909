// Forecasts of a trained model: paths drawn for every series, and what they come to at each step.

import { RandomStream } from "../../engine/index.ts";
import type { Forecast, ForecastRequest, Panel } from "../types.ts";
import { windowSampler } from "./draw.ts";
import { readSeries } from "./features.ts";
import type { ForecastModel } from "./likelihood.ts";
import { quantileOfDraws } from "./quantiser.ts";

/** Draws for panels, as often as asked; keeps its program. */
export interface PathSampler {
  predict(panel: Panel, request: ForecastRequest): Promise<readonly Forecast[]>;
  dispose(): Promise<void>;
}

export function pathSampler(model: ForecastModel): PathSampler {
  const { settings, features, shape } = model;
  const sampler = windowSampler(model);
  return {
    async predict({ series, targets }, { horizon, quantiles, samples = settings.samples, signal }) {
      if (!Number.isInteger(horizon) || horizon < 1 || horizon > shape.horizon) {
        throw new RangeError(
          `forecast: horizon must be a whole number from 1 to ${shape.horizon}, which was learned, got ${horizon}`,
        );
      }
      if (JSON.stringify(targets) !== JSON.stringify(features.targets)) {
        throw new RangeError(
          `forecast: the panel must have the targets ${features.targets.join(", ")}, got ${targets.join(", ")}`,
        );
      }
      // What is drawn for a series depends on the seed and its name, not on the series beside it.
      const root = RandomStream.fromSeed(settings.seed).split("paths");
      const drawn = sampler.draw({
        count: series.length,
        window(index) {
          const { id, times } = series[index];
          const read = readSeries(features, series[index], shape.horizon);
          return { series: read, origin: read.rows, stream: root.split(id).split(String(times.length)) };
        },
        samples,
        signal,
      });
      const forecasts: Forecast[] = [];
      let place = 0;
      for await (const ofTargets of drawn) {
        const { id } = series[place++];
        targets.forEach((target, j) => {
          const paths = ofTargets[j].paths.map((path) => path.slice(0, horizon));
          const point = ofTargets[j].point?.slice(0, horizon);
          forecasts.push({
            ...{ id, target, ...summary(paths, horizon, quantiles), paths },
            ...(point && { point }),
          });
        });
      }
      return forecasts;
    },
    dispose: sampler.dispose,
  };
}

/** Mean and quantiles of each step. They are of one sorted set of numbers, so they never cross. */
export function summary(
  paths: readonly Float64Array[],
  horizon: number,
  asked: readonly number[],
): Pick<Forecast, "mean" | "quantiles"> {
  const mean = new Float64Array(horizon);
  const quantiles = asked.map(() => new Float64Array(horizon));
  for (let h = 0; h < horizon; h++) {
    const sorted = Float64Array.from(paths, (path) => path[h]).sort();
    mean[h] = sorted.reduce((sum, x) => sum + x, 0) / sorted.length;
    asked.forEach((p, i) => {
      quantiles[i][h] = quantileOfDraws(sorted, p);
    });
  }
  return { mean, quantiles };
}
