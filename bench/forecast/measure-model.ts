// Measures the learned model with its default settings on one data set.

import { type FittedTokenModel, tokenModel } from "../../src/forecast/model/index.ts";
import type { Forecaster, Panel } from "../../src/forecast/types.ts";
import type { DataSet } from "./data-sets.ts";
import { type BacktestResult, type BacktestSize, measure } from "./measure.ts";

export interface ModelResult extends BacktestResult {
  /** CPU seconds of fitting, which depend little on other processes. */
  readonly fitCpuSeconds: number;
}

/** Fits once, on the rows before the first window. */
export async function measureModel(
  panel: Panel,
  set: DataSet,
  extent: BacktestSize,
  seed: number,
): Promise<ModelResult> {
  const { iterations } = extent;
  const model = tokenModel({ horizon: set.horizon, seed, iterations, engine: "native" });
  let fitted: FittedTokenModel | undefined;
  let fitCpuSeconds = 0;
  const once: Forecaster = {
    name: model.name,
    async fit(panel, options) {
      const before = process.cpuUsage();
      fitted = await model.fit(panel, options);
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
