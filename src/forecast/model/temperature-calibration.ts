// Calibrates the temperatures of sampling: central prediction intervals should contain their nominal share of the true
// values of validation windows. The log temperature is linear in the step, since early and late steps can differ in
// their miscalibration.

import type { RandomStream } from "../../engine/index.ts";
import { forecastNetwork } from "./forecast-network.ts";
import { quantileOfSamples } from "./quantiser.ts";
import { type WindowPosition, windowSizes } from "./window-arrays.ts";
import { type ModelWithoutReport, type WindowSampler, windowSampler } from "./window-sampler.ts";

/** Nominal coverages of the intervals. */
const LEVELS = [0.5, 0.8, 0.95];
const TARGET_COVERAGE = LEVELS.reduce((sum, level) => sum + level) / LEVELS.length;
const PATHS = 64;
/** Temperatures stay within a factor of 2 of 1, since a few windows are weak evidence. */
const MAX_LOG_TEMPERATURE = Math.log(2);
/**
 * Derivative of the mean coverage with respect to the log temperature of a normal distribution, whose standard deviation
 * is proportional to the root of the temperature.
 */
const COVERAGE_GAIN = 0.18;
const ROUNDS = 4;

/** Log temperatures of the first and the last step. */
type LogTemperatures = readonly [first: number, last: number];

/** The parameters of the model with calibrated temperatures. */
export async function calibrateTemperatures(
  model: ModelWithoutReport,
  windows: readonly WindowPosition[],
  stream: RandomStream,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const sampler = windowSampler(model);
  try {
    let [first, last]: LogTemperatures = [0, 0];
    for (let i = 0; i < ROUNDS; i++) {
      const parameters = withTemperatures(model, [first, last]);
      const [early, late] = await coverage(sampler, parameters, windows, stream, signal);
      // Changes of the log temperature at the middle of each half, extrapolated linearly to the first and the last
      // step.
      const [a, b] = [(TARGET_COVERAGE - early) / COVERAGE_GAIN, (TARGET_COVERAGE - late) / COVERAGE_GAIN];
      [first, last] = [clipped(first + 1.5 * a - 0.5 * b), clipped(last + 1.5 * b - 0.5 * a)];
    }
    return withTemperatures(model, [first, last]);
  } finally {
    await sampler.dispose();
  }
}

function clipped(logTemperature: number): number {
  return Math.max(-MAX_LOG_TEMPERATURE, Math.min(MAX_LOG_TEMPERATURE, logTemperature));
}

/** Temperature of each step in sampling, [P]. */
export function temperaturesOf(model: ModelWithoutReport): Float32Array {
  const { start, end } = temperatureRange(model);
  return model.parameters.slice(start, end).map(Math.exp);
}

function withTemperatures(model: ModelWithoutReport, [first, last]: LogTemperatures): Float32Array {
  const parameters = model.parameters.slice();
  const { start, end } = temperatureRange(model);
  for (let i = start; i < end; i++) {
    const fraction = end - start > 1 ? (i - start) / (end - start - 1) : 0.5;
    parameters[i] = first + fraction * (last - first);
  }
  return parameters;
}

/** Start and end of the log temperatures in the flat vector of parameters. */
function temperatureRange({ settings, shape, features, bins }: ModelWithoutReport) {
  const { entries } = forecastNetwork(settings, shape, windowSizes(features, shape), bins).layout;
  const { offset, size } = entries.find(({ path }) => path === "logTemperature")!;
  return { start: offset, end: offset + size };
}

/** Share of the true values within the central intervals, averaged over the levels, in each half of the steps. */
async function coverage(
  sampler: WindowSampler,
  parameters: Float32Array,
  windows: readonly WindowPosition[],
  stream: RandomStream,
  signal?: AbortSignal,
): Promise<[early: number, late: number]> {
  const [covered, count] = [
    [0, 0],
    [0, 0],
  ];
  const samples = sampler.sample({
    count: windows.length,
    // Equal random numbers at all temperatures reduce the variance of the comparison.
    window: (i) => ({ ...windows[i], stream: stream.split(`${i}`) }),
    samples: PATHS,
    parameters,
    signal,
  });
  let index = 0;
  for await (const byTarget of samples) {
    const { series, origin } = windows[index++];
    byTarget.forEach(({ paths }, j) => {
      const H = paths[0].length;
      for (let h = 0; h < H; h++) {
        const truth = series.observed[j][origin + h];
        if (!Number.isFinite(truth)) continue;
        const sorted = Float64Array.from(paths, (path) => path[h]).sort();
        const half = +(2 * h >= H);
        for (const level of LEVELS) {
          const [low, high] = [(1 - level) / 2, (1 + level) / 2].map((p) => quantileOfSamples(sorted, p));
          covered[half] += +(truth >= low && truth <= high);
          count[half]++;
        }
      }
    });
  }
  const share = (half: number) => (count[half] > 0 ? covered[half] / count[half] : TARGET_COVERAGE);
  return [share(0), share(1)];
}
