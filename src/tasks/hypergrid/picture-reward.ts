// Rewards of the cells of a grid from a picture: the mean brightness of the part of the picture that lies in a cell.

import { UserError } from "../../issues.ts";

/** A grey picture. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Brightness from 0, black, to 1, white: [row · width + column], the top row first. */
  readonly brightness: Float64Array;
}

/** Most pixels of a picture. */
export const MOST_PIXELS = 2 ** 20;

/**
 * The reward of each cell of a grid of side × side cells. Axis 1 runs from left to right and axis 2 from the bottom to the top,
 * as in the figures of a run. A pixel that lies in several cells counts in each with its share.
 */
export function pictureRewards({ width, height, brightness }: Picture, side: number): Float64Array {
  if (brightness.length !== width * height || width * height === 0 || width * height > MOST_PIXELS) {
    const message = `must have 1 to ${MOST_PIXELS} pixels and the brightness of each, got ${brightness.length} of ${width} × ${height}`;
    throw new UserError([{ path: "picture", code: "range", message }]);
  }
  const columns = overlaps(width, side);
  const rows = overlaps(height, side);
  // First the means of each pixel row over the columns of a cell, then those over its rows.
  const narrow = new Float64Array(height * side);
  for (let row = 0; row < height; row++) {
    columns.forEach((parts, x) => {
      narrow[row * side + x] = parts.reduce(
        (sum, [pixel, share]) => sum + share * brightness[row * width + pixel],
        0,
      );
    });
  }
  const rewards = new Float64Array(side * side);
  rows.forEach((parts, fromTop) => {
    const y = side - 1 - fromTop;
    for (let x = 0; x < side; x++) {
      rewards[x + y * side] = parts.reduce(
        (sum, [pixel, share]) => sum + share * narrow[pixel * side + x],
        0,
      );
    }
  });
  const wrong = rewards.findIndex((reward) => !(reward >= 0 && reward < Number.POSITIVE_INFINITY));
  if (wrong >= 0) {
    const message = `must be finite and not negative in every cell, got ${rewards[wrong]} in the cell ${wrong % side},${Math.floor(wrong / side)}`;
    throw new UserError([{ path: "picture", code: "range", message }]);
  }
  if (rewards.some((reward) => reward > 0)) return rewards;
  const message = "must not be black everywhere, because brightness is the reward; invert it";
  throw new UserError([{ path: "picture", code: "range", message }]);
}

/** For each of `cells` equal parts of an axis the pixels in it, with their shares of the part, which sum to 1. */
function overlaps(pixels: number, cells: number): (readonly [pixel: number, share: number])[][] {
  return Array.from({ length: cells }, (_, cell) => {
    const [from, to] = [(cell * pixels) / cells, ((cell + 1) * pixels) / cells];
    const parts: [number, number][] = [];
    for (let pixel = Math.floor(from); pixel < to; pixel++) {
      const share = (Math.min(to, pixel + 1) - Math.max(from, pixel)) / (to - from);
      if (share > 0) parts.push([Math.min(pixel, pixels - 1), share]);
    }
    return parts;
  });
}
