// Tables and notes of scenarios: event probabilities, filled gaps, and the reliability of weighted paths.

import type { CsvRow } from "../../formats/csv.ts";
import { timeFormat } from "../data/time-format.ts";
import { formatTime } from "../data/time-grid.ts";
import { intervalColumns, medianColumn, quantileColumn } from "../forecast-columns.ts";
import { TOKEN_MODEL_LABEL as MODEL } from "../forecasters/forecaster-names.ts";
import { intervalQuantiles } from "../metrics/interval.ts";
import type { ForecastModel } from "../model/train.ts";
import type { EventProbability } from "../scenario/event.ts";
import { type FilledGap, type InfillOptions, infillGaps } from "../scenario/infill.ts";
import {
  type RealisedReport,
  type ScenarioOptions,
  type ScenarioReport,
  scenarioForecasts,
} from "../scenario/scenario.ts";
import type { Forecaster, Frequency, Panel } from "../types.ts";
import { type ForecastColumns, forecastColumnNames, requestedQuantiles } from "./forecast-table.ts";

/** Rows with their column names. */
export interface ScenarioTable {
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
  /** One sentence per remark. */
  readonly notes: readonly string[];
}

/** With a lower effective sample size, the intervals of a filled gap are unreliable. */
const FEW_SAMPLES = 30;

/** A forecaster that samples paths under the scenario. `onReports` receives one report about reliability per series. */
export function scenarioForecaster(
  model: ForecastModel,
  scenario: Omit<ScenarioOptions, "horizon" | "quantiles" | "samples">,
  onReports: (reports: readonly ScenarioReport[]) => void,
  name = MODEL,
): Forecaster {
  return {
    name,
    fit: async () => ({
      async predict(panel, { horizon, quantiles, samples, signal }) {
        const options = { ...scenario, horizon, quantiles, samples, signal };
        const { forecasts, reports } = await scenarioForecasts(model, panel, options);
        onReports(reports);
        return forecasts;
      },
    }),
  };
}

/** The probability of an event per series, with the share of plain samples in which it occurs. */
export function eventTable(event: string, results: readonly EventProbability[]): ScenarioTable {
  return {
    columns: ["unique_id", "event", "probability", "standard_error", "effective_sample_size", "counted"],
    rows: results.map(({ id, probability, standardError, effectiveSampleSize, counted }) => ({
      ...{ unique_id: id, event, probability, standard_error: standardError },
      effective_sample_size: effectiveSampleSize,
      counted: Number.isNaN(counted.probability) ? null : counted.probability,
    })),
    notes: [],
  };
}

/** Forecasts inside the gaps of all series, and notes about their reliability and about skipped gaps. */
export async function infillTable(
  model: ForecastModel,
  panel: Panel,
  columns: ForecastColumns,
  options: Omit<InfillOptions, "quantiles">,
): Promise<ScenarioTable> {
  const requested = requestedQuantiles(columns);
  const { filled, skipped } = await infillGaps(model, panel, { ...options, quantiles: requested });
  const severalTargets = panel.targets.length > 1;
  const timeText = timeFormat(
    model.features.frequency,
    filled.map(({ times }) => times),
  );
  const rows = filled.flatMap(({ id, target, times, mean, quantiles }) =>
    Array.from(times, (time, t): CsvRow => {
      const at = (q: number) => quantiles[requested.indexOf(q)][t];
      const bounds = columns.levels.flatMap((level) => {
        const ends = intervalQuantiles(level).map(at);
        return intervalColumns(MODEL, level).map((column, end) => [column, ends[end]]);
      });
      return {
        ...{ unique_id: id, ...(severalTargets && { target }) },
        ...{ ds: timeText(time), [MODEL]: mean[t], [medianColumn(MODEL)]: at(0.5) },
        ...Object.fromEntries(bounds),
        ...Object.fromEntries(columns.quantiles.map((q) => [quantileColumn(MODEL, q), at(q)])),
      };
    }),
  );
  const notes = [
    ...infillNotes(filled, model.features.frequency),
    ...skipped.map(({ id, reason }) => `a gap of series ${JSON.stringify(id)} is not filled: ${reason}`),
  ];
  return {
    columns: forecastColumnNames([{ name: MODEL, forecasts: filled }], panel, columns),
    rows,
    notes: rows.length + notes.length > 0 ? notes : ["no series has a gap"],
  };
}

/** One note about the effective sample sizes, and one for each gap with a low one. */
function infillNotes(filled: readonly FilledGap[], frequency: Frequency | null): string[] {
  if (filled.length === 0) return [];
  const sizes = filled.map(({ report }) => Math.round(report.effectiveSampleSize));
  const [min, max] = [Math.min(...sizes), Math.max(...sizes)];
  const gaps = filled.length === 1 ? "1 gap is filled" : `${filled.length} gaps are filled`;
  return [
    `${gaps}; the effective sample size of the weighted paths is ${min === max ? min : `${min} to ${max}`}`,
    ...filled.flatMap(({ id, rows, times }, i) =>
      sizes[i] >= FEW_SAMPLES
        ? []
        : [
            `the intervals of the gap of ${rows} rows from ${formatTime(times[0], frequency)} in series ${JSON.stringify(id)} are unreliable, because few paths fit; use more particles or longer fine-tuning`,
          ],
    ),
  ];
}

/** How reliable the paths of a series are, in one sentence. */
export function scenarioNote(
  report: ScenarioReport,
  { constraint, temperature = 1, noise }: Pick<ScenarioOptions, "constraint" | "temperature" | "noise">,
): string {
  const { id, drawn, effectiveSampleSize, logZ, relativeError, realised } = report;
  const series = `series ${JSON.stringify(id)}`;
  const size = realised
    ? `at noise ${noise}, ${realisedNote(realised, constraint !== undefined)}`
    : `${drawn} weighted paths have an effective sample size of ${Math.round(effectiveSampleSize)}`;
  if (constraint === undefined || temperature !== 1) return `${series}: ${size}`;
  const probability = Math.min(1, Math.exp(logZ)).toPrecision(3);
  return `${series}: ${constraint} has probability ${probability} ± ${(100 * relativeError).toFixed(1)} %; ${size}`;
}

function realisedNote(
  { drawn, acceptance, effectiveSampleSize, divergence }: RealisedReport,
  isConstrained: boolean,
): string {
  const accepted = isConstrained ? `, of which ${(100 * acceptance).toFixed(1)} % meet the constraint,` : "";
  // The estimate of a divergence of 0 may be slightly negative.
  const distance = Math.max(0, divergence).toFixed(2);
  return `${drawn} realised paths${accepted} have an effective sample size of ${Math.round(effectiveSampleSize)} and a KL divergence of ${distance} nats from the target`;
}
