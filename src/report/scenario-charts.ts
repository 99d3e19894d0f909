// Charts of a forecast with and without a scenario: sampled paths with their intervals, and the distribution of the quantity
// that the condition bounds.

import { rectY, ruleX } from "@observablehq/plot";
import { scaleOf } from "./axis.ts";
import { axisMarks, marginLeft, PANEL_MARGINS } from "./axis-marks.ts";
import { bandsOf, forecastLegend, modelStyles } from "./fan-chart.ts";
import { emptyFigure, figure, type LegendEntry } from "./figure.ts";
import { drawPlot } from "./plot.ts";
import { shortNumber } from "./text-format.ts";
import { INK, type Style } from "./theme.ts";
import { RULE_STYLE, type TimePanel, timeChart } from "./time-chart.ts";
import { orNaN, type ViewNotes } from "./view-notes.ts";
import { timeReader } from "./view-times.ts";

type Numbers = readonly (number | null)[];

export interface ScenarioChartData extends Pick<ViewNotes, "notes"> {
  /** The series that is shown. */
  readonly chosen: string;
  /** What the scenario asks for; null if there is none. */
  readonly question: string | null;
  readonly history: { readonly times: readonly string[]; readonly values: Numbers };
  readonly times: readonly string[];
  readonly models: readonly {
    readonly name: string;
    readonly median: Numbers;
    readonly intervals: readonly { readonly level: number; readonly low: Numbers; readonly high: Numbers }[];
    readonly paths: readonly (readonly number[])[];
  }[];
  readonly quantity: {
    readonly label: string;
    readonly bound: number;
    readonly edges: readonly number[];
    readonly shares: readonly { readonly name: string; readonly shares: readonly number[] }[];
  } | null;
}

/** Values of the history that are drawn: two horizons, and at least so many. */
const LEAST_HISTORY = 20;
const HISTORY_STYLE: Style = { colour: INK.past, dash: "" };

/** One panel per model: the history, the mean with its intervals, and sampled paths. */
export function scenarioChart({
  chosen,
  question,
  history,
  times,
  models,
  notes,
}: ScenarioChartData): string {
  const timeOf = timeReader([...history.times, ...times]);
  const styles = modelStyles(models, []);
  const shown = Math.max(LEAST_HISTORY, 2 * times.length);
  const past = {
    times: history.times.slice(-shown).map(timeOf),
    values: history.values.slice(-shown).map(orNaN),
  };
  const future = times.map(timeOf);
  const forecasts = models.map(({ name, median, intervals, paths }) => ({
    ...{ name, paths, times: future, median: median.map(orNaN) },
    intervals: intervals.map(({ level, low, high }) => ({
      ...{ level, low: low.map(orNaN), high: high.map(orNaN) },
    })),
  }));
  const cutoff = past.times.slice(-1);
  const hasPaths = models.some(({ paths }) => paths.length > 0);
  return timeChart({
    title: `Forecast of ${chosen}${question === null ? "" : `: ${question}`}`,
    timesAreSteps: timeOf.areSteps,
    panels: forecasts.map((forecast): TimePanel => {
      const style = styles.get(forecast.name)!;
      return {
        ...{ title: forecast.name, y: { label: chosen }, rules: cutoff, bands: bandsOf(forecast, style) },
        lines: [
          { ...past, style: HISTORY_STYLE },
          ...forecast.paths.map((path) => ({ times: future, values: path, style, isFaint: true })),
          { times: future, values: forecast.median, style },
        ],
      };
    }),
    legend: [
      { name: "history", mark: "line", ...HISTORY_STYLE },
      ...forecastLegend(forecasts, styles).map((entry) => ({
        ...entry,
        name: entry.name.replace("median", "mean"),
      })),
      ...(hasPaths ? [{ name: "sampled paths", mark: "line" as const, colour: INK.past, dash: "1 2" }] : []),
      { name: "cutoff", mark: "line", ...RULE_STYLE },
    ],
    ...{ columns: 1, panelHeight: 240, sharedY: true, notes },
  });
}

/** Shares of the paths of each model, in bins of the quantity, with the bound of the condition. */
export function quantityChart({ quantity, models, notes }: ScenarioChartData): string {
  if (!quantity) return emptyFigure("Distribution of the condition", notes);
  const { label, bound, edges, shares } = quantity;
  const title = `Distribution of the ${label}`;
  const styles = modelStyles(models, []);
  const colourOf = (name: string) => styles.get(name)?.colour ?? INK.past;
  const x = scaleOf({ label }, "linear", [edges[0], edges[edges.length - 1], bound], { room: 0, count: 7 });
  const heights = shares.flatMap((each) => each.shares);
  const y = scaleOf({ label: "share of the paths", include: [0] }, "linear", heights, {
    ...{ room: 0.06, count: 5 },
  });
  return figure({
    ...{ title, columns: 1, panelHeight: 240, notes },
    legend: [
      ...shares.map(
        ({ name }): LegendEntry => ({ name, mark: "area", colour: colourOf(name), dash: "", opacity: 0.5 }),
      ),
      { name: `bound ${shortNumber(bound)}`, mark: "line", ...RULE_STYLE },
    ],
    panels: [
      {
        draw: (rectangle) =>
          drawPlot(
            {
              ...{ ...PANEL_MARGINS, marginLeft: marginLeft(y) },
              x: { domain: x.domain },
              y: { domain: y.domain },
              marks: [
                ...axisMarks({ x, y }, { width: rectangle.width, yTitle: true }),
                ...shares.map(({ name, shares: heights }) =>
                  rectY(
                    heights.map((height, i) => ({ from: edges[i], to: edges[i + 1], height })),
                    {
                      ...{ x1: "from", x2: "to", y1: 0, y2: "height", fill: colourOf(name) },
                      ...{ fillOpacity: 0.5, insetLeft: 0.5, insetRight: 0.5 },
                    },
                  ),
                ),
                ruleX([bound], {
                  ...{ stroke: RULE_STYLE.colour, strokeWidth: 1.4, strokeDasharray: RULE_STYLE.dash },
                }),
              ],
            },
            rectangle,
          ),
      },
    ],
  });
}
