// Errors of the one value that a forecast names: absolute, squared, and in percent of what came.

import type { Case, Measure } from "./case.ts";
import { meanOverSteps, NOTHING_OBSERVED, observedSteps } from "./case.ts";

/** Mean absolute error: mean |y − f| over all observed steps. */
export function mae(cases: readonly Case[]): Measure {
  return meanOverSteps(cases, (one, step) => Math.abs(errorAt(one, step)));
}

/** Root mean squared error: √ mean (y − f)² over all observed steps. */
export function rmse(cases: readonly Case[]): Measure {
  const mean = meanOverSteps(cases, (one, step) => errorAt(one, step) ** 2);
  return mean.value === null ? mean : { ...mean, value: Math.sqrt(mean.value) };
}

/** Mean absolute percentage error: 100 · mean |y − f| / |y|; steps where y is zero are left out, and the warning counts them. */
export function mape(cases: readonly Case[]): Measure {
  const zeros = countSteps(cases, (one, step) => one.actual[step] === 0);
  const all = countSteps(cases, () => true);
  if (all === 0) return NOTHING_OBSERVED;
  if (zeros === all) return { value: null, reason: "every target is zero" };
  const sum = meanOverSteps(cases, (one, step) =>
    one.actual[step] === 0 ? 0 : Math.abs(errorAt(one, step) / one.actual[step]),
  );
  if (sum.value === null) return sum;
  const value = (100 * sum.value * all) / (all - zeros);
  return zeros === 0 ? { value } : { value, warning: `${zeros} of ${all} targets are zero and left out` };
}

/**
 * Symmetric percentage error: 100 · mean 2 |y − f| / (|y| + |f|), from 0 to 200. Where both are zero the forecast was
 * right and the error is 0; where one is zero it is 200 whatever the other is, and the warning counts such steps.
 */
export function smape(cases: readonly Case[]): Measure {
  const zeros = countSteps(cases, (one, step) => one.actual[step] === 0);
  const mean = meanOverSteps(cases, (one, step) => {
    const size = Math.abs(one.actual[step]) + Math.abs(one.forecast.mean[step]);
    return size === 0 ? 0 : (200 * Math.abs(errorAt(one, step))) / size;
  });
  if (mean.value === null || zeros === 0) return mean;
  return { ...mean, warning: `${zeros} targets are zero, where this is 0 or 200 and nothing between` };
}

/** What came, less what was forecast. */
export function errorAt({ actual, forecast }: Case, step: number): number {
  return actual[step] - forecast.mean[step];
}

function countSteps(cases: readonly Case[], is: (one: Case, step: number) => boolean): number {
  return cases.reduce((sum, one) => sum + observedSteps(one).filter((step) => is(one, step)).length, 0);
}
