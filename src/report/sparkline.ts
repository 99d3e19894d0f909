// A series in one line of a terminal: blocks of eight heights, with its least and its largest value.

import { extent } from "./axis.ts";
import { mean } from "./series.ts";
import { shortNumber } from "./short-number.ts";

const BLOCKS = [..."▁▂▃▄▅▆▇█"];
/** Where there is nothing, or nothing finite. */
const GAP = "·";

/** "▇▅▃▂▁ min 0.0057 max 0.383", at most `width` letters; a long series is shown as means of neighbours. */
export function sparkline(
  values: readonly number[],
  { width = 60 }: { readonly width?: number } = {},
): string {
  if (!Number.isInteger(width) || width < 1) {
    throw new RangeError(`sparkline: width must be a whole number from 1 on, got ${width}`);
  }
  const [least, most] = extent(values.filter(Number.isFinite));
  if (Number.isNaN(least)) return "no data".slice(0, width);
  const labels = ` min ${shortNumber(least)} max ${shortNumber(most)}`;
  // Too narrow for both: the shape says more than the numbers.
  const said = labels.length < width - 4 ? labels : "";
  return (
    inGroups(values, width - said.length)
      .map(block)
      .join("") + said
  );

  function block(value: number): string {
    if (Number.isNaN(value)) return GAP;
    if (most === least) return BLOCKS[3];
    // Halves, for the difference of the largest numbers is infinite.
    const height = (value / 2 - least / 2) / (most / 2 - least / 2);
    return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(height * BLOCKS.length))];
  }
}

/** Means of what is finite in groups of neighbours, NaN where nothing is. */
function inGroups(values: readonly number[], most: number): number[] {
  const groups = Math.min(values.length, most);
  return Array.from({ length: groups }, (_, i) => {
    const [from, to] = [i, i + 1].map((n) => Math.round((n * values.length) / groups));
    return mean(values.slice(from, to).filter(Number.isFinite));
  });
}
