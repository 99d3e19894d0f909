// The scores of designs as training uses them: those of the oracle or, if synthesis errs after a design is fixed, the
// expected reward of what results.

import { type Channel, type ChannelOptions, channel } from "../channel/channel.ts";
import { type ExpectedScore, expectedScores, MOST_EXACT } from "../channel/expected-score.ts";
import { type SequenceSpace, tokenText } from "../constraints/index.ts";
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
  readonly environment: Legality & Pick<ConstrainedSequenceEnvironment, "uniformObject" | "describe">;
  /** Reward of a score. */
  rewardOf(score: number): number;
  /** Reward of strings that are not legal or that failed. */
  readonly floor: number;
  /** Draws of an estimate. */
  readonly draws: number;
  readonly seed: number;
}

/** Scores designs by what synthesis makes of them. */
export interface Synthesis {
  readonly channel: Channel;
  /** Whether the expectations are exact sums, as far as examples show. */
  readonly isExact: boolean;
  /** Strings that the expectation of a design needs on average, each of which may cost a call. */
  readonly cost: number;
  /** Reward of a score. */
  rewardOf(score: number): number;
  /** Expected rewards; null for a design that could not be scored within the budget. */
  expectedRewards(designs: readonly string[], signal?: AbortSignal): Promise<(ExpectedScore | null)[]>;
  /** Expected scores, which candidates show. */
  expectedRawScores(designs: readonly string[], signal?: AbortSignal): Promise<(ExpectedScore | null)[]>;
}

/** Uniformly drawn designs that tell how many strings a design turns into. */
const EXAMPLES = 16;

/** The exact sum is used if the budget allows to score everything that a design can turn into. */
export function synthesis(options: SynthesisOptions): Synthesis {
  const { space, errors, source, environment, floor, draws, seed } = options;
  const text = tokenText(space.tokens);
  const errorChannel = channel({ letters: space.tokens.length, ...errors });
  const most = Math.min(MOST_EXACT, source.calls + source.remaining);
  const isLegal = (string: readonly number[]) => {
    const { min, max } = space.length;
    return string.length >= min && string.length <= max && environment.isLegal(text.join(string));
  };
  const uniform = RandomStream.fromSeed(seed).split("examples");
  const supports = Array.from({ length: EXAMPLES }, () => {
    const design = text.parse(environment.describe(environment.uniformObject(uniform)));
    return errorChannel.support(design, most);
  });
  const costs = supports.map((support) => support?.strings.filter(isLegal).length ?? draws);

  async function expected(
    design: string,
    rewardOf: (score: number) => number,
    signal?: AbortSignal,
  ): Promise<ExpectedScore | null> {
    let isComplete = true;
    const reward = async (strings: readonly (readonly number[])[]) => {
      const scored = await source.score(
        strings.map((string) => text.join(string)),
        signal,
      );
      return scored.map((each) => {
        if (each.status === "scored") return rewardOf(each.score);
        if (each.status === "unscored") isComplete = false;
        return floor;
      });
    };
    const stream = RandomStream.fromSeed(seed).split("synthesis").split(design);
    const [result] = await expectedScores([text.parse(design)], {
      channel: errorChannel,
      reward,
      isLegal,
      floor,
      most,
      draws,
      stream,
    });
    return isComplete ? result : null;
  }

  const all = async (
    designs: readonly string[],
    rewardOf: (score: number) => number,
    signal?: AbortSignal,
  ) => {
    const results: (ExpectedScore | null)[] = [];
    for (const design of designs) results.push(await expected(design, rewardOf, signal));
    return results;
  };
  return {
    channel: errorChannel,
    isExact: supports.every((support) => support !== null),
    cost: mean(costs),
    rewardOf: options.rewardOf,
    expectedRewards: (designs, signal) => all(designs, options.rewardOf, signal),
    expectedRawScores: (designs, signal) => all(designs, (score) => score, signal),
  };
}
