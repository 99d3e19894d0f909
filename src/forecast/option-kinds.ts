// Kinds of the options of forecasts, backtests and scenarios, which the library and the command line share. `--help` loads
// this file, so it imports no networks.

import type { Issue } from "../issues.ts";
import { type Kind, listOf, number, problemOf, whole } from "../settings/kinds.ts";

export const horizonKind = whole(1, 100_000);
export const seasonKind = whole(1, 100_000);
const seasonList = listOf(seasonKind, "whole numbers from 1 to 100,000, separated by commas");
/** One season, or several. */
export const seasonsKind: Kind<number | readonly number[]> = {
  rule: seasonList.rule,
  argument: seasonList.argument,
  violation: (value) => (Array.isArray(value) ? seasonList : seasonKind).violation(value),
  fromText(text) {
    const seasons = seasonList.fromText(text);
    return Array.isArray(seasons) && seasons.length === 1 ? seasons[0] : seasons;
  },
  toText: (value) => seasonList.toText(typeof value === "number" ? [value] : value),
};
/** Levels of central intervals, in percent. */
export const levelsKind = listOf(number({ above: 0, below: 100 }), "numbers between 0 and 100");
export const quantilesKind = listOf(number({ above: 0, below: 1 }), "numbers between 0 and 1");
/** Number of cutoffs of a backtest. */
export const windowsKind = whole(1, 100_000);
export const stepSizeKind = whole(1);
export const refitKind = whole(0, Number.MAX_SAFE_INTEGER);
/** Time budget of a backtest. */
export const secondsKind = number({ above: 0 });
export const inputSizeKind = whole(1);
export const temperatureKind = number({ above: 0 });
/** The probability that a uniform bin replaces the planned one. */
export const noiseKind = number({ from: 0, below: 1 });

/** The issue of an option that breaks the rule of its kind. An omitted option breaks none. */
export function optionIssues<T>(path: string, kind: Kind<T>, value: unknown): Issue[] {
  const message = value === undefined ? null : problemOf(kind, value);
  return message === null ? [] : [{ path, code: "range", message }];
}
