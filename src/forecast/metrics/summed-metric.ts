// Metrics that are computed from sums over forecasts. The sums of two sets of forecasts can be added, so that parts of a
// large panel can be scored separately; the result is the same to the bit, because the sums are exact.

import { ExactSum } from "../../math/exact-sum.ts";
import { type ForecastCase, type Metric, type MetricValue, observedSteps } from "./forecast-case.ts";

/** Sums by name. */
export type Sums = Readonly<Record<string, ExactSum>>;

/** A metric as a function of forecasts, and its two parts: the sums over forecasts, and the value that follows from them. */
export interface SummedMetric extends Metric {
  sums(cases: readonly ForecastCase[]): Sums;
  value(sums: Sums): MetricValue;
}

/** What a metric adds up: `add` adds a term to the sum of this name. */
export interface SummedMetricOptions<Name extends string> {
  readonly names: readonly Name[];
  collect(cases: readonly ForecastCase[], add: (name: Name, term: number) => void): void;
  /** The value of the metric, from the values of the sums. */
  value(sums: Readonly<Record<Name, number>>): MetricValue;
}

export function summedMetric<Name extends string>(options: SummedMetricOptions<Name>): SummedMetric {
  const { names, collect, value } = options;
  const sumsOf = (cases: readonly ForecastCase[]): Sums => {
    const sums = emptySums(names);
    collect(cases, (name, term) => sums[name].add(term));
    return sums;
  };
  const metricValue = (sums: Sums): MetricValue =>
    value(Object.fromEntries(names.map((name) => [name, sums[name].value])) as Record<Name, number>);
  return Object.assign((cases: readonly ForecastCase[]) => metricValue(sumsOf(cases)), {
    sums: sumsOf,
    value: metricValue,
  });
}

export function emptySums(names: readonly string[]): Record<string, ExactSum> {
  return Object.fromEntries(names.map((name) => [name, new ExactSum()]));
}

/** Adds sums of other forecasts to sums of the same metric. */
export function addSums(into: Sums, sums: Sums): void {
  for (const [name, sum] of Object.entries(into)) sum.addSum(sums[name]);
}

/** Mean of `valueAt` over all observed steps of all forecasts. */
export function meanOverSteps(valueAt: (one: ForecastCase, step: number) => number): SummedMetric {
  return summedMetric({
    names: ["steps", "total"],
    collect: (cases, add) => addSteps(cases, add, valueAt),
    value: meanOfSteps,
  });
}

/** Adds `valueAt` of all observed steps to `total`, and their number to `steps`. */
export function addSteps(
  cases: readonly ForecastCase[],
  add: (name: "steps" | "total", term: number) => void,
  valueAt: (one: ForecastCase, step: number) => number,
): void {
  let steps = 0;
  for (const one of cases) {
    for (let step = 0; step < one.actual.length; step++) {
      if (!Number.isFinite(one.actual[step])) continue;
      add("total", valueAt(one, step));
      steps++;
    }
  }
  add("steps", steps);
}

export function meanOfSteps({
  steps,
  total,
}: {
  readonly steps: number;
  readonly total: number;
}): MetricValue {
  return steps === 0 ? NO_OBSERVATIONS : finiteValue(total / steps);
}

/** Mean of `caseValue` over all cases with observed steps. Cases with null are skipped; the warning has their number and the reason. */
export function meanOverCases(
  reason: string,
  caseValue: (one: ForecastCase, steps: readonly number[]) => number | null,
): SummedMetric {
  return summedMetric({
    names: ["observed", "scored", "total"],
    collect(cases, add) {
      for (const one of cases) {
        const steps = observedSteps(one);
        if (steps.length === 0) continue;
        add("observed", 1);
        const value = caseValue(one, steps);
        if (value === null) continue;
        add("scored", 1);
        add("total", value);
      }
    },
    value({ observed, scored, total }) {
      if (observed === 0) return NO_OBSERVATIONS;
      if (scored === 0) return { value: null, reason };
      const mean = finiteValue(total / scored);
      const skipped = observed - scored;
      if (skipped === 0 || mean.value === null) return mean;
      return { ...mean, warning: `${skipped} of ${observed} forecasts are skipped: ${reason}` };
    },
  });
}

/** The value if it is finite; otherwise null with a reason. */
export function finiteValue(value: number): MetricValue {
  return Number.isFinite(value) ? { value } : { value: null, reason: "a forecast is not finite" };
}

export const NO_OBSERVATIONS: MetricValue = { value: null, reason: "no target was observed" };
