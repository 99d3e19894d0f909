// The distance between strings of a problem.

import type { DistanceName } from "../math/bounded-distance.ts";
import type { Problem } from "../problem/problem.ts";

/** The Hamming distance if all strings have one length, else the edit distance. */
export function distanceOf({ space }: Pick<Problem, "space">): DistanceName {
  return space.length.min === space.length.max ? "hamming" : "edit";
}
