// Simple exponential smoothing: a level that moves toward each value by a share α of the difference.

/** The smoothing share and the first level with the smallest squared one-step-ahead errors. */
export interface FittedSmoothing {
  readonly alpha: number;
  /** The level before each value, and after the last one. */
  readonly levels: Float64Array; // [T + 1]
}

/** The levels l_0 = first, l_t = l_{t−1} + α (y_t − l_{t−1}). */
export function smooth(values: ArrayLike<number>, alpha: number, first: number): Float64Array {
  const levels = new Float64Array(values.length + 1);
  levels[0] = first;
  for (let t = 0; t < values.length; t++) levels[t + 1] = levels[t] + alpha * (values[t] - levels[t]);
  return levels;
}

/**
 * Least squares over α in [0, 1] and the first level. The errors are linear in the first level, so that the best one has
 * a closed form for each α; α is searched on a grid, and then by golden section around the best of it.
 */
export function fitSmoothing(values: Float64Array): FittedSmoothing {
  const GRID = 50;
  const error = (alpha: number) => bestFirstLevel(values, alpha).squaredError;
  const grid = Array.from({ length: GRID + 1 }, (_, i) => error(i / GRID));
  const best = grid.indexOf(Math.min(...grid));
  const alpha = goldenSection(error, Math.max(0, best - 1) / GRID, Math.min(GRID, best + 1) / GRID);
  return { alpha, levels: smooth(values, alpha, bestFirstLevel(values, alpha).first) };
}

/** With l_0 = c the errors are e_t(c) = e_t(0) − c (1 − α)^t. */
function bestFirstLevel(values: Float64Array, alpha: number): { first: number; squaredError: number } {
  let level = 0;
  let weight = 1;
  let [errors, products, weights] = [0, 0, 0];
  for (const value of values) {
    const error = value - level;
    errors += error * error;
    products += error * weight;
    weights += weight * weight;
    level += alpha * error;
    weight *= 1 - alpha;
  }
  const first = products / weights;
  return { first, squaredError: errors - first * products };
}

/** The minimum of a function with one minimum in the interval. */
function goldenSection(valueAt: (x: number) => number, from: number, to: number): number {
  const SHARE = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [from, to];
  let [left, right] = [high - SHARE * (high - low), low + SHARE * (high - low)];
  let [atLeft, atRight] = [valueAt(left), valueAt(right)];
  // 40 steps shrink the interval by a factor of 2e8, beyond which rounding decides.
  for (let i = 0; i < 40; i++) {
    if (atLeft <= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - SHARE * (high - low);
      atLeft = valueAt(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + SHARE * (high - low);
      atRight = valueAt(right);
    }
  }
  const middle = (low + high) / 2;
  // A minimum at an end of the interval, such as α = 1, is returned exactly.
  return [middle, from, to].reduce((a, b) => (valueAt(b) < valueAt(a) ? b : a));
}
