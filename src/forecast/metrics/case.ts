// What metrics are computed of: one forecast beside what came, and what a metric gives back.

import type { Forecast } from "../types.ts";

/** One forecast of one target of one series, beside what came. */
export interface Case {
  readonly id: string;
  readonly target: string;
  /** What came, NaN where nothing was observed: such steps are left out of every metric. */
  readonly actual: Float64Array; // [H]
  readonly forecast: Forecast;
  /** How much the series moves in a season, measured before the forecast. */
  readonly scale: SeriesScale;
}

/** How much a series moves from one season to the next; null where that cannot be had, or is zero. */
export interface SeriesScale {
  /** Mean absolute seasonal difference. */
  readonly absolute: number | null;
  /** Mean squared seasonal difference. */
  readonly squared: number | null;
  /** Why it is null. */
  readonly reason?: string;
}

/** The value of a metric, or null and why it cannot be had; never NaN. */
export interface Measure {
  readonly value: number | null;
  readonly reason?: string;
  /** What to keep in mind about the value. */
  readonly warning?: string;
}

export type Metric = (cases: readonly Case[]) => Measure;

/** Steps of a case at which something was observed. */
export function observedSteps({ actual }: Case): number[] {
  const steps: number[] = [];
  for (let step = 0; step < actual.length; step++) if (Number.isFinite(actual[step])) steps.push(step);
  return steps;
}

/** The mean over all observed steps of all cases of a number made of each. */
export function meanOverSteps(cases: readonly Case[], each: (one: Case, step: number) => number): Measure {
  let sum = 0;
  let count = 0;
  for (const one of cases) {
    for (let step = 0; step < one.actual.length; step++) {
      if (!Number.isFinite(one.actual[step])) continue;
      sum += each(one, step);
      count++;
    }
  }
  return count === 0 ? NOTHING_OBSERVED : measure(sum / count);
}

/** The mean over cases of a number made of each; cases that give null are left out, and the warning says how many. */
export function meanOverCases(
  cases: readonly Case[],
  reason: string,
  each: (one: Case, steps: readonly number[]) => number | null,
): Measure {
  const observed = cases
    .map((one) => ({ one, steps: observedSteps(one) }))
    .filter(({ steps }) => steps.length > 0);
  if (observed.length === 0) return NOTHING_OBSERVED;
  const values = observed.map(({ one, steps }) => each(one, steps)).filter((value) => value !== null);
  if (values.length === 0) return { value: null, reason };
  const mean = measure(values.reduce((a, b) => a + b, 0) / values.length);
  const left = observed.length - values.length;
  if (left === 0 || mean.value === null) return mean;
  return { ...mean, warning: `${left} of ${observed.length} forecasts are left out: ${reason}` };
}

/** A finite value as it is, else null: a forecast that is not finite must not become a number that looks like one. */
export function measure(value: number): Measure {
  return Number.isFinite(value) ? { value } : { value: null, reason: "a forecast is not finite" };
}

/** The same cases at one step only, those that go so far. */
export function atStep(cases: readonly Case[], step: number): Case[] {
  const one = (values: Float64Array) => values.subarray(step, step + 1);
  return cases
    .filter(({ actual }) => step < actual.length)
    .map((given) => ({
      ...given,
      actual: one(given.actual),
      forecast: {
        ...given.forecast,
        mean: one(given.forecast.mean),
        quantiles: given.forecast.quantiles.map(one),
        paths: given.forecast.paths?.map(one),
      },
    }));
}

export const NOTHING_OBSERVED: Measure = { value: null, reason: "no target was observed" };
