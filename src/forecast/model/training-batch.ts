// Windows with their truth, as the training programs take them; and the differences that bins are fitted to.

import type { RandomStream, TypedArray } from "../../engine/index.ts";
import { centring, differenceFrom } from "./centring.ts";
import type { Features } from "./features.ts";
import type { ForecastNetwork } from "./network.ts";
import { type Bins, tokenOf } from "./quantiser.ts";
import type { WindowSet } from "./training-windows.ts";
import {
  type WindowArrays,
  type WindowPlace,
  type WindowPlan,
  type WindowShape,
  windowArrays,
  writeWindow,
} from "./windows.ts";

type HostBatch = Readonly<Record<string, TypedArray>>;
export type BatchWriter = (places: readonly WindowPlace[]) => HostBatch;

/** Writes windows with their truth; places beyond those given count for nothing. */
export function batchWriter(
  plan: WindowPlan,
  bins: Bins,
  batch: number,
  network: ForecastNetwork,
): BatchWriter {
  const P = plan.sizes.steps;
  const M = plan.features.targets.length;
  const arrays = windowArrays(batch, plan.shape, plan.sizes);
  const tokens = new Int32Array(batch * P);
  const weights = new Float32Array(batch * P);
  const differences = new Float32Array(batch * P);
  const read = Object.keys(network.specs(batch)) as (keyof WindowArrays)[];
  const inputs = {
    ...Object.fromEntries(read.map((name) => [name, arrays[name]])),
    tokens,
    weights,
    ...(network.point && { differences }),
  };
  return (places) => {
    weights.fill(0);
    places.forEach((place, index) => {
      const { series, origin } = place;
      const centrings = writeWindow(plan, place, arrays, index);
      for (let step = 0; step < P; step++) {
        const [h, j] = [Math.floor(step / M), step % M];
        const row = origin + h;
        const x = row < series.rows ? differenceFrom(centrings[j], h, series.targets[j][row]) : Number.NaN;
        const at = index * P + step;
        const known = Number.isFinite(x);
        tokens[at] = known ? tokenOf(bins, x) : UNKNOWN;
        weights[at] = known ? 1 : 0;
        differences[at] = known ? Math.max(-POINT_LIMIT, Math.min(POINT_LIMIT, x)) : 0;
      }
    });
    return inputs;
  };
}

/** No token: a row of zeros where it is one-hot. */
const UNKNOWN = -1;
/** Beyond this, one odd value would move the point head more than all others. */
const POINT_LIMIT = 20;

/** (truth − centre) / scale of random training windows. */
export function sampleDifferences(
  features: Features,
  shape: WindowShape,
  training: WindowSet,
  stream: RandomStream,
): Float64Array {
  const { season, targets } = features;
  const found: number[] = [];
  const tries = Math.ceil((2 * MOST_DIFFERENCES) / (shape.horizon * targets.length));
  const listed = training.count <= tries;
  for (let i = 0; i < (listed ? training.count : tries) && found.length < MOST_DIFFERENCES; i++) {
    const { series, origin } = listed ? training.at(i) : training.draw(stream);
    for (const values of series.targets) {
      const expected = centring(values, origin, { ...shape, season, rows: shape.scaleRows });
      for (let h = 0; h < shape.horizon && origin + h < series.rows; h++) {
        const x = differenceFrom(expected, h, values[origin + h]);
        if (Number.isFinite(x)) found.push(x);
      }
    }
  }
  if (found.length === 0)
    throw new RangeError(
      "forecast: the targets must have values to learn from, after others that differ; got none",
    );
  return Float64Array.from(found);
}

/** How many seasons' mean is nearest to what comes: of the last value, the last season and the mean of four. */
export function nearestSeasons(
  features: Features,
  shape: WindowShape,
  training: WindowSet,
  stream: () => RandomStream,
): number {
  let best = { seasons: 0, size: Number.POSITIVE_INFINITY };
  for (const seasons of features.season > 1 ? [4, 1, 0] : [0, 4]) {
    const differences = sampleDifferences(features, { ...shape, seasons }, training, stream());
    // What is far off in any case must not decide.
    const size = differences.reduce((sum, x) => sum + Math.min(Math.abs(x), FAR), 0) / differences.length;
    if (size < best.size) best = { seasons, size };
  }
  return best.seasons;
}

const FAR = 10;

/** Differences by which bins are fitted, at most. */
const MOST_DIFFERENCES = 50_000;
