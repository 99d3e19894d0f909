// A series as one line of text: block characters of eight heights, with minimum and maximum.

import { mean } from "../math/statistics.ts";
import { extent } from "./axis.ts";
import { shortNumber } from "./text-format.ts";

const BLOCKS = [..."▁▂▃▄▅▆▇█"];
/** Character of missing or non-finite values. */
const GAP = "·";

/**
 * A series as text such as "▇▅▃▂▁ min 0.0057 max 0.383", with at most `width` characters (default 60). A long series is
 * shown as means of neighbouring values.
 */
export function sparkline(
  values: readonly number[],
  { width = 60 }: { readonly width?: number } = {},
): string {
  if (!Number.isInteger(width) || width < 1) {
    throw new RangeError(`sparkline: width must be a positive integer, got ${width}`);
  }
  const [least, most] = extent(values.filter(Number.isFinite));
  if (Number.isNaN(least)) return "no data".slice(0, width);
  const labels = ` min ${shortNumber(least)} max ${shortNumber(most)}`;
  // If the width is too small for the curve and the numbers, drop the numbers.
  const suffix = labels.length < width - 4 ? labels : "";
  return (
    groupMeans(values, width - suffix.length)
      .map(block)
      .join("") + suffix
  );

  function block(value: number): string {
    if (Number.isNaN(value)) return GAP;
    if (most === least) return BLOCKS[3];
    // Values are halved, because the difference of the largest numbers would overflow.
    const height = (value / 2 - least / 2) / (most / 2 - least / 2);
    return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(height * BLOCKS.length))];
  }
}

/**
 * Splits values into at most `maxGroups` groups of neighbours, and returns the mean of the finite values of each group;
 * NaN for a group without finite values.
 */
function groupMeans(values: readonly number[], maxGroups: number): number[] {
  const groups = Math.min(values.length, maxGroups);
  return Array.from({ length: groups }, (_, i) => {
    const [from, to] = [i, i + 1].map((n) => Math.round((n * values.length) / groups));
    return mean(values.slice(from, to).filter(Number.isFinite));
  });
}
