// The scores of designs as training uses them: those of the oracle or, if synthesis errs after a design is fixed, the
// score whose reward is the expected reward of what results.

import { type Channel, type ChannelOptions, channel } from "../channel/channel.ts";
import { type ExpectedScore, expectedScores, MOST_EXACT } from "../channel/expected-score.ts";
import { listStrings, type SequenceSpace, tokenText } from "../constraints/index.ts";
import { RandomStream } from "../engine/random-stream.ts";
import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { mean } from "../math/statistics.ts";
import type { Scored } from "../oracle/score-store.ts";

/** Where scores of strings come from: a score store, or an oracle without a disk. */
export interface ScoreSource {
  /** How many strings were sent to the oracle. */
  readonly calls: number;
  /** How many more may be sent. */
  readonly remaining: number;
  score(strings: readonly string[], signal?: AbortSignal): Promise<readonly Scored[]>;
}

/** A source of the scores that are paid for. Expected scores at the end come from it, so that a design which is started
 * again makes no calls, and has the same candidates. */
export function alreadyScored(
  source: ScoreSource & {
    scored(): readonly { readonly string: string; readonly score: number }[];
    failed(): readonly { readonly string: string; readonly failure: string }[];
  },
): ScoreSource {
  const outcomes = new Map<string, Scored>();
  for (const { string, failure } of source.failed()) outcomes.set(string, { status: "floor", failure });
  for (const { string, score } of source.scored()) outcomes.set(string, { status: "scored", score });
  const { calls, remaining } = source;
  const unscored: Scored = { status: "unscored", reason: "it got no score in training" };
  return {
    ...{ calls, remaining },
    score: async (strings) => strings.map((string) => outcomes.get(string) ?? unscored),
  };
}

/** Stands for a string that failed and counts as the lowest reward. */
const FLOOR = Number.NEGATIVE_INFINITY;

/** The scores of strings for training: NaN for a string that has no score, −Infinity for one that counts as the floor. */
export async function scoresForTraining(
  strings: readonly string[],
  { source, environment }: { readonly source: ScoreSource; readonly environment: Legality },
  signal?: AbortSignal,
): Promise<Float64Array> {
  const legal = strings.filter((string) => environment.isLegal(string));
  const scored = await source.score(legal, signal);
  const outcome = new Map(legal.map((string, i) => [string, scored[i]]));
  return Float64Array.from(strings, (string) => {
    const found = outcome.get(string);
    if (!found) return FLOOR; // free noise wrote an illegal string
    if (found.status === "scored") return found.score;
    return found.status === "floor" ? FLOOR : Number.NaN;
  });
}

type Legality = Pick<ConstrainedSequenceEnvironment, "isLegal">;

/** Errors of synthesis, and how designs are scored under them. */
export interface SynthesisOptions {
  readonly space: SequenceSpace;
  readonly errors: Omit<ChannelOptions, "letters">;
  readonly source: ScoreSource;
  readonly environment: Legality &
    Pick<ConstrainedSequenceEnvironment, "automaton" | "uniformObject" | "describe">;
  /** The reward of a score is the score to this power, and 0 for a negative score. */
  readonly exponent: number;
  /** Draws of an estimate. */
  readonly draws: number;
  readonly seed: number;
}

/** Scores designs by what synthesis makes of them. A string that is not legal or that failed counts 0. */
export interface Synthesis {
  readonly channel: Channel;
  /** Whether the expectations are exact sums, as far as examples show. */
  readonly isExact: boolean;
  /** Strings that the expectation of a design needs on average, each of which may cost a call; 0 if every legal string is
   * scored first. */
  readonly cost: number;
  /** Scores every legal string, if the budget allows it: the expectations of all designs are exact then. Otherwise it does
   * nothing. */
  prepare(signal?: AbortSignal, onScored?: (done: number, total: number) => void): Promise<void>;
  /** For each design the score whose reward is the expected reward; null for a design that could not be scored within the
   * budget. In units of the score, no exponent can overflow. */
  equivalentScores(designs: readonly string[], signal?: AbortSignal): Promise<(number | null)[]>;
  /** Expected scores, which candidates show. */
  expectedRawScores(designs: readonly string[], signal?: AbortSignal): Promise<(ExpectedScore | null)[]>;
}

/** Uniformly drawn designs that tell how many strings a design turns into. */
const EXAMPLES = 16;
/** Legal strings that are scored between two reports of progress, and designs whose sums are computed without a pause. */
const [REPORT_EVERY, DESIGNS_AT_ONCE] = [1024, 16];

/** The scores of some strings as an expectation uses them, and the score that each value of the expectation stands for. */
interface Valuation {
  valuesOf(scores: readonly number[]): readonly number[];
  /** The expectation of these values, as the score it stands for. */
  scoreOf(expected: number): number;
}

/**
 * The expectations are exact sums over all legal strings if the budget allows to score them. Otherwise the sum over all
 * strings that a design can turn into is used, if the budget allows to score those, or draws.
 */
export function synthesis(options: SynthesisOptions): Synthesis {
  const { space, errors, source, environment, exponent, draws, seed } = options;
  const text = tokenText(space.tokens);
  const errorChannel = channel({ letters: space.tokens.length, ...errors });
  const most = Math.min(MOST_EXACT, source.calls + source.remaining);
  const legalStrings = listStrings(environment.automaton, most);
  const isLegal = (string: readonly number[]) => {
    const { min, max } = space.length;
    return string.length >= min && string.length <= max && environment.isLegal(text.join(string));
  };
  /** The scores of all legal strings; null if they cannot all be paid for, undefined if that is not known yet. */
  let legalScores: readonly number[] | null | undefined = legalStrings ? undefined : null;
  const uniform = RandomStream.fromSeed(seed).split("examples");
  const supports = Array.from({ length: legalStrings ? 0 : EXAMPLES }, () => {
    const design = text.parse(environment.describe(environment.uniformObject(uniform)));
    return errorChannel.support(design, most);
  });
  const costs = supports.map((support) => support?.strings.filter(isLegal).length ?? draws);

  async function prepare(
    signal?: AbortSignal,
    onScored?: (done: number, total: number) => void,
  ): Promise<void> {
    if (!legalStrings || legalScores !== undefined) return;
    const outcomes: Scored[] = [];
    for (let start = 0; start < legalStrings.length; start += REPORT_EVERY) {
      const some = legalStrings.slice(start, start + REPORT_EVERY).map((string) => text.join(string));
      outcomes.push(...(await source.score(some, signal)));
      onScored?.(outcomes.length, legalStrings.length);
    }
    // Strings that are counted again after an interruption may have taken the place of others.
    const isPaid = outcomes.every(({ status }) => status !== "unscored");
    legalScores = isPaid ? outcomes.map((outcome) => scoreIn(outcome)) : null;
  }

  async function expected(
    design: string,
    valuation: Valuation,
    signal?: AbortSignal,
  ): Promise<ExpectedScore | null> {
    let isComplete = true;
    const reward = async (strings: readonly (readonly number[])[]) => {
      const outcomes = await source.score(
        strings.map((string) => text.join(string)),
        signal,
      );
      if (outcomes.some(({ status }) => status === "unscored")) isComplete = false;
      return valuation.valuesOf(outcomes.map(scoreIn));
    };
    const stream = RandomStream.fromSeed(seed).split("synthesis").split(design);
    const given = { channel: errorChannel, reward, isLegal, most, draws, stream };
    const [result] = await expectedScores([text.parse(design)], given);
    return isComplete ? { ...result, value: valuation.scoreOf(result.value) } : null;
  }

  async function all(
    designs: readonly string[],
    valuation: () => Valuation,
    signal?: AbortSignal,
  ): Promise<(ExpectedScore | null)[]> {
    await prepare(signal);
    const results: (ExpectedScore | null)[] = [];
    if (legalStrings && legalScores) {
      const { valuesOf, scoreOf } = valuation();
      const values = valuesOf(legalScores);
      const given = { channel: errorChannel, legalStrings, reward: () => values, most };
      const stream = RandomStream.fromSeed(seed); // not used: nothing is drawn
      for (let start = 0; start < designs.length; start += DESIGNS_AT_ONCE) {
        // A sum can take 15 ms, and Ctrl-C waits for the sums of this loop.
        await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
        const some = designs.slice(start, start + DESIGNS_AT_ONCE).map((design) => text.parse(design));
        for (const result of await expectedScores(some, { ...given, stream }))
          results.push({ ...result, value: scoreOf(result.value) });
      }
      return results;
    }
    for (const design of designs) results.push(await expected(design, valuation(), signal));
    return results;
  }
  return {
    channel: errorChannel,
    isExact: supports.every((support) => support !== null),
    cost: legalStrings ? 0 : mean(costs),
    prepare,
    async equivalentScores(designs, signal) {
      const results = await all(designs, () => powers(exponent), signal);
      return results.map((result) => result?.value ?? null);
    },
    expectedRawScores: (designs, signal) => all(designs, () => RAW, signal),
  };
}

/** A score, or 0 for a string without one. */
function scoreIn(outcome: Scored): number {
  return outcome.status === "scored" ? outcome.score : 0;
}

const RAW: Valuation = { valuesOf: (scores) => scores, scoreOf: (expected) => expected };

/** Powers of scores relative to the largest of them, which is 1, so that they do not overflow. */
function powers(exponent: number): Valuation {
  let largest = 0;
  return {
    valuesOf(scores) {
      largest = scores.reduce((a, b) => Math.max(a, b), 0);
      return scores.map((score) => (score > 0 ? (score / largest) ** exponent : 0));
    },
    scoreOf: (expected) => largest * expected ** (1 / exponent),
  };
}
