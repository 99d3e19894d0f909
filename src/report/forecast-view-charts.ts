// Charts of the forecasts of a backtest and of their calibration, from the data of their views.

import type { Axis } from "./axis.ts";
import { backtestOverlay } from "./backtest-overlay.ts";
import { horizonErrorChart, reliabilityChart } from "./calibration-charts.ts";
import { fanChart } from "./fan-chart.ts";
import { orNaN, type ViewNotes } from "./view-notes.ts";
import { type TimeReader, timeReader } from "./view-times.ts";

type Numbers = readonly (number | null)[];

export interface ForecastChartData extends Pick<ViewNotes, "notes"> {
  /** The series that is shown. */
  readonly chosen: string;
  /** Dates as ISO 8601, or step numbers. */
  readonly times: readonly string[];
  readonly actual: Numbers;
  readonly models: readonly {
    readonly name: string;
    readonly cutoffs: readonly {
      readonly cutoff: string;
      readonly times: readonly string[];
      readonly median: Numbers;
      readonly intervals: readonly {
        readonly level: number;
        readonly low: Numbers;
        readonly high: Numbers;
      }[];
    }[];
  }[];
}

export interface CalibrationChartData extends Pick<ViewNotes, "notes"> {
  /** The metric of the errors by step, such as MASE; null if there are none. */
  readonly stepError: string | null;
  readonly models: readonly {
    readonly name: string;
    readonly coverage: readonly { readonly nominal: number; readonly actual: number | null }[];
    readonly byStep: readonly { readonly step: number; readonly error: number | null }[];
  }[];
}

/** The actual values with the forecasts of every cutoff. */
export function backtestChart(data: ForecastChartData): string {
  const timeOf = timesOf(data);
  return backtestOverlay({
    title: `Forecasts of ${data.chosen}`,
    timesAreSteps: timeOf.areSteps,
    value: { label: data.chosen },
    actual: { times: data.times.map(timeOf), values: data.actual.map(orNaN) },
    models: data.models.map(({ name, cutoffs }) => ({
      name,
      windows: cutoffs.map((window) => ({ cutoff: timeOf(window.cutoff), ...forecastOf(window, timeOf) })),
    })),
    notes: data.notes,
  });
}

/** The forecasts of all models from one cutoff, beside the actual values before and after it. */
export function fanChartAt(data: ForecastChartData, cutoff: string): string {
  const timeOf = timesOf(data);
  const until = data.times.filter((time) => timeOf(time) <= timeOf(cutoff)).length;
  const models = data.models.flatMap(({ name, cutoffs }) =>
    cutoffs
      .filter((window) => window.cutoff === cutoff)
      .map((window) => ({ name, ...forecastOf(window, timeOf) })),
  );
  const last = Math.max(...models.flatMap(({ times }) => times));
  const after = data.times.flatMap((time, i) => (i >= until && timeOf(time) <= last ? [i] : []));
  return fanChart({
    title: `Forecast of ${data.chosen} from ${cutoff}`,
    timesAreSteps: timeOf.areSteps,
    value: { label: data.chosen },
    history: {
      times: data.times.slice(0, until).map(timeOf),
      values: data.actual.slice(0, until).map(orNaN),
    },
    ...(after.length > 0 && {
      actual: {
        times: after.map((i) => timeOf(data.times[i])),
        values: after.map((i) => orNaN(data.actual[i])),
      },
    }),
    models,
    notes: data.notes,
  });
}

/** Observed against nominal coverage. */
export function coverageChart({ models, notes }: CalibrationChartData): string {
  return reliabilityChart({
    models: models.map(({ name, coverage }) => ({
      name,
      levels: coverage.map(({ nominal, actual }) => ({ nominal, observed: orNaN(actual) })),
    })),
    notes,
  });
}

/** Error by step ahead. */
export function errorByStepChart(
  { models, notes, stepError }: CalibrationChartData,
  metric: Axis = { label: stepError ?? "error" },
): string {
  return horizonErrorChart({
    metric,
    models: models.map(({ name, byStep }) => {
      const errors = new Array<number>(Math.max(0, ...byStep.map(({ step }) => step))).fill(Number.NaN);
      for (const { step, error } of byStep) errors[step - 1] = orNaN(error);
      return { name, errors };
    }),
    notes,
  });
}

function timesOf({ times, models }: ForecastChartData): TimeReader {
  return timeReader([
    ...times,
    ...models.flatMap(({ cutoffs }) => cutoffs.flatMap((each) => [each.cutoff, ...each.times])),
  ]);
}

function forecastOf(
  { times, median, intervals }: ForecastChartData["models"][number]["cutoffs"][number],
  timeOf: (time: string) => number,
) {
  return {
    times: times.map(timeOf),
    median: median.map(orNaN),
    intervals: intervals.map(({ level, low, high }) => ({
      level,
      low: low.map(orNaN),
      high: high.map(orNaN),
    })),
  };
}
