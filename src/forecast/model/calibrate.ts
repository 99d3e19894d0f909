// How sure the drawn paths may be: the temperatures at which intervals hold as much of the truth as they say, on windows
// that training did not see. What is wrong early on is often not what is wrong late, so they go in a line from the first
// step to the last.

import type { RandomStream } from "../../engine/index.ts";
import { type DrawnModel, windowSampler } from "./draw.ts";
import { forecastNetwork } from "./network.ts";
import { quantileOfDraws } from "./quantiser.ts";
import { type WindowPlace, windowSizes } from "./windows.ts";

/** Shares of central intervals that are compared with what they hold. */
const LEVELS = [0.5, 0.8, 0.95];
const WANTED = LEVELS.reduce((sum, level) => sum + level) / LEVELS.length;
const PATHS = 64;
/** Temperatures stay within a factor of this, as few windows can say little. */
const FARTHEST = Math.log(2);
/** What coverage gains by log temperature under a normal law, whose deviation goes with the root of its temperature. */
const GAIN = 0.18;
const TRIES = 4;

/** Logarithms of the temperatures of the first and the last step. */
type Ends = readonly [first: number, last: number];

/** The parameters with the temperatures that these windows ask for. */
export async function calibrated(
  model: DrawnModel,
  windows: readonly WindowPlace[],
  stream: RandomStream,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const sampler = windowSampler(model);
  try {
    let ends: Ends = [0, 0];
    for (let i = 0; i < TRIES; i++) {
      const parameters = withTemperatures(model, ends);
      const [early, late] = await shareHeld(sampler, parameters, windows, stream, signal);
      // Halves of a line: their middles are moved as each asks for, and the ends with them.
      const [a, b] = [(WANTED - early) / GAIN, (WANTED - late) / GAIN];
      ends = [limited(ends[0] + 1.5 * a - 0.5 * b), limited(ends[1] + 1.5 * b - 0.5 * a)];
    }
    return withTemperatures(model, ends);
  } finally {
    await sampler.dispose();
  }
}

function limited(logTemperature: number): number {
  return Math.max(-FARTHEST, Math.min(FARTHEST, logTemperature));
}

/** What the logits of each step are divided by when paths are drawn, [P]. */
export function temperaturesOf(model: DrawnModel): Float32Array {
  const { start, end } = placeOf(model);
  return model.parameters.slice(start, end).map(Math.exp);
}

function withTemperatures(model: DrawnModel, [first, last]: Ends): Float32Array {
  const parameters = model.parameters.slice();
  const { start, end } = placeOf(model);
  for (let i = start; i < end; i++) {
    const share = end - start > 1 ? (i - start) / (end - start - 1) : 0.5;
    parameters[i] = first + share * (last - first);
  }
  return parameters;
}

function placeOf({ settings, shape, features, bins }: DrawnModel) {
  const { entries } = forecastNetwork(settings, shape, windowSizes(features, shape), bins).layout;
  const { offset, size } = entries.find(({ path }) => path === "logTemperature")!;
  return { start: offset, end: offset + size };
}

/** Share of the truth within central intervals, mean over the levels, in the first and in the second half of the steps. */
async function shareHeld(
  sampler: ReturnType<typeof windowSampler>,
  parameters: Float32Array,
  windows: readonly WindowPlace[],
  stream: RandomStream,
  signal?: AbortSignal,
): Promise<[early: number, late: number]> {
  const [held, count] = [
    [0, 0],
    [0, 0],
  ];
  const drawn = sampler.draw({
    count: windows.length,
    // The same random numbers at all temperatures, so that only these differ.
    window: (i) => ({ ...windows[i], stream: stream.split(`${i}`) }),
    samples: PATHS,
    parameters,
    signal,
  });
  let index = 0;
  for await (const ofTargets of drawn) {
    const { series, origin } = windows[index++];
    ofTargets.forEach(({ paths }, j) => {
      const H = paths[0].length;
      for (let h = 0; h < H; h++) {
        const truth = series.observed[j][origin + h];
        if (!Number.isFinite(truth)) continue;
        const sorted = Float64Array.from(paths, (path) => path[h]).sort();
        const half = +(2 * h >= H);
        for (const level of LEVELS) {
          const [low, high] = [(1 - level) / 2, (1 + level) / 2].map((p) => quantileOfDraws(sorted, p));
          held[half] += +(truth >= low && truth <= high);
          count[half]++;
        }
      }
    });
  }
  const share = (half: number) => (count[half] > 0 ? held[half] / count[half] : WANTED);
  return [share(0), share(1)];
}
