// The model on one set, with its default settings.

import { type FittedFlowForecaster, flowForecaster } from "../../src/forecast/model/index.ts";
import type { Forecaster, Panel } from "../../src/forecast/types.ts";
import { type Extent, type Measured, measure } from "./measure.ts";
import type { ForecastSet } from "./sets.ts";

export interface MeasuredModel extends Measured {
  /** Seconds of the processor that fitting took, which other work beside it changes little. */
  readonly fitCpuSeconds: number;
}

/** Fitted once, on what is before the first window. */
export async function measureModel(
  panel: Panel,
  set: ForecastSet,
  extent: Extent,
  seed: number,
): Promise<MeasuredModel> {
  const { iterations } = extent;
  const model = flowForecaster({ horizon: set.horizon, seed, iterations, engine: "native" });
  let fitted: FittedFlowForecaster | undefined;
  let fitCpuSeconds = 0;
  const once: Forecaster = {
    name: model.name,
    async fit(given, options) {
      const before = process.cpuUsage();
      fitted = await model.fit(given, options);
      const { user, system } = process.cpuUsage(before);
      fitCpuSeconds = (user + system) / 1e6;
      return fitted;
    },
  };
  try {
    const [measured] = await measure(panel, set, extent, [once]);
    return { ...measured, fitCpuSeconds };
  } finally {
    await fitted?.dispose();
  }
}
