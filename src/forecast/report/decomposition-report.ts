// Decompositions of the series of a panel: strengths of trend and season, table rows, and charts.

import { type CsvRow, formatCsv } from "../../formats/csv.ts";
import type { DecompositionChart } from "../../report/decomposition-chart.ts";
import { timeFormat } from "../data/time-format.ts";
import { isStepIndexed } from "../data/time-grid.ts";
import { type Decomposition, decompose } from "../decomposition/decompose.ts";
import type { Panel, Series } from "../types.ts";

/** Largest number of series, and of rows per series, for `decompositionStrengths`, because decomposition is slow. */
const [MAX_SERIES, MAX_ROWS] = [5, 20_000];
/** Largest number of series with a chart. */
const MAX_CHARTED_SERIES = 6;

/** Strengths of trend and season of one target, each from 0 to 1. */
export interface DecompositionStrength {
  readonly series: string;
  readonly target: string;
  readonly trend: number | null;
  readonly season: number | null;
  /** Why a strength is null. */
  readonly notes?: readonly string[];
}

/** Strengths of trend and season of the first series. */
export function decompositionStrengths(panel: Panel): DecompositionStrength[] {
  const decomposed = panel.series.filter(({ times }) => times.length <= MAX_ROWS).slice(0, MAX_SERIES);
  return decomposed.flatMap((series) =>
    decompositionsOf(panel, series).map(({ target, parts }) => ({
      series: series.id,
      target,
      trend: parts.trendStrength,
      season: parts.seasons[0]?.strength ?? null,
      ...(parts.notes.length > 0 && { notes: parts.notes }),
    })),
  );
}

/** Trend, season and residual of all series as a CSV file. */
export function decompositionCsv(panel: Panel): string {
  const formatTime = timeFormat(
    panel.frequency,
    panel.series.map(({ times }) => times),
  );
  const rows = panel.series.flatMap((series) =>
    decompositionsOf(panel, series).flatMap(({ target, values, parts }) =>
      Array.from(
        values,
        (y, t): CsvRow => ({
          unique_id: series.id,
          target,
          ds: formatTime(series.times[t]),
          y,
          trend: parts.trend[t],
          // The sum of all seasons, so that trend, season and residual add up.
          season: parts.seasons.reduce((sum, { values: season }) => sum + season[t], 0),
          residual: parts.residual[t],
        }),
      ),
    ),
  );
  const keys = panel.targets.length > 1 ? ["unique_id", "target"] : ["unique_id"];
  return formatCsv([...keys, "ds", "y", "trend", "season", "residual"], rows);
}

/** Charts of the first series. */
export function decompositionCharts(panel: Panel): DecompositionChart[] {
  return panel.series.slice(0, MAX_CHARTED_SERIES).flatMap((series) =>
    decompositionsOf(panel, series).map(({ target, values, parts }) => ({
      title:
        panel.targets.length > 1 ? `Components of ${series.id}, ${target}` : `Components of ${series.id}`,
      timesAreSteps: isStepIndexed(panel.frequency),
      value: { label: target },
      ...{ times: series.times, observed: values, notes: parts.notes.map((note) => `${note}.`) },
      components: [
        { name: "trend", values: parts.trend },
        ...parts.seasons.map(({ season, values }) => ({ name: `season of ${season}`, values })),
        { name: "residual", values: parts.residual },
      ],
    })),
  );
}

/** The decomposition of each target that has values. */
function decompositionsOf(
  { targets, season, furtherSeasons = [] }: Panel,
  series: Series,
): readonly { readonly target: string; readonly values: Float64Array; readonly parts: Decomposition }[] {
  return targets.flatMap((target, j) => {
    const values = series.targets[j];
    return values.some(Number.isFinite)
      ? [{ target, values, parts: decompose(values, [season, ...furtherSeasons]) }]
      : [];
  });
}
