// The forecast of one daily series by a forecaster, as plain numbers.

import type { Forecaster } from "../../src/forecast/types.ts";
import { panelOf } from "./panels.ts";

export async function forecastOf(
  forecaster: Forecaster,
  values: ArrayLike<number>,
  { season = 1, horizon = 3, quantiles = [0.1, 0.5, 0.9] } = {},
) {
  const panel = panelOf({ a: values }, season);
  const [forecast] = await (await forecaster.fit(panel)).predict(panel, { horizon, quantiles });
  return { mean: [...forecast.mean], quantiles: forecast.quantiles.map((row) => [...row]) };
}
