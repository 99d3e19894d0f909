// Fills gaps inside series, given both sides: paths in proportion to the likelihood of the gap and of what follows it.
// Drawn from left to right alone, a gap would not know where it has to arrive.

import { RandomStream } from "../../engine/index.ts";
import { cutSeries } from "../data/split.ts";
import { isoTime } from "../data/times.ts";
import { readSeries } from "../model/features.ts";
import type { ForecastModel } from "../model/likelihood.ts";
import { summary } from "../model/predict.ts";
import type { Forecast, Panel, Series } from "../types.ts";
import type { LawContext } from "./law.ts";
import { type ModelContext, modelLaw } from "./model-law.ts";
import { type SamplingOptions, samplePaths } from "./sampling.ts";
import { enginesOf, reportOf, type ScenarioReport } from "./scenario.ts";
import { resampled } from "./weights.ts";

export interface InfillOptions extends SamplingOptions {
  readonly quantiles?: readonly number[];
  /** Paths per gap; as the model was set unless told. */
  readonly samples?: number;
}

/** A run of missing values with known ones on both sides. */
export interface Gap {
  readonly id: string;
  /** Row of the first missing value, and how many there are. */
  readonly from: number;
  readonly rows: number;
}

/** What may stand in a gap: a forecast of its rows. */
export interface FilledGap extends Gap, Omit<Forecast, "id"> {
  readonly times: Float64Array; // [rows]
  readonly report: ScenarioReport;
}

export interface Infilled {
  readonly filled: readonly FilledGap[];
  /** Gaps that are left, each with one sentence that says why. */
  readonly skipped: readonly (Gap & { readonly reason: string })[];
}

/** Fills all gaps that the model's horizon spans; the panel must have one target. */
export async function infillGaps(
  model: ForecastModel,
  panel: Panel,
  options: InfillOptions = {},
): Promise<Infilled> {
  const { settings, features } = model;
  const { quantiles = [], samples = settings.samples, seed = settings.seed } = options;
  if (features.targets.length !== 1) {
    throw new RangeError(`infill: the model must have one target, got ${features.targets.join(", ")}`);
  }
  // What the model cannot read is refused, also where it follows the last gap.
  for (const series of panel.series) readSeries(features, series, 0);
  const gaps = panel.series.flatMap((series) => gapsOf(series).map((gap) => ({ ...gap, series })));
  const fitting = gaps.filter((gap) => whyLeft(model, gap) === null);
  const { law, contexts } = modelLaw(model);
  const filled: FilledGap[] = [];
  const groups = alike(fitting, reachOf(model));
  for (const { steps, follows, gaps: group } of groups) {
    const before = group.map(({ series, from }) => beforeGap(series, panel, from));
    const read = await contexts(before);
    const sampled = await samplePaths(
      {
        law,
        contexts: read.map((context, i) => withAfter(context, group[i], steps, follows, law.tokens)),
        steps,
        follows,
      },
      {
        ...enginesOf(model),
        ...options,
        seed,
        seconds: (options.seconds ?? 20) / groups.length,
        proposals: options.proposals ?? Math.max(2000, 4 * samples),
        network: { lags: settings.tokenLags, ...options.network },
      },
    );
    sampled.forEach((one, i) => {
      const { id, from, rows, series } = group[i];
      const stream = RandomStream.fromSeed(seed).split("infill").split(one.id);
      const paths = resampled(one.logWeights, one.met, samples, stream).map((place) => one.paths[place]);
      filled.push({
        ...{ id, from, rows },
        target: features.targets[0],
        times: series.times.slice(from, from + rows),
        ...summary(paths, rows, quantiles),
        paths,
        report: { ...reportOf(one), id },
      });
    });
  }
  const order = (gap: Gap) => panel.series.findIndex(({ id }) => id === gap.id);
  return {
    filled: filled.sort((a, b) => order(a) - order(b) || a.from - b.from),
    skipped: gaps.flatMap((gap) => {
      const { id, from, rows } = gap;
      const reason = whyLeft(model, gap);
      return reason === null ? [] : [{ ...{ id, from, rows }, reason }];
    }),
  };
}

/** Rows from the first of a gap on that the model can tell of; a difference to a row of the gap itself has no token. */
function reachOf({ features: { normalisers, season }, shape: { horizon } }: ForecastModel): number {
  return normalisers?.kind === "seasonal-difference" ? Math.min(horizon, season) : horizon;
}

/** One sentence, or null if a gap can be filled. */
function whyLeft(model: ForecastModel, { from, rows, series }: SeriesGap): string | null {
  const { season } = model.features;
  const reach = reachOf(model);
  const got = `got ${rows} from ${isoTime(series.times[from])} on`;
  if (rows >= reach) {
    const what = reach < model.shape.horizon ? "season of its differences" : "horizon of the model";
    return `A gap must be shorter than ${reach} rows, the ${what}, ${got}.`;
  }
  if (model.features.normalisers?.kind === "seasonal-difference" && from <= season) {
    return `A gap must come after the first season of ${season} rows, which differences begin from, ${got}.`;
  }
  return null;
}

/** Runs of missing values of the first target, with known values before and after them. */
export function gapsOf({ id, targets: [values] }: Series): Gap[] {
  const gaps: Gap[] = [];
  let last = -1;
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return;
    if (last >= 0 && row - last > 1) gaps.push({ id, from: last + 1, rows: row - last - 1 });
    last = row;
  });
  return gaps;
}

type SeriesGap = Gap & { readonly series: Series };

/** Gaps by their length and how many rows follow within reach: these share a policy. */
function alike(gaps: readonly SeriesGap[], reach: number) {
  const groups = new Map<string, { steps: number; follows: number; gaps: SeriesGap[] }>();
  for (const gap of gaps) {
    const steps = gap.rows;
    const follows = Math.min(reach, gap.series.times.length - gap.from) - steps;
    const key = `${steps} ${follows}`;
    if (!groups.has(key)) groups.set(key, { steps, follows, gaps: [] });
    groups.get(key)!.gaps.push(gap);
  }
  return [...groups.values()];
}

/** The series up to a gap, which knows the times that follow. */
function beforeGap(series: Series, panel: Panel, from: number): Series {
  const cut = cutSeries(series, panel, 0, from);
  return { future: { times: series.times.slice(from), covariates: {} }, ...cut };
}

/** The context with the tokens of what follows the gap, which is named by its place. */
function withAfter(
  context: ModelContext,
  { from, series }: SeriesGap,
  steps: number,
  follows: number,
  K: number,
): LawContext {
  const after = new Float32Array(follows * K);
  for (let i = 0; i < follows; i++) {
    const token = context.token(steps + i, series.targets[0][from + steps + i]);
    if (token >= 0) after[i * K + token] = 1;
  }
  return { ...context, id: `${context.id} from row ${from}`, inputs: { ...context.inputs, after } };
}
