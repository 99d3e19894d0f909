// A backtest on one series: what came, and over it what was forecast at each cutoff; a panel for each model.

import type { Axis } from "./axis.ts";
import { bandsOf, CAME, type ForecastValues, forecastLegend, looksOf } from "./fan-chart.ts";
import { RULE, type TimeValues, timeChart } from "./time-chart.ts";

/** A forecast that knew nothing after its cutoff. */
export interface BacktestWindow extends ForecastValues {
  /** The last time that was known. */
  readonly cutoff: number;
}

export interface ModelWindows {
  readonly name: string;
  readonly windows: readonly BacktestWindow[];
}

export interface BacktestOverlay {
  readonly title: string;
  /** Whether times count steps, and are no dates. */
  readonly counted?: boolean;
  readonly value: Axis;
  readonly actual: TimeValues;
  readonly models: readonly ModelWindows[];
  /** How many values are drawn before the first cutoff; as many as one forecast has if not given. */
  readonly shown?: number;
  readonly notes?: readonly string[];
  /** All models of a set of figures: each looks the same in all of them. */
  readonly order?: readonly string[];
}

/** A chart as SVG. Missing values are gaps. */
export function backtestOverlay(overlay: BacktestOverlay): string {
  const { title, value, models, notes = [], order = [] } = overlay;
  const windows = models.flatMap((model) => model.windows);
  const looks = looksOf(models, order);
  const actual = partOf(overlay.actual, windows, overlay.shown);
  const named = models.map((model) => ({
    name: model.name,
    intervals: model.windows.flatMap(({ intervals }) => intervals),
  }));
  return timeChart({
    title,
    counted: overlay.counted,
    panels: models.map((model) => ({
      ...{ title: model.name, y: value, rules: model.windows.map(({ cutoff }) => cutoff) },
      bands: model.windows.flatMap((window) => bandsOf(window, looks.get(model.name)!)),
      lines: [
        { ...actual, style: CAME },
        ...model.windows.map(({ times, median }) => ({
          ...{ times, values: median, style: looks.get(model.name)! },
        })),
      ],
    })),
    legend: [
      { name: "what came", mark: "line", ...CAME },
      ...(windows.length > 0 ? forecastLegend(named, looks) : []),
      { name: "cutoffs", mark: "line", ...RULE },
    ],
    columns: 1,
    panelHeight: models.length > 1 ? 190 : 260,
    sharedY: true,
    notes: [
      ...notes,
      ...(models.some((model) => overlap(model.windows))
        ? ["Windows overlap: bands are darker where several of them lie."]
        : []),
    ],
  });
}

/** From some values before the first cutoff to the last time that was forecast. */
function partOf(
  { times, values }: TimeValues,
  windows: readonly BacktestWindow[],
  shown = Math.max(0, ...windows.map((window) => window.times.length)),
): TimeValues {
  if (windows.length === 0) return { times, values };
  const first = Math.min(...windows.map(({ cutoff }) => cutoff));
  const last = Math.max(...windows.map((window) => window.times[window.times.length - 1] ?? window.cutoff));
  const all = Array.from(times);
  const before = all.filter((time) => time <= first).length;
  const [from, to] = [Math.max(0, before - shown), all.filter((time) => time <= last).length];
  return { times: all.slice(from, to), values: Array.from(values).slice(from, to) };
}

/** Whether a forecast reaches beyond the next cutoff. */
function overlap(windows: readonly BacktestWindow[]): boolean {
  const sorted = windows.toSorted((a, b) => a.cutoff - b.cutoff);
  return sorted.some(
    ({ times }, i) => i + 1 < sorted.length && times[times.length - 1] > sorted[i + 1].cutoff,
  );
}
