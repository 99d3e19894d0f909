// What a future step tells the network about time, if times are irregular: the gap before the step, and the time since
// the forecast origin. On a regular grid both are constant or follow from the calendar, so they are left out.

/** Numbers per future step. */
export const TIME_GAP_NUMBERS = 2;

/**
 * log(1 + gap before step h) and log(1 + time from the last row before `origin` to step h), in units of the median gap.
 * Logarithms, because gaps may differ by orders of magnitude.
 */
export function timeGapNumbers(
  times: ArrayLike<number>,
  origin: number,
  h: number,
  medianGap: number,
): readonly [number, number] {
  const row = origin + h;
  const since = (before: number) =>
    before < 0 ? Math.log(2) : Math.log1p(Math.max(0, times[row] - times[before]) / medianGap);
  return [since(row - 1), since(origin - 1)];
}
