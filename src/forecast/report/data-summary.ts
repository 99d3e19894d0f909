// One-line descriptions of data, horizons and backtest windows, for the screen and for pages.

import { formatCount, formatCountOf } from "../../report/text-format.ts";
import type { BacktestPlan } from "../backtest/plan.ts";
import { formatFrequency } from "../data/frequency.ts";
import type { PanelFile } from "../data/panel-file.ts";
import { seasonsText } from "../data/seasons.ts";
import type { Panel } from "../types.ts";

/** Name, number of series and rows, and season of a file. `judged` is the number of series that a backtest judges. */
export function dataSummary({ name, table, panel }: PanelFile, judged = panel.series.length): string {
  const { length } = panel.series;
  const share = judged === length ? "" : ` (${formatCount(judged)} of them judged)`;
  return `${name}, ${formatCount(length)} series${share}, ${formatCountOf(table.times.length, "row")}, season ${seasonsText(panel)}`;
}

/** Such as "28 steps of D", or "28 steps" if times are irregular. */
export function horizonSummary(horizon: number, { frequency }: Pick<Panel, "frequency">): string {
  const steps = formatCountOf(horizon, "step");
  return frequency === null ? steps : `${steps} of ${formatFrequency(frequency)}`;
}

/** Number and distance of the cutoffs, the rows that forecasters see, and how often they are fitted. */
export function windowsSummary({ windows, stepSize, refit, inputSize, align }: BacktestPlan): string {
  const rows =
    inputSize === undefined
      ? "all rows"
      : inputSize === 1
        ? "the last row"
        : `the last ${formatCount(inputSize)} rows`;
  const common = align === "time" ? ", at the same time for all series" : "";
  if (windows === 1) return `One cutoff${common}, with ${rows} before it.`;
  const fitted =
    refit === 0 ? "at the first cutoff" : refit === 1 ? "at every cutoff" : `at every ${refit}th cutoff`;
  return `${formatCount(windows)} cutoffs, ${formatCountOf(stepSize, "step")} apart${common}, each with ${rows} before it; fitted ${fitted}.`;
}
