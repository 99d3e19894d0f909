// The scale on which regressions see scores. A few scores may be larger than all others by orders of magnitude, and squared
// errors would then be about them alone. So scores are mapped by w · asinh((y − m) / w) around their median m: near the
// median this is y − m, far above it grows like a logarithm. How far a bad score lies below the others tells nothing about the
// good ones, and may be a sign of failure, so all scores below m − w are taken for m − w.

import { median } from "../math/statistics.ts";

export interface TargetScale {
  /** The lowest score that counts as such. */
  readonly least: number;
  /** From a score to the scale of regressions. */
  scaled(score: number): number;
  /** Back to a score. */
  score(scaled: number): number;
}

/** Distances above the median up to this many typical ones are hardly changed. */
const TYPICAL = 10;

/** The scale of a set of scores. */
export function targetScale(scores: ArrayLike<number>): TargetScale {
  const centre = median(scores);
  const distances = Array.from(scores, (score) => Math.abs(score - centre)).filter(
    (distance) => distance > 0,
  );
  const width = distances.length > 0 ? TYPICAL * median(distances) : 1;
  const least = centre - width;
  return {
    least,
    scaled: (score) => width * Math.asinh((Math.max(score, least) - centre) / width),
    score: (scaled) => centre + width * Math.sinh(scaled / width),
  };
}
