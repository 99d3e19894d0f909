// Standardised values of training windows: the sample that bins are fitted to, and the choice of the best location.

import type { RandomStream } from "../../engine/index.ts";
import { TooLittleData } from "../too-little-data.ts";
import type { Features } from "./features.ts";
import { locationScale, standardise } from "./location-scale.ts";
import type { WindowShape } from "./window-arrays.ts";
import type { WindowSet } from "./window-split.ts";

/** Largest number of values in a sample. */
const MOST_VALUES = 50_000;
/** Absolute values are clipped to this number when locations are compared, so that outliers do not dominate. */
const CLIP = 10;

/** (value − location) / scale in all training windows if they are few, else in random ones. */
export function sampleStandardisedValues(
  features: Features,
  shape: WindowShape,
  training: WindowSet,
  stream: RandomStream,
): Float64Array {
  const { season, targets } = features;
  const sampled: number[] = [];
  const mostWindows = Math.ceil((2 * MOST_VALUES) / (shape.horizon * targets.length));
  const useAll = training.count <= mostWindows;
  for (let i = 0; i < (useAll ? training.count : mostWindows) && sampled.length < MOST_VALUES; i++) {
    const { series, origin } = useAll ? training.at(i) : training.sample(stream);
    for (const values of series.targets) {
      const scaling = locationScale(values, origin, { ...shape, season, recent: 0 });
      for (let h = 0; h < shape.horizon && origin + h < series.rows; h++) {
        const x = standardise(scaling, h, values[origin + h]);
        if (Number.isFinite(x)) sampled.push(x);
      }
    }
  }
  if (sampled.length === 0)
    throw new TooLittleData(
      "at least one target value must follow two different earlier values of its series, got none",
    );
  return Float64Array.from(sampled);
}

/** Chooses the number of averaged seasons that gives the smallest standardised values: 0 (the last value), 1 or 4. */
export function chooseAveragedSeasons(
  features: Features,
  shape: WindowShape,
  training: WindowSet,
  stream: () => RandomStream,
): number {
  let best = { averagedSeasons: 0, size: Number.POSITIVE_INFINITY };
  for (const averagedSeasons of features.season > 1 ? [4, 1, 0] : [0, 4]) {
    const values = sampleStandardisedValues(features, { ...shape, averagedSeasons }, training, stream());
    const size = values.reduce((sum, x) => sum + Math.min(Math.abs(x), CLIP), 0) / values.length;
    if (size < best.size) best = { averagedSeasons, size };
  }
  return best.averagedSeasons;
}
