// Binary search in ascending values. The browser imports it.

/** The first index between two, whose value is at least `least`; the second one if there is none. */
export function firstFrom(values: ArrayLike<number>, least: number, first: number, end: number): number {
  let below = first;
  let above = end;
  while (below < above) {
    const middle = (below + above) >>> 1;
    if (values[middle] >= least) above = middle;
    else below = middle + 1;
  }
  return below;
}

/** The same for a value above `most`. */
export function firstAfter(values: ArrayLike<number>, most: number, first: number, end: number): number {
  let below = first;
  let above = end;
  while (below < above) {
    const middle = (below + above) >>> 1;
    if (values[middle] > most) above = middle;
    else below = middle + 1;
  }
  return below;
}
