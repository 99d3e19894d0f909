// Uniformly drawn legal strings that are far apart, for a first round without any score.

import type { RandomStream } from "../../engine/random-stream.ts";
import type { ConstrainedSequenceEnvironment } from "../../gfn/environment/constrained-sequence.ts";
import { boundedDistancesFrom, type DistanceName } from "../../math/bounded-distance.ts";
import { codesOf } from "../../math/edit-distance.ts";

export interface UniformStringsOptions {
  readonly count: number;
  /** Strings are farther apart than this, if there are enough. */
  readonly radius: number;
  readonly distance: DistanceName;
  /** Whether a string may be chosen. */
  isNew(string: string): boolean;
  readonly stream: RandomStream;
}

/** Draws for each string, and the most draws if few strings are new. */
const [DRAWS, MOST_DRAWS] = [20, 1000];

/** Up to `count` strings, in the order in which they were drawn: first those that are far apart, then others. */
export function uniformStrings(
  environment: Pick<ConstrainedSequenceEnvironment, "uniformObject" | "describe">,
  { count, radius, distance, isNew, stream }: UniformStringsOptions,
): string[] {
  const found = new Set<string>();
  for (let i = 0; i < MOST_DRAWS * count && found.size < DRAWS * count; i++) {
    const string = environment.describe(environment.uniformObject(stream));
    if (isNew(string)) found.add(string);
  }
  const chosen: string[] = [];
  const others: string[] = [];
  const codes: Int32Array[] = [];
  for (const string of found) {
    if (chosen.length === count) break;
    const own = codesOf(string);
    const distanceTo = boundedDistancesFrom(own, distance);
    if (codes.some((other) => distanceTo(other, radius) <= radius)) others.push(string);
    else {
      chosen.push(string);
      codes.push(own);
    }
  }
  return [...chosen, ...others.slice(0, count - chosen.length)];
}
