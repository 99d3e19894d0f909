// Times of views as numbers.

export interface TimeReader {
  (time: string): number;
  /** Whether times are step numbers rather than dates. */
  readonly areSteps: boolean;
}

/** Turns the times of a view into numbers: milliseconds, or steps if all times are whole numbers. */
export function timeReader(all: readonly string[]): TimeReader {
  const areSteps = all.length > 0 && all.every((time) => /^-?\d{1,15}$/.test(time));
  return Object.assign((time: string) => (areSteps ? Number(time) : utcTime(time)), { areSteps });
}

/** Milliseconds of a date. A time of day without an offset is in UTC, so that the chart is the same on every machine. */
function utcTime(time: string): number {
  const text = time.trim().replace(" ", "T");
  return Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
}
