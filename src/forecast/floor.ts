// A floor at 0: series that never were negative, such as counts, sales and loads, get no negative forecast.

import type { Forecast, Forecaster, Panel } from "./types.ts";

/**
 * Wraps a forecaster so that forecasts of a target that never was below 0, in the rows that it is forecast from, are at
 * least 0: paths, quantiles, mean and the closed form of the distribution.
 */
export function withFloor(forecaster: Forecaster): Forecaster {
  return {
    ...{ name: forecaster.name, kind: forecaster.kind },
    async fit(panel, options) {
      const fitted = await forecaster.fit(panel, options);
      return {
        ...fitted,
        async predict(next, request) {
          const forecasts = await fitted.predict(next, request);
          return forecasts.map((forecast, i) => (wasNegative(next, i) ? forecast : atLeastZero(forecast)));
        },
      };
    },
  };
}

/** Whether the target of a forecast, which are in the order of series and targets, has a value below 0. */
function wasNegative({ series, targets }: Panel, index: number): boolean {
  const values = series[Math.floor(index / targets.length)].targets[index % targets.length];
  return values.some((value) => value < 0);
}

/** Moves all values below 0 to 0. The mean of paths is the mean of the moved paths. */
export function atLeastZero(forecast: Forecast): Forecast {
  const { mean, median, point, quantiles, distribution, paths } = forecast;
  const moved = paths?.map(clipped);
  const isMoved = moved?.some((path, i) => path !== paths![i]);
  return {
    ...forecast,
    // Without a path below 0 the mean stays the same to the bit.
    mean: moved && isMoved ? meanOfPaths(moved) : clipped(mean),
    quantiles: quantiles.map(clipped),
    ...(median && { median: clipped(median) }),
    ...(point && { point: clipped(point) }),
    ...(moved && { paths: moved }),
    ...(distribution && { distribution: { ...distribution, floor: 0 } }),
  };
}

/** The values with 0 in place of those below; the same array if there are none. */
function clipped(values: Float64Array): Float64Array {
  return values.some((value) => value < 0) ? values.map((value) => (value < 0 ? 0 : value)) : values;
}

function meanOfPaths(paths: readonly Float64Array[]): Float64Array {
  return paths[0].map((_, h) => paths.reduce((sum, path) => sum + path[h], 0) / paths.length);
}
