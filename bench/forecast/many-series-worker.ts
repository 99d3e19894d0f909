// Fits and forecasts many short series, and prints the speed and the memory.
//
// Usage: forecast/many-series-worker.ts SERIES ROWS ITERATIONS

import { RandomStream } from "../../src/engine/index.ts";
import { timeGrid } from "../../src/forecast/data/time-grid.ts";
import { tokenModel } from "../../src/forecast/model/index.ts";
import type { Frequency, Panel } from "../../src/forecast/types.ts";

const [count, rows, iterations] = process.argv.slice(2).map(Number);
const [HORIZON, SEASON] = [14, 7];
const DAILY: Frequency = { unit: "day", count: 1 };

/** Random walks with a weekly sine wave. */
function panelOfMany(): Panel {
  const times = Float64Array.from({ length: rows }, (_, row) => timeGrid([0], DAILY).at(row));
  const root = RandomStream.fromSeed(0);
  return {
    series: Array.from({ length: count }, (_, i) => {
      const stream = root.split(`${i}`);
      const [size, phase] = [1 + 4 * stream.uniform(), 2 * Math.PI * stream.uniform()];
      let level = 50;
      const values = times.map((_, row) => {
        level += stream.uniform() - 0.5;
        return level + size * Math.sin((2 * Math.PI * row) / SEASON + phase);
      });
      return { id: `${i}`, times, targets: [values], covariates: {}, statics: {} };
    }),
    targets: ["y"],
    covariates: [],
    frequency: DAILY,
    season: SEASON,
  };
}

const panel = panelOfMany();
const started = performance.now();
const fitted = await tokenModel({ horizon: HORIZON, iterations, engine: "native" }).fit(panel);
const fitEnded = performance.now();
const forecasts = await fitted.predict(panel, { horizon: HORIZON, quantiles: [0.1, 0.5, 0.9] });
const ended = performance.now();
await fitted.dispose();
console.log(
  JSON.stringify({
    fitSeconds: (fitEnded - started) / 1000,
    windowsPerSecond: fitted.model.trained.windowsPerSecond,
    rate: forecasts.length / ((ended - fitEnded) / 1000),
    // Node.js reports kilobytes on all platforms.
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }),
);
