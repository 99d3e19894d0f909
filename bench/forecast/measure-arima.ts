// Measures ARIMA models on one data set. They are slow, so they are fitted only to the last rows before each window.

import type { Panel } from "../../src/forecast/types.ts";
import type { ArimaRival } from "../python.ts";
import { arimaForecaster } from "./arima-forecaster.ts";
import type { DataSet } from "./data-sets.ts";
import { type BacktestResult, type BacktestSize, measure } from "./measure.ts";

/** ARIMA models have no seed, so they run once. */
export async function measureArima(
  panel: Panel,
  set: DataSet,
  extent: BacktestSize,
  rival: ArimaRival,
): Promise<BacktestResult> {
  const forecaster = arimaForecaster(rival);
  try {
    const [measured] = await measure(panel, set, { ...extent, inputSize: set.recentRows }, [forecaster]);
    return measured;
  } finally {
    await forecaster.dispose();
  }
}
