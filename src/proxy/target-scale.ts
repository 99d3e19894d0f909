// The scale on which regressions see scores. A few scores may be larger than all others by orders of magnitude, and squared
// errors would then be about them alone. So scores are mapped by w · asinh((y − m) / w) around their median m: near the
// median this is y − m, far away it grows like a logarithm.

import { median } from "../math/statistics.ts";

export interface TargetScale {
  /** From a score to the scale of regressions. */
  scaled(score: number): number;
  /** Back to a score. */
  score(scaled: number): number;
}

/** Distances from the median up to this many typical ones are hardly changed. */
const TYPICAL = 10;

/** The scale of a set of scores. */
export function targetScale(scores: ArrayLike<number>): TargetScale {
  const centre = median(scores);
  const distances = Array.from(scores, (score) => Math.abs(score - centre)).filter(
    (distance) => distance > 0,
  );
  const width = distances.length > 0 ? TYPICAL * median(distances) : 1;
  return {
    scaled: (score) => width * Math.asinh((score - centre) / width),
    score: (scaled) => centre + width * Math.sinh(scaled / width),
  };
}
