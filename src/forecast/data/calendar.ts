// Where a time stands in the day, the week, the month and the year, as points on circles; all of it known ahead.

import type { Frequency } from "../types.ts";

export const CALENDAR_FEATURES = ["hour", "day-of-week", "day-of-month", "day-of-year", "month"] as const;
export type CalendarFeature = (typeof CALENDAR_FEATURES)[number];

/** Columns of numbers with their names. */
export interface FeatureColumns {
  readonly names: readonly string[];
  readonly values: readonly Float64Array[]; // each [T]
}

const DAY = 86_400_000;

/** Sine and cosine of each feature at each time, in UTC. */
export function calendarFeatures(
  times: Float64Array,
  features: readonly CalendarFeature[] = CALENDAR_FEATURES,
): FeatureColumns {
  return {
    names: features.flatMap((feature) => [`${feature}-sin`, `${feature}-cos`]),
    values: features.flatMap((feature) => circle(times.map((time) => turnOf(time, feature)))),
  };
}

/** Sines and cosines of a period in milliseconds and its overtones, counted from 1970. */
export function fourierTerms(times: Float64Array, period: number, order: number): FeatureColumns {
  if (!(Number.isFinite(period) && period > 0))
    throw new RangeError(`A period must be above 0, got ${period}`);
  const overtones = Array.from({ length: order }, (_, k) => k + 1);
  return {
    names: overtones.flatMap((k) => [`fourier-${k}-sin`, `fourier-${k}-cos`]),
    values: overtones.flatMap((k) => circle(times.map((time) => (k * (time % period)) / period))),
  };
}

/** The features that change from step to step and not faster. */
export function calendarOf(frequency: Frequency | null): readonly CalendarFeature[] {
  if (frequency === null) return CALENDAR_FEATURES;
  switch (frequency.unit) {
    case "second":
    case "minute":
    case "hour":
      return CALENDAR_FEATURES;
    case "day":
    case "business-day":
      return ["day-of-week", "day-of-month", "day-of-year", "month"];
    case "week":
      return ["day-of-year", "month"];
    case "month":
    case "quarter":
      return ["month"];
    case "year":
      return [];
    default:
      return frequency.unit satisfies never;
  }
}

/** How far round the circle of a feature a time is, from 0 up to 1. */
function turnOf(time: number, feature: CalendarFeature): number {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (feature) {
    case "hour":
      return (time - Math.floor(time / DAY) * DAY) / DAY;
    case "day-of-week":
      return ((date.getUTCDay() + 6) % 7) / 7;
    case "day-of-month":
      return (date.getUTCDate() - 1) / new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    case "day-of-year": {
      const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
      return Math.floor((time - start) / DAY) / ((end - start) / DAY);
    }
    case "month":
      return month / 12;
    default:
      return feature satisfies never;
  }
}

function circle(turns: Float64Array): [Float64Array, Float64Array] {
  return [
    turns.map((turn) => Math.sin(2 * Math.PI * turn)),
    turns.map((turn) => Math.cos(2 * Math.PI * turn)),
  ];
}
