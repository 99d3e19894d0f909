// The levels of the reliability chart.

/** Levels in addition to those of the backtest. */
const RELIABILITY_LEVELS = [20, 40, 60, 80];

/** Levels of intervals in percent, without duplicates. */
export function reliabilityLevels(levels: readonly number[]): number[] {
  return [...new Set([...RELIABILITY_LEVELS, ...levels])];
}
