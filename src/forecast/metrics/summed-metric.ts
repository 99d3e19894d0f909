// Metrics that are computed from sums over forecasts. The sums of two sets of forecasts can be added, so that parts of a
// large panel can be scored separately; the result is the same to the bit, because the sums are exact.

import { ExactSum } from "../../math/exact-sum.ts";
import { type ForecastCase, type Metric, type MetricValue, observedSteps } from "./forecast-case.ts";

/** Sums by name. */
export type Sums = Readonly<Record<string, ExactSum>>;

/** A metric as a function of forecasts, and its two parts: the sums over forecasts, and the value that follows from them. */
export interface SummedMetric extends Metric {
  /** If a step is given, of that step alone. */
  sums(cases: readonly ForecastCase[], step?: number): Sums;
  value(sums: Sums): MetricValue;
}

export interface SummedMetricOptions<Name extends string> {
  /** Names of the sums. */
  readonly names: readonly Name[];
  /** Adds terms to the sums. If a step is given, other steps do not count. */
  collect(cases: readonly ForecastCase[], sums: Readonly<Record<Name, ExactSum>>, step?: number): void;
  /** The value of the metric, from the values of the sums. */
  value(sums: Readonly<Record<Name, number>>): MetricValue;
}

export function summedMetric<Name extends string>(options: SummedMetricOptions<Name>): SummedMetric {
  const { names, collect, value } = options;
  const sumsOf = (cases: readonly ForecastCase[], step?: number): Sums => {
    const sums = emptySums(names) as Record<Name, ExactSum>;
    collect(step === undefined ? cases : cases.filter(({ actual }) => step < actual.length), sums, step);
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
    collect: (cases, sums, step) => addSteps(cases, sums, step, valueAt),
    value: meanOfSteps,
  });
}

/** Adds `valueAt` of all observed steps, or of a given one, to `total`, and their number to `steps`. */
export function addSteps(
  cases: readonly ForecastCase[],
  { steps, total }: { readonly steps: ExactSum; readonly total: ExactSum },
  only: number | undefined,
  valueAt: (one: ForecastCase, step: number) => number,
): void {
  let count = 0;
  for (const one of cases) {
    const end = only === undefined ? one.actual.length : only + 1;
    for (let step = only ?? 0; step < end; step++) {
      if (!Number.isFinite(one.actual[step])) continue;
      total.add(valueAt(one, step));
      count++;
    }
  }
  steps.add(count);
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
    collect(cases, sums, step) {
      for (const one of cases) {
        const steps = observedSteps(one, step);
        if (steps.length === 0) continue;
        sums.observed.add(1);
        const value = caseValue(one, steps);
        if (value === null) continue;
        sums.scored.add(1);
        sums.total.add(value);
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
