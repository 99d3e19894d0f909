// Measures the baselines on one data set.

import { baselines, SEASONAL_NAIVE } from "../../src/forecast/baselines/index.ts";
import type { Panel } from "../../src/forecast/types.ts";
import type { DataSet } from "./data-sets.ts";
import { type BacktestResult, type BacktestSize, measure } from "./measure.ts";

/** All baselines, the seasonal naive forecast first. They use all rows before each window. */
export async function measureBaselines(
  panel: Panel,
  set: DataSet,
  extent: BacktestSize,
): Promise<readonly BacktestResult[]> {
  const forecasters = Object.values(baselines).map((make) => make());
  forecasters.sort((a, b) => +(b.name === SEASONAL_NAIVE) - +(a.name === SEASONAL_NAIVE));
  return measure(panel, set, extent, forecasters);
}
