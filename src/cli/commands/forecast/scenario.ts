// Scenarios of `gflownet forecast predict`: paths under a condition, at another temperature or of plans that noise spoils,
// how likely an event is, and what may stand in gaps.

import { writtenTime } from "../../../forecast/data/index.ts";
import { boundsOf } from "../../../forecast/metrics/index.ts";
import type { ForecastModel } from "../../../forecast/model/index.ts";
import {
  eventProbabilities,
  type FilledGap,
  infillGaps,
  type RealisedReport,
  type ScenarioReport,
  scenarioForecasts,
} from "../../../forecast/scenario/index.ts";
import type { Forecaster, Frequency, Panel } from "../../../forecast/types.ts";
import { UsageError } from "../../fail.ts";
import type { Value } from "./csv.ts";
import { type Asked, askedQuantiles, forecastColumns, quantileColumn } from "./forecast-rows.ts";

export interface ScenarioFlags {
  readonly constraint?: string;
  readonly temperature?: number;
  readonly event?: string;
  readonly infill?: boolean;
  readonly noise?: number;
  readonly branches?: number;
  /** The target that conditions are about. */
  readonly of?: string;
  readonly tuneSeconds?: number;
  readonly tuneIterations?: number;
}

/** Rows with the names of their columns. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, Value>>[];
}

const NAMES = [
  "constraint",
  "temperature",
  "event",
  "infill",
  "noise",
  "branches",
  "of",
  "tuneSeconds",
  "tuneIterations",
] as const;

/** Flags that a flag leaves no use for. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  event: ["infill", "noise", "level", "quantiles", "samples", "paths", "report"],
  infill: ["horizon", "constraint", "temperature", "noise", "of", "paths", "report"],
  tuneSeconds: ["tuneIterations"],
};
/** Flags of which a flag needs one. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  branches: ["infill"],
  of: ["constraint", "event"],
  tuneSeconds: ["constraint", "event", "temperature", "infill"],
  tuneIterations: ["constraint", "event", "temperature", "infill"],
};

/** The first of these flags that was typed, as it is typed. */
export function typedScenario(flags: ScenarioFlags): string | undefined {
  const name = NAMES.find((one) => flags[one] !== undefined);
  return name && typedFlag(name);
}

/** Whether paths are asked for that are not the model's own. */
export function asksPaths({ constraint, temperature, noise = 0 }: ScenarioFlags): boolean {
  return constraint !== undefined || temperature !== undefined || noise > 0;
}

/** Refuses flags that would change nothing, so that nobody thinks they did. */
export function checkScenario(typed: Readonly<Record<string, unknown>>): void {
  const isTyped = (name: string) => typed[name] !== undefined;
  for (const [name, others] of Object.entries(WITHOUT)) {
    const idle = others.find(isTyped);
    if (isTyped(name) && idle) throw new UsageError(`${typedFlag(name)} goes without ${typedFlag(idle)}`);
  }
  for (const [name, others] of Object.entries(NEEDS)) {
    if (!isTyped(name) || others.some(isTyped)) continue;
    const needed = others.map(typedFlag).join(", ");
    throw new UsageError(`${typedFlag(name)} goes with ${others.length > 1 ? "one of " : ""}${needed}`);
  }
}

function typedFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A model whose paths meet a condition, or are likelier or bolder than usual; `onReports` hears how far to trust them. */
export function scenarioForecaster(
  model: ForecastModel,
  flags: ScenarioFlags,
  onReports: (notes: readonly string[]) => void,
): Forecaster {
  const { constraint, temperature, noise } = flags;
  return {
    name: "GFlowNet",
    fit: async () => ({
      async predict(panel, { horizon, quantiles, samples, signal }) {
        const { forecasts, reports } = await scenarioForecasts(model, panel, {
          ...{ horizon, quantiles, samples, constraint, temperature, noise, target: flags.of },
          ...tuningOf(flags, signal),
        });
        onReports(reports.map((report) => reportText(report, flags)));
        return forecasts;
      },
    }),
  };
}

/** How likely an event is, series by series, beside counting among plain draws. */
export async function eventRows(
  model: ForecastModel,
  panel: Panel,
  options: { readonly horizon: number; readonly flags: ScenarioFlags; readonly signal: AbortSignal },
): Promise<Rows> {
  const { horizon, flags, signal } = options;
  const { event = "", constraint, temperature } = flags;
  const chances = await eventProbabilities(model, panel, {
    ...{ event, horizon, constraint, temperature, target: flags.of },
    ...tuningOf(flags, signal),
  });
  return {
    columns: ["unique_id", "event", "probability", "standard_error", "effective_draws", "counted"],
    rows: chances.map(({ id, probability, standardError, effective, plain }) => ({
      ...{ unique_id: id, event, probability, standard_error: standardError, effective_draws: effective },
      counted: Number.isNaN(plain.probability) ? null : plain.probability,
    })),
  };
}

/** What may stand in the gaps of all series, and why some are left. */
export async function infillRows(
  model: ForecastModel,
  panel: Panel,
  options: {
    readonly asked: Asked;
    readonly samples?: number;
    readonly flags: ScenarioFlags;
    readonly signal: AbortSignal;
  },
): Promise<Rows & { readonly notes: readonly string[] }> {
  const { asked, samples, flags, signal } = options;
  const quantiles = askedQuantiles(asked);
  const { filled, skipped } = await infillGaps(model, panel, {
    quantiles,
    samples,
    branches: flags.branches,
    ...tuningOf(flags, signal),
  });
  const several = panel.targets.length > 1;
  const rows = filled.flatMap(({ id, target, times, mean, quantiles: found }) =>
    Array.from(times, (time, t): Record<string, Value> => {
      const at = (q: number) => found[quantiles.indexOf(q)][t];
      return {
        ...{ unique_id: id, ...(several && { target }) },
        ...{ ds: writtenTime(time, model.features.frequency), GFlowNet: mean[t] },
        ...Object.fromEntries(
          asked.levels.flatMap((level) => {
            const [low, high] = boundsOf(level).map(at);
            return [
              [`GFlowNet-lo-${level}`, low],
              [`GFlowNet-hi-${level}`, high],
            ];
          }),
        ),
        ...Object.fromEntries(asked.quantiles.map((q) => [quantileColumn("GFlowNet", q), at(q)])),
      };
    }),
  );
  const notes = [
    ...trustIn(filled, model.features.frequency),
    ...skipped.map(({ id, reason }) => `a gap of series ${JSON.stringify(id)} is left: ${reason}`),
  ];
  const columns = forecastColumns([{ name: "GFlowNet", forecasts: filled }], panel, asked);
  return { columns, rows, notes: rows.length + notes.length > 0 ? notes : ["no series has a gap"] };
}

/** Fewer plain draws than this say little of how far off a fill may be. */
const FEW_DRAWS = 30;

/** How far to trust what was filled: one sentence for all, and one for each gap that few paths fit. */
function trustIn(filled: readonly FilledGap[], frequency: Frequency | null): string[] {
  if (filled.length === 0) return [];
  const worth = filled.map(({ report }) => Math.round(report.effective));
  const [least, most] = [Math.min(...worth), Math.max(...worth)];
  const gaps = filled.length === 1 ? "1 gap is filled; its" : `${filled.length} gaps are filled; their`;
  return [
    `${gaps} weighted paths are worth ${least === most ? least : `${least} to ${most}`} plain draws`,
    ...filled.flatMap(({ id, rows, times }, i) =>
      worth[i] >= FEW_DRAWS
        ? []
        : [
            `few paths fit the gap of ${rows} rows from ${writtenTime(times[0], frequency)} on in series ${JSON.stringify(id)}: take its intervals with care, or raise --branches or --tune-seconds`,
          ],
    ),
  ];
}

function tuningOf({ tuneSeconds, tuneIterations }: ScenarioFlags, signal: AbortSignal | undefined) {
  return { seconds: tuneSeconds, iterations: tuneIterations, signal };
}

function reportText(report: ScenarioReport, { constraint, temperature = 1, noise }: ScenarioFlags): string {
  const { id, drawn, effective, logZ, relativeError, realised } = report;
  const worth = realised
    ? `at noise ${noise}, ${realisedText(realised, constraint !== undefined)}`
    : `${drawn} weighted paths are worth ${Math.round(effective)} plain draws`;
  if (constraint === undefined || temperature !== 1) return `series ${JSON.stringify(id)}: ${worth}`;
  const chance = `${constraint} has probability ${Math.min(1, Math.exp(logZ)).toPrecision(3)} ± ${(100 * relativeError).toFixed(1)} %`;
  return `series ${JSON.stringify(id)}: ${chance}; ${worth}`;
}

function realisedText(
  { drawn, acceptance, effective, divergence }: RealisedReport,
  limited: boolean,
): string {
  const met = limited ? `${(100 * acceptance).toFixed(1)} % of ` : "";
  // An estimate of what is 0 may come out a little below it.
  const away = Math.max(0, divergence).toFixed(2);
  return `${met}${drawn} paths that come of plans ${limited ? "meet it; they " : ""}are worth ${Math.round(effective)} plain draws from what is asked for, ${away} nats from it`;
}
