// ARIMA models on one set. They are slow, so they see the last rows before each window only.

import type { Panel } from "../../src/forecast/types.ts";
import type { ArimaRival } from "../python.ts";
import { arimaForecaster } from "./arima-forecaster.ts";
import { type Extent, type Measured, measure } from "./measure.ts";
import type { ForecastSet } from "./sets.ts";

/** Once, as they have no seed. */
export async function measureArima(
  panel: Panel,
  set: ForecastSet,
  extent: Extent,
  rival: ArimaRival,
): Promise<Measured> {
  const forecaster = arimaForecaster(rival);
  try {
    const [measured] = await measure(panel, set, { ...extent, inputSize: set.recent }, [forecaster]);
    return measured;
  } finally {
    await forecaster.dispose();
  }
}
