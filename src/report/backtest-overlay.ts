// Chart of a backtest on one series: the actual values, overlaid with the forecast of each cutoff; one panel per model.

import type { Axis } from "./axis.ts";
import { ACTUAL_STYLE, bandsOf, type ForecastValues, forecastLegend, modelStyles } from "./fan-chart.ts";
import { RULE_STYLE, type TimeSeries, timeChart } from "./time-chart.ts";

/** A forecast from the data up to its cutoff. */
export interface BacktestWindow extends ForecastValues {
  /** The last observed time. */
  readonly cutoff: number;
}

export interface ModelWindows {
  readonly name: string;
  readonly windows: readonly BacktestWindow[];
}

export interface BacktestOverlay {
  readonly title: string;
  /** Whether times are step numbers rather than dates. Default: false. */
  readonly timesAreSteps?: boolean;
  readonly value: Axis;
  readonly actual: TimeSeries;
  readonly models: readonly ModelWindows[];
  /** Number of actual values drawn before the first cutoff. Default: the length of the longest forecast. */
  readonly historyLength?: number;
  readonly notes?: readonly string[];
  /** All models that occur in a set of figures, in order, so that a model has the same colour in every figure. */
  readonly order?: readonly string[];
}

/** The chart as SVG. Missing values are gaps. */
export function backtestOverlay(overlay: BacktestOverlay): string {
  const { title, value, models, notes = [], order = [] } = overlay;
  const windows = models.flatMap((model) => model.windows);
  const styles = modelStyles(models, order);
  const actual = visiblePart(overlay.actual, windows, overlay.historyLength);
  const named = models.map((model) => ({
    name: model.name,
    intervals: model.windows.flatMap(({ intervals }) => intervals),
  }));
  return timeChart({
    title,
    timesAreSteps: overlay.timesAreSteps,
    panels: models.map((model) => ({
      ...{ title: model.name, y: value, rules: model.windows.map(({ cutoff }) => cutoff) },
      bands: model.windows.flatMap((window) => bandsOf(window, styles.get(model.name)!)),
      lines: [
        { ...actual, style: ACTUAL_STYLE },
        ...model.windows.map(({ times, median }) => ({
          ...{ times, values: median, style: styles.get(model.name)! },
        })),
      ],
    })),
    legend: [
      { name: "actual", mark: "line", ...ACTUAL_STYLE },
      ...(windows.length > 0 ? forecastLegend(named, styles) : []),
      { name: "cutoffs", mark: "line", ...RULE_STYLE },
    ],
    columns: 1,
    panelHeight: models.length > 1 ? 190 : 260,
    sharedY: true,
    notes: [
      ...notes,
      ...(models.some((model) => overlap(model.windows))
        ? ["Windows overlap: bands are darker where several of them coincide."]
        : []),
    ],
  });
}

/**
 * The last `historyLength` actual values up to the first cutoff, and all values after it up to the last forecast time.
 */
function visiblePart(
  { times, values }: TimeSeries,
  windows: readonly BacktestWindow[],
  historyLength = Math.max(0, ...windows.map((window) => window.times.length)),
): TimeSeries {
  if (windows.length === 0) return { times, values };
  const first = Math.min(...windows.map(({ cutoff }) => cutoff));
  const last = Math.max(...windows.map((window) => window.times[window.times.length - 1] ?? window.cutoff));
  const all = Array.from(times);
  const before = all.filter((time) => time <= first).length;
  const [from, to] = [Math.max(0, before - historyLength), all.filter((time) => time <= last).length];
  return { times: all.slice(from, to), values: Array.from(values).slice(from, to) };
}

/** Whether a forecast extends beyond the next cutoff. */
function overlap(windows: readonly BacktestWindow[]): boolean {
  const sorted = windows.toSorted((a, b) => a.cutoff - b.cutoff);
  return sorted.some(
    ({ times }, i) => i + 1 < sorted.length && times[times.length - 1] > sorted[i + 1].cutoff,
  );
}
