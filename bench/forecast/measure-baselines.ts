// The baselines on one set.

import { baselines, SEASONAL_NAIVE } from "../../src/forecast/baselines/index.ts";
import type { Panel } from "../../src/forecast/types.ts";
import { type Extent, type Measured, measure } from "./measure.ts";
import type { ForecastSet } from "./sets.ts";

/** All of them, the seasonal naive forecast first; they look at each series anew in each window. */
export async function measureBaselines(
  panel: Panel,
  set: ForecastSet,
  extent: Extent,
): Promise<readonly Measured[]> {
  const forecasters = Object.values(baselines).map((make) => make());
  forecasters.sort((a, b) => +(b.name === SEASONAL_NAIVE) - +(a.name === SEASONAL_NAIVE));
  return measure(panel, set, extent, forecasters);
}
