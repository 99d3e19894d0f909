// Fills gaps inside series, given both sides: paths in proportion to the likelihood of the gap and of what follows it.
// Drawn from left to right alone, a gap would not know where it has to arrive.

import { cutSeries } from "../data/cut.ts";
import { writtenTime } from "../data/times.ts";
import { readSeries } from "../model/features.ts";
import type { ForecastModel } from "../model/likelihood.ts";
import { summary } from "../model/predict.ts";
import type { Forecast, Panel, Series } from "../types.ts";
import {
  edgesOf,
  type Gap,
  gapsOf,
  type LeftGap,
  type Piece,
  piecesOf,
  type Stretch,
  stretchesOf,
} from "./gaps.ts";
import { givenContext } from "./given.ts";
import { type ModelContext, modelLaw } from "./model-law.ts";
import { fillInPieces, type KnownPiece, type PieceContext } from "./pieces.ts";
import type { SamplingOptions } from "./sampling.ts";
import { enginesOf, type ScenarioReport } from "./scenario.ts";

export interface InfillOptions extends SamplingOptions {
  readonly quantiles?: readonly number[];
  /** Paths per gap; as the model was set unless told. */
  readonly samples?: number;
  /** Paths that are kept between two pieces of a gap longer than the horizon; 128 unless told. */
  readonly branches?: number;
}

/** What may stand in a gap: a forecast of its rows. */
export interface FilledGap extends Gap, Omit<Forecast, "id" | "target"> {
  readonly times: Float64Array; // [rows]
  /** Of all that was drawn with it. */
  readonly report: ScenarioReport;
}

export interface Infilled {
  /** Series by series, of each target by target. */
  readonly filled: readonly FilledGap[];
  readonly skipped: readonly LeftGap[];
}

/** Fills all gaps that have values before them, and beside or after them. */
export async function infillGaps(
  model: ForecastModel,
  panel: Panel,
  options: InfillOptions = {},
): Promise<Infilled> {
  const { settings, features } = model;
  const { quantiles = [], samples = settings.samples, seed = settings.seed } = options;
  const { targets } = features;
  const reach = reachOf(model);
  if (reach < 2) {
    throw new RangeError(
      `infill: the model must reach at least 2 rows ahead, to see what follows a gap, got ${reach}`,
    );
  }
  // What the model cannot read is refused, also where it follows the last gap.
  for (const series of panel.series) readSeries(features, series, 0);
  const gaps = panel.series.map((series) => gapsOf(series, targets));
  const stretches = panel.series.flatMap((series, i) =>
    stretchesOf(gaps[i].filter((gap) => whyLeft(model, gap, series) === null)).map((stretch) =>
      planned(series, stretch, reach),
    ),
  );
  const groups = alike(stretches);
  const tunings = groups.reduce((sum, [{ known }]) => sum + known.filter(knowsSomething).length, 0);
  const { law, contexts } = modelLaw(model);
  const filled: FilledGap[] = [];
  for (const group of groups) {
    const { known } = group[0];
    const drawn = await fillInPieces(
      {
        law,
        gaps: group.map(({ series, from }) => `${series.id} from row ${from}`),
        pieces: known,
        async contexts(piece, paths) {
          const startOf = (gap: number) => group[gap].from + group[gap].pieces[piece].offset;
          const read = await contexts(
            paths.map(({ gap, numbers }) =>
              beforeRow(withPath(group[gap], targets, numbers), panel, startOf(gap)),
            ),
          );
          return read.map((context, i) => {
            const { gap } = paths[i];
            return withKnown(context, group[gap].series, startOf(gap), known[piece], law.tokens);
          });
        },
      },
      {
        ...enginesOf(model),
        ...options,
        samples,
        seed,
        seconds: (options.seconds ?? 20) / Math.max(1, tunings),
        proposals: options.proposals ?? Math.max(2000, 4 * samples),
        network: { lags: settings.tokenLags, ...options.network },
      },
    );
    group.forEach(({ series, from, gaps }, i) => {
      for (const gap of gaps) {
        const place = { from: gap.from - from, target: targets.indexOf(gap.target) };
        const paths = drawn[i].paths.map((path) =>
          Float64Array.from(
            { length: gap.rows },
            (_, row) => path[(place.from + row) * targets.length + place.target],
          ),
        );
        filled.push({
          ...gap,
          times: series.times.slice(gap.from, gap.from + gap.rows),
          ...summary(paths, gap.rows, quantiles),
          paths,
          report: { ...drawn[i].report, id: series.id },
        });
      }
    });
  }
  const placeOf = ({ id }: Gap) => panel.series.findIndex((series) => series.id === id);
  const targetOf = ({ target }: Gap) => targets.indexOf(target);
  return {
    filled: filled.sort((a, b) => placeOf(a) - placeOf(b) || targetOf(a) - targetOf(b) || a.from - b.from),
    skipped: panel.series.flatMap((series, i) => [
      ...edgesOf(series, targets, features.frequency),
      ...gaps[i].flatMap((gap) => {
        const reason = whyLeft(model, gap, series);
        return reason === null ? [] : [{ ...gap, reason }];
      }),
    ]),
  };
}

/** Rows from the first of a piece on that the model can tell of; a difference to a row of the piece itself has no token. */
function reachOf({ features: { normalisers, season }, shape: { horizon } }: ForecastModel): number {
  return normalisers?.kind === "seasonal-difference" ? Math.min(horizon, season) : horizon;
}

/** One sentence, or null if a gap can be filled. */
function whyLeft(model: ForecastModel, { from, rows }: Gap, { times }: Series): string | null {
  const { features } = model;
  const { normalisers, season } = features;
  if (normalisers?.kind !== "seasonal-difference") return null;
  // Differences add up from piece to piece, and few of the paths that are kept would end where the right side begins.
  const reach = reachOf(model);
  if (rows >= reach) {
    return `A gap must be shorter than ${reach} rows, which a model of seasonal differences reaches over, got ${rows} from ${writtenTime(times[from], features.frequency)} on.`;
  }
  if (from > season) return null;
  return `A gap must come after the first season of ${season} rows, which differences begin from, got ${rows} from ${writtenTime(times[from], features.frequency)} on.`;
}

/** A stretch of a series with its pieces, and what is known of each. */
interface Planned extends Stretch {
  readonly series: Series;
  readonly pieces: readonly Piece[];
  readonly known: readonly KnownPiece[];
}

function planned(series: Series, stretch: Stretch, horizon: number): Planned {
  const M = series.targets.length;
  const isKnown = (from: number, to: number) =>
    series.targets.some((values) => values.subarray(from, to).some((value) => !Number.isNaN(value)));
  const pieces = piecesOf(stretch.rows, horizon);
  const known = pieces.map(({ offset, rows }): KnownPiece => {
    const start = stretch.from + offset;
    const reach = Math.min(start + horizon, series.times.length);
    return {
      steps: rows * M,
      follows: isKnown(start + rows, reach) ? (reach - start - rows) * M : 0,
      given: isKnown(start, start + rows),
    };
  });
  return { ...stretch, series, pieces, known };
}

function knowsSomething({ follows, given }: KnownPiece): boolean {
  return given || follows > 0;
}

/** Stretches whose pieces are the same: these share policies. */
function alike(stretches: readonly Planned[]): Planned[][] {
  const groups = new Map<string, Planned[]>();
  for (const stretch of stretches) {
    const key = JSON.stringify(stretch.known);
    groups.set(key, [...(groups.get(key) ?? []), stretch]);
  }
  return [...groups.values()];
}

/** The series with what was drawn so far of its gaps: numbers of all targets, row by row from the stretch's first on. */
function withPath({ series, from, gaps }: Planned, names: readonly string[], path: Float64Array): Series {
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

/** The series up to a row, which knows the times that follow. */
function beforeRow(series: Series, panel: Panel, row: number): Series {
  const cut = cutSeries(series, panel, 0, row);
  return { future: { times: series.times.slice(row), covariates: {} }, ...cut };
}

/** The context with the tokens that are known in a piece and after it. */
function withKnown(
  context: ModelContext,
  { targets }: Series,
  start: number,
  { steps, follows, given }: KnownPiece,
  K: number,
): PieceContext {
  const M = targets.length;
  const numberAt = (t: number) => targets[t % M][start + Math.floor(t / M)];
  const tokens = Array.from({ length: steps + follows }, (_, t) => context.token(t, numberAt(t)));
  const densities = tokens.map((token, t) => (token < 0 ? 0 : context.logDensity(t, numberAt(t))));
  const sumOf = (logs: readonly number[]) => logs.reduce((sum, log) => sum + log, 0);
  const after = new Float32Array(follows * K);
  tokens.slice(steps).forEach((token, i) => {
    if (token >= 0) after[i * K + token] = 1;
  });
  const inside = given ? givenContext(context, tokens.slice(0, steps), K) : context;
  return {
    ...inside,
    inputs: { ...inside.inputs, ...(follows > 0 && { after }) },
    logInside: given ? sumOf(densities.slice(0, steps)) : 0,
    logBeyond: sumOf(densities.slice(steps)),
  };
}
