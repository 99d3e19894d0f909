// Fills gaps inside series, given the values on both sides: paths in proportion to the likelihood of the gap and of the
// values after it. Sampling from left to right alone would ignore the values after the gap.

import { UserError } from "../../issues.ts";
import { sum } from "../../math/statistics.ts";
import { formatTime } from "../data/time-grid.ts";
import { sliceSeries } from "../data/truncate.ts";
import { encodeSeries } from "../model/features.ts";
import { summarisePaths } from "../model/predictor.ts";
import type { ForecastModel } from "../model/train.ts";
import type { Forecast, Panel, Series } from "../types.ts";
import {
  findEdgeGaps,
  findGaps,
  type Gap,
  type GapSpan,
  gapSpans,
  type Segment,
  type SkippedGap,
  segmentsOf,
} from "./gaps.ts";
import { type ModelContext, modelPathDistribution } from "./model-path-distribution.ts";
import { partiallyObservedContext } from "./partially-observed.ts";
import type { SamplingOptions } from "./sample-paths.ts";
import { engineOptionsOf, type ScenarioReport } from "./scenario.ts";
import { infillSegments, type SegmentContext, type SegmentObservations } from "./segment-infilling.ts";

/** Options of `infillGaps`. */
export interface InfillOptions extends SamplingOptions {
  readonly quantiles?: readonly number[];
  /** Number of paths per gap. Default: the setting of the model. */
  readonly samples?: number;
  /** Number of partial paths between two segments of a gap longer than the horizon. Default: 128. */
  readonly particles?: number;
}

/** The predictive distribution of the rows of a gap. */
export interface FilledGap extends Gap, Omit<Forecast, "id" | "target"> {
  readonly times: Float64Array; // [rows]
  /** The report of all rows that were sampled together with the gap. */
  readonly report: ScenarioReport;
}

/** Filled gaps, and the gaps that could not be filled. */
export interface InfillResult {
  /** Ordered by series, then by target, then by row. */
  readonly filled: readonly FilledGap[];
  readonly skipped: readonly SkippedGap[];
}

/** Fills all gaps that have a value of their target before them and a value of any target at the same time or later. */
export async function infillGaps(
  model: ForecastModel,
  panel: Panel,
  options: InfillOptions = {},
): Promise<InfillResult> {
  const { settings, features } = model;
  const { quantiles = [], samples = settings.samples, seed = settings.seed } = options;
  const { targets } = features;
  const reach = reachOf(model);
  if (reach < 2) {
    const message = `the model must reach at least 2 rows ahead to see the values after a gap, got ${reach}; train it with a longer horizon`;
    throw new UserError([{ path: "", code: "horizon", message }]);
  }
  // Rejects rows that the model cannot encode, including those after the last gap.
  for (const series of panel.series) encodeSeries(features, series, 0);
  const gaps = panel.series.map((series) => findGaps(series, targets));
  const spans = panel.series.flatMap((series, i) =>
    gapSpans(gaps[i].filter((gap) => skipReason(model, gap, series) === null)).map((span) =>
      observedSpan(series, span, reach),
    ),
  );
  const groups = groupByObservations(spans);
  const fineTunings = groups.reduce(
    (sum, [{ observations }]) => sum + observations.filter(hasObservations).length,
    0,
  );
  const { distribution, contexts } = modelPathDistribution(model);
  const filled: FilledGap[] = [];
  for (const group of groups) {
    const { observations } = group[0];
    const infilled = await infillSegments(
      {
        distribution,
        gaps: group.map(({ series, from }) => `${series.id} from row ${from}`),
        segments: observations,
        async contexts(segment, paths) {
          const startOf = (gap: number) => group[gap].from + group[gap].segments[segment].offset;
          const modelContexts = await contexts(
            paths.map(({ gap, values }) =>
              seriesBefore(withPath(group[gap], targets, values), panel, startOf(gap)),
            ),
          );
          return modelContexts.map((context, i) => {
            const { gap } = paths[i];
            const { series } = group[gap];
            return withObservations(
              context,
              series,
              startOf(gap),
              observations[segment],
              distribution.tokens,
            );
          });
        },
      },
      {
        ...engineOptionsOf(model),
        ...options,
        samples,
        seed,
        seconds: (options.seconds ?? 20) / Math.max(1, fineTunings),
        proposals: options.proposals ?? Math.max(2000, 4 * samples),
        network: { lags: settings.tokenLags, ...options.network },
      },
    );
    group.forEach(({ series, from, gaps }, i) => {
      for (const gap of gaps) {
        const [offset, target] = [gap.from - from, targets.indexOf(gap.target)];
        const paths = infilled[i].paths.map((path) =>
          Float64Array.from({ length: gap.rows }, (_, row) => path[(offset + row) * targets.length + target]),
        );
        filled.push({
          ...gap,
          times: series.times.slice(gap.from, gap.from + gap.rows),
          ...summarisePaths(paths, gap.rows, quantiles),
          paths,
          report: { ...infilled[i].report, id: series.id },
        });
      }
    });
  }
  const seriesIndex = ({ id }: Gap) => panel.series.findIndex((series) => series.id === id);
  const targetIndex = ({ target }: Gap) => targets.indexOf(target);
  return {
    filled: filled.sort(
      (a, b) => seriesIndex(a) - seriesIndex(b) || targetIndex(a) - targetIndex(b) || a.from - b.from,
    ),
    skipped: panel.series.flatMap((series, i) => [
      ...findEdgeGaps(series, targets, features.frequency),
      ...gaps[i].flatMap((gap) => {
        const reason = skipReason(model, gap, series);
        return reason === null ? [] : [{ ...gap, reason }];
      }),
    ]),
  };
}

/**
 * Number of rows that the model covers, starting with the first row of a segment. With seasonal differences it is at
 * most one season, because the token of a later observation would depend on a sampled value of the segment.
 */
function reachOf({ features: { normalisers, season }, shape: { horizon } }: ForecastModel): number {
  return normalisers?.kind === "seasonal-difference" ? Math.min(horizon, season) : horizon;
}

/** Why a gap cannot be filled, as one sentence; null if it can. */
function skipReason(model: ForecastModel, { from, rows }: Gap, { times }: Series): string | null {
  const { features } = model;
  const { normalisers, season } = features;
  if (normalisers?.kind !== "seasonal-difference") return null;
  // Differences accumulate over segments: in a long gap, only few particles would end near the values after the gap.
  const reach = reachOf(model);
  const got = `got ${rows} ${rows === 1 ? "row" : "rows"} at ${formatTime(times[from], features.frequency)}`;
  if (rows >= reach) {
    return `A gap must be shorter than ${reach} rows, the reach of a model of seasonal differences, ${got}.`;
  }
  if (from > season) return null;
  return `A gap must come after the first season of ${season} rows, the base of seasonal differences, ${got}.`;
}

/** A span of a series with its segments and their observations. */
interface ObservedSpan extends GapSpan {
  readonly series: Series;
  readonly segments: readonly Segment[];
  readonly observations: readonly SegmentObservations[];
}

function observedSpan(series: Series, span: GapSpan, horizon: number): ObservedSpan {
  const M = series.targets.length;
  const hasValue = (from: number, to: number) =>
    series.targets.some((values) => values.subarray(from, to).some((value) => !Number.isNaN(value)));
  const segments = segmentsOf(span.rows, horizon);
  const observations = segments.map(({ offset, rows }): SegmentObservations => {
    const start = span.from + offset;
    const end = Math.min(start + horizon, series.times.length);
    return {
      steps: rows * M,
      stepsAfter: hasValue(start + rows, end) ? (end - start - rows) * M : 0,
      observedInside: hasValue(start, start + rows),
    };
  });
  return { ...span, series, segments, observations };
}

function hasObservations({ stepsAfter, observedInside }: SegmentObservations): boolean {
  return observedInside || stepsAfter > 0;
}

/** Groups spans whose segments have the same observations, so that they share proposals. */
function groupByObservations(spans: readonly ObservedSpan[]): ObservedSpan[][] {
  const groups = new Map<string, ObservedSpan[]>();
  for (const span of spans) {
    const key = JSON.stringify(span.observations);
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  return [...groups.values()];
}

/** The series with the values of a partial path in its gaps. `path` has all targets row by row, from the start of the span. */
function withPath(
  { series, from, gaps }: ObservedSpan,
  names: readonly string[],
  path: Float64Array,
): Series {
  if (path.length === 0) return series;
  const M = names.length;
  const targets = series.targets.map((values) => values.slice());
  for (const gap of gaps) {
    const j = names.indexOf(gap.target);
    const end = Math.min(gap.from + gap.rows, from + path.length / M);
    for (let row = gap.from; row < end; row++) targets[j][row] = path[(row - from) * M + j];
  }
  return { ...series, targets };
}

/** The rows of a series before `row`, with the times of the rows after them. */
function seriesBefore(series: Series, panel: Panel, row: number): Series {
  const cut = sliceSeries(series, panel, 0, row);
  return { future: { times: series.times.slice(row), covariates: {} }, ...cut };
}

/** The context with the observed tokens inside a segment and after it. */
function withObservations(
  context: ModelContext,
  { targets }: Series,
  start: number,
  { steps, stepsAfter, observedInside }: SegmentObservations,
  K: number,
): SegmentContext {
  const M = targets.length;
  const valueAt = (t: number) => targets[t % M][start + Math.floor(t / M)];
  const tokens = Array.from({ length: steps + stepsAfter }, (_, t) => context.tokenOf(t, valueAt(t)));
  const logDensities = tokens.map((token, t) => (token < 0 ? 0 : context.logDensity(t, valueAt(t))));
  const after = new Float32Array(stepsAfter * K);
  tokens.slice(steps).forEach((token, i) => {
    if (token >= 0) after[i * K + token] = 1;
  });
  const inside = observedInside ? partiallyObservedContext(context, tokens.slice(0, steps), K) : context;
  return {
    ...inside,
    inputs: { ...inside.inputs, ...(stepsAfter > 0 && { after }) },
    logDensityInside: observedInside ? sum(logDensities.slice(0, steps)) : 0,
    logDensityAfter: sum(logDensities.slice(steps)),
  };
}
