// Stretches that are filled piece by piece, from left to right. Of each piece many paths are drawn, given all that is known
// in it and within reach after it; each goes on with a piece of its own, and lives on as often as what is known is likely
// after it. So what follows the last piece counts for the first one, too (a particle filter whose steps are pieces).

import { RandomStream } from "../../engine/index.ts";
import { givenLaw } from "./given.ts";
import type { LawContext, PathLaw } from "./law.ts";
import { type Sampled, type SamplingOptions, samplePaths } from "./sampling.ts";
import { reportOf, type ScenarioReport } from "./scenario.ts";
import { resampled, weightReport } from "./weights.ts";

/** Steps that are drawn at once, and what is known of them and after them. */
export interface KnownPiece {
  readonly steps: number;
  /** Steps after them of which some are known; contexts then bring `after`. */
  readonly follows: number;
  /** Whether some of the steps themselves are known; contexts are then those of `givenLaw`. */
  readonly given: boolean;
}

/** Numbers drawn so far for a gap, which is told by its place; none before the first piece. */
export interface PathSoFar {
  readonly gap: number;
  readonly numbers: Float64Array;
  /** log of how likely after it is what it has seen ahead; the next piece weighs that anew. */
  readonly logAhead: number;
}

/** Paths so far give contexts of different units, hence log of the densities of known numbers within their bins. */
export interface PieceContext extends LawContext {
  /** Summed over what is known in the piece. */
  readonly logInside: number;
  /** Summed over what is known after it. */
  readonly logBeyond: number;
}

export interface PiecesAsked {
  readonly law: PathLaw;
  /** Names of gaps that are alike in their pieces, so that they share policies. */
  readonly gaps: readonly string[];
  readonly pieces: readonly KnownPiece[];
  /** Contexts of a piece, one for each path so far. */
  contexts(piece: number, paths: readonly PathSoFar[]): Promise<readonly PieceContext[]>;
}

export interface PiecesOptions extends SamplingOptions {
  /** Paths per gap in the end. */
  readonly samples: number;
  /** Paths per gap between two pieces; 128 unless told. */
  readonly branches?: number;
}

export interface FilledPaths {
  readonly id: string;
  /** Numbers of all steps of all pieces, of equal weight. */
  readonly paths: readonly Float64Array[];
  readonly report: ScenarioReport;
}

const BRANCHES = 128;
/** Weighted paths of a piece that goes on from one of many. */
const PROPOSALS = 64;

/** One policy is tuned for each piece that knows something. */
export async function fillInPieces(
  { law, gaps, pieces, contexts }: PiecesAsked,
  options: PiecesOptions,
): Promise<FilledPaths[]> {
  const { samples, branches = BRANCHES, seed = 0 } = options;
  const root = RandomStream.fromSeed(seed).split("infill");
  const reports = gaps.map((): ScenarioReport[] => []);
  let paths: readonly PathSoFar[] = gaps.map((_, gap) => ({
    gap,
    numbers: new Float64Array(0),
    logAhead: 0,
  }));
  for (const [k, { steps, follows, given }] of pieces.entries()) {
    const read = await contexts(k, paths);
    const named = read.map((context, i) => {
      const id = gaps[paths[i].gap];
      return { ...context, id: k === 0 ? id : `${id}, piece ${k + 1}, path ${i + 1}` };
    });
    // Where nothing is known, a path of the law is as good as any other.
    const proposals = given || follows > 0 ? PROPOSALS : 2;
    const sampled = await samplePaths(
      { law: given ? givenLaw(law, steps) : law, contexts: named, steps, follows },
      { ...options, ...(k > 0 && { proposals, rows: proposals }) },
    );
    const count = k === pieces.length - 1 ? samples : branches;
    paths = gaps.flatMap((id, gap) => {
      const own = paths.flatMap((path, i) =>
        path.gap === gap ? [{ path, piece: sampled[i], context: read[i] }] : [],
      );
      reports[gap].push(reportOfPiece(own, pieces.length === 1));
      const stream = k === 0 ? root.split(id) : root.split(id).split(`piece ${k + 1}`);
      return extended(own, count, stream);
    });
  }
  return gaps.map((id, gap) => ({
    id,
    paths: paths.filter((path) => path.gap === gap).map(({ numbers }) => numbers),
    report: reportOfAll(id, reports[gap]),
  }));
}

/** A path so far, and weighted pieces that it may go on with. */
interface Going {
  readonly path: PathSoFar;
  readonly piece: Sampled;
  readonly context: PieceContext;
}

/** `count` paths that go on: each from a path so far, taken as often as it is worth, with one of its own pieces. */
function extended(going: readonly Going[], count: number, stream: RandomStream): PathSoFar[] {
  const times = new Int32Array(going.length);
  if (going.length === 1) times[0] = count;
  else for (const place of resampled(worthOf(going), null, count, stream)) times[place]++;
  return going.flatMap(({ path, context, piece: { logWeights, logAfter, met, paths } }, i) => {
    if (times[i] === 0) return [];
    return resampled(logWeights, met, times[i], stream).map((place) => ({
      gap: path.gap,
      numbers: Float64Array.from([...path.numbers, ...paths[place]]),
      logAhead: logAfter[place] + context.logBeyond,
    }));
  });
}

/** log of how likely after each path is what is known, without what it was already drawn for. */
function worthOf(going: readonly Going[]): Float64Array {
  return Float64Array.from(
    going,
    ({ path, piece, context: { logInside, logBeyond } }) =>
      piece.report.logZ + logInside + logBeyond - path.logAhead,
  );
}

/** Of a piece that goes on from many paths, each of these weighs what it is worth; where it is the only one, Z is of bins. */
function reportOfPiece(going: readonly Going[], only: boolean): ScenarioReport {
  const [{ piece: first }] = going;
  if (only) return reportOf(first);
  if (going.length === 1) return { ...reportOf(first), logZ: worthOf(going)[0] };
  const weights = weightReport(
    worthOf(going),
    going.map(() => true),
  );
  const { iterations, seconds } = first.tuned;
  return { id: first.id, ...weights, learnedLogZ: Number.NaN, iterations, seconds };
}

/** Of all pieces: their Zs multiply, and paths are worth no more than where they were worth least. */
function reportOfAll(id: string, reports: readonly ScenarioReport[]): ScenarioReport {
  if (reports.length === 1) return { ...reports[0], id };
  const sum = (of: (report: ScenarioReport) => number) => reports.reduce((total, one) => total + of(one), 0);
  const least = reports.reduce((worst, one) => (one.effective < worst.effective ? one : worst));
  return {
    id,
    drawn: least.drawn,
    acceptance: 1,
    effective: least.effective,
    logZ: sum(({ logZ }) => logZ),
    relativeError: Math.sqrt(sum(({ relativeError }) => relativeError ** 2)),
    learnedLogZ: Number.NaN,
    iterations: sum(({ iterations }) => iterations),
    seconds: sum(({ seconds }) => seconds),
  };
}
