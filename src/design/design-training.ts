// How a design run trains. If the budget covers every legal string, all of them are scored and training is exact on their
// table. Otherwise training learns from the data set of scored strings, which grows until the budget is spent.

import { approximateCount } from "../constraints/index.ts";
import type { EngineName } from "../engine/index.ts";
import { RandomStream } from "../engine/random-stream.ts";
import type {
  ConstrainedSequenceEnvironment,
  EnumerableConstrainedEnvironment,
} from "../gfn/environment/constrained-sequence.ts";
import { enumerationOf, isEnumerable } from "../gfn/environment/environment.ts";
import type { SavedScores } from "../gfn/reward/cached-score-function.ts";
import { callBudgetDataSettings, callBudgetSettings } from "../gfn/training/call-budget-defaults.ts";
import { iterationsForCalls } from "../gfn/training/call-plan.ts";
import { DATA_SET_KEYS, type DataSetSettings } from "../gfn/training/data-set-settings.ts";
import { defaultSettings } from "../gfn/training/defaults.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import type { TrainOptions } from "../gfn/training/train.ts";
import { UserError } from "../issues.ts";
import type { DesignObjective } from "../oracle/design-objectives.ts";
import { formatCount } from "../report/text-format.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import type { ScoredDesign } from "./candidates.ts";
import { conditionedEnvironment } from "./conditioned-environment.ts";
import { checkDesignMemory } from "./design-memory.ts";
import { type ScoreSource, type Synthesis, scoresForTraining } from "./design-scorer.ts";
import { type ShapedReward, type ShapingOptions, shapeReward } from "./reward-shaper.ts";

/** What is designed, by which scores, and how training is set up. */
export interface DesignTrainingOptions {
  readonly environment: ConstrainedSequenceEnvironment | EnumerableConstrainedEnvironment;
  readonly source: ScoreSource;
  /** Legal strings whose scores are known from the start. */
  readonly known: readonly ScoredDesign[];
  /** Most strings that are sent to the oracle. */
  readonly budget: number;
  readonly shaping: ShapingOptions;
  /** Errors of synthesis after a design is fixed, if there are any. */
  readonly synthesis?: Synthesis | null;
  /** Objectives of a policy that takes their weights as input; undefined if the weights are fixed. */
  readonly conditionedOn?: readonly DesignObjective[];
  readonly seed: number;
  /** Settings that differ from their defaults. */
  readonly settings?: SettingsInput & Partial<DataSetSettings>;
  /** Length of the training. Default: it follows from the budget. */
  readonly iterations?: number;
  readonly seconds?: number;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Is told while all strings are scored. */
  readonly onScored?: (done: number, total: number) => void;
}

/** Training that is ready to start. */
export interface DesignTraining {
  /** `table` if every legal string is scored, `data-set` if training learns from those that are. */
  readonly mode: "table" | "data-set";
  readonly options: TrainOptions;
  /** The reward that belongs to a state of the training, of a run that has ended before too. */
  reward(state: Pick<Snapshot, "oracle">): ShapedReward;
}

/** Most strings of a table, and iterations of training on it by default. */
const [LARGEST_TABLE, TABLE_ITERATIONS] = [2 ** 17, 5000];
/** Share of the budget for known strings, if their rewards depend on strings that they turn into. */
const KNOWN_SHARE = 0.1;
/** Strings that are scored between two reports of progress. */
const REPORT_EVERY = 1024;

/** Throws a UserError if the strings of an environment are too long for the memory. */
export function checkTrainingMemory(
  environment: ConstrainedSequenceEnvironment,
  settings?: DesignTrainingOptions["settings"],
): void {
  checkDesignMemory(environment, callBudgetSettings(environment, ownSettings(settings)));
}

/** Prepares the training. In mode `table` it scores all strings first. */
export async function designTraining(options: DesignTrainingOptions): Promise<DesignTraining> {
  const { environment, known, budget, synthesis, seed, engine, threads, signal } = options;
  const { iterations, seconds } = options;
  const length = seconds !== undefined ? { seconds } : iterations !== undefined ? { iterations } : null;
  const shared = { environment, seed, ...withoutUndefined({ engine, threads, signal }) };
  const paid = new Set(known.map(({ string }) => string));
  const strings = approximateCount(environment.automaton);
  if (!synthesis && isEnumerable(environment) && strings <= Math.min(LARGEST_TABLE, budget + paid.size)) {
    const { texts, scores, exponent, shaped } = await scoreTable(environment, options);
    const { conditionedOn: objectives, source } = options;
    const conditioned =
      objectives && (await conditionedEnvironment(environment, texts, { source, objectives, signal }));
    return {
      mode: "table",
      options: {
        ...defaultSettings(conditioned ?? environment, ownSettings(options.settings)),
        ...{ rewardExponent: exponent, rewardFloor: options.shaping.floor },
        ...shared,
        ...(length ?? { iterations: TABLE_ITERATIONS }),
        ...(conditioned ? { environment: conditioned, scores: conditioned.scores } : { scores }),
      },
      reward: () => shaped,
    };
  }
  if (options.conditionedOn) throw notEnoughFor(strings, budget);
  const settings = callBudgetSettings(environment, ownSettings(options.settings));
  await synthesis?.prepare(signal, options.onScored);
  // If not all strings can be scored, the budget pays for fewer designs than strings.
  const calls = synthesis && strings > budget + paid.size ? Math.floor(budget / synthesis.cost) : budget;
  const knownScores = synthesis ? await knownAfterSynthesis(options, synthesis) : known;
  const shaping = synthesis ? { ...options.shaping, scale: "none" as const } : options.shaping;
  const shaped = (scores: readonly number[]) =>
    shapeReward(scores, { known: knownScores.length, budget: calls }, shaping);
  return {
    mode: "data-set",
    options: {
      ...settings,
      ...callBudgetDataSettings(environment, dataSetSettingsIn(options.settings)),
      ...shared,
      ...(length ?? { iterations: iterationsForCalls(calls) }),
      calls,
      scores: (designs) => scoresOf(designs, options),
      knownScores: {
        objects: knownScores.map(({ string }) => string),
        scores: Float64Array.from(knownScores, ({ score }) => score),
      },
      // Illegal strings, which free noise writes, are not sent to the oracle.
      isFree: (string) => !environment.isLegal(string),
      shapeRewards: (scores) => shaped(scores).logReward,
      ...(!synthesis && { unscaledReward: unscaledReward(options.shaping) }),
    },
    reward: ({ oracle }) => shaped(oracle ? legalScores(oracle, environment) : []),
  };
}

/** The scores of legal strings in the order of their arrival. Illegal ones, which free noise writes, cost no call. */
export function legalScores(
  { objects, scores }: SavedScores,
  environment: Pick<ConstrainedSequenceEnvironment, "isLegal">,
): number[] {
  return [...scores].filter((_, i) => environment.isLegal(objects[i]));
}

/** Scores of designs for the data set: those of the oracle, or after synthesis those that have the expected rewards. */
async function scoresOf(
  designs: readonly string[],
  options: DesignTrainingOptions,
): Promise<ArrayLike<number>> {
  if (!options.synthesis) return scoresForTraining(designs, options, options.signal);
  const equivalent = await options.synthesis.equivalentScores(designs, options.signal);
  return equivalent.map((score) => score ?? Number.NaN);
}

/** The scores of known strings after synthesis. A part of the budget pays for those of the best. Without a budget the scores
 * are measurements of what synthesis made. */
async function knownAfterSynthesis(
  { known, budget, signal }: DesignTrainingOptions,
  synthesis: Synthesis,
): Promise<ScoredDesign[]> {
  if (budget === 0) return known.map(({ string, score }) => ({ string, score: Math.max(score, 0) }));
  const count = Math.floor((KNOWN_SHARE * budget) / synthesis.cost);
  const best = known.toSorted((a, b) => b.score - a.score).slice(0, count);
  const strings = best.map(({ string }) => string);
  const equivalent = await synthesis.equivalentScores(strings, signal);
  return equivalent.flatMap((score, i) => (score === null ? [] : [{ string: strings[i], score }]));
}

function notEnoughFor(strings: number, budget: number): UserError {
  const message = `conditioned needs a score of every legal string: there are ${formatCount(strings)} (at most ${formatCount(LARGEST_TABLE)} are possible), and the budget is ${formatCount(budget)}; raise it, shorten the strings, or use fixed`;
  return new UserError([{ path: "preferences", code: "range", message }]);
}

/** Scores every legal string. The table has the scores and the exponent of their rewards. If scores are scaled, or their
 * powers are too large or too small for a number, it has the rewards as fractions of the largest. These are all 1 if all
 * scores are 0. */
async function scoreTable(
  environment: EnumerableConstrainedEnvironment,
  options: DesignTrainingOptions,
): Promise<{
  readonly texts: readonly string[];
  readonly scores: Float64Array;
  readonly exponent: number;
  readonly shaped: ShapedReward;
}> {
  const { terminals } = enumerationOf(environment);
  const stream = RandomStream.fromSeed(0);
  const texts = Array.from({ length: terminals }, (_, terminal) =>
    environment.describe(environment.sampleTrajectoryTo(terminal, stream)),
  );
  const raw = new Float64Array(terminals);
  for (let start = 0; start < terminals; start += REPORT_EVERY) {
    const some = texts.slice(start, start + REPORT_EVERY);
    raw.set(await scoresForTraining(some, options, options.signal), start);
    options.onScored?.(Math.min(start + REPORT_EVERY, terminals), terminals);
  }
  const scored = Array.from(raw).filter((score) => !Number.isNaN(score));
  const shaped = shapeReward(scored, { known: scored.length, budget: 0 }, options.shaping);
  // A string without a score has the lowest reward: the policy must have some probability for it.
  const largestReward = raw.reduce((a, b) => Math.max(a, b || 0), 0) ** shaped.exponent;
  if (shaped.scale === "none" && largestReward > 0 && largestReward < Number.POSITIVE_INFINITY) {
    return { texts, scores: raw.map((score) => (score > 0 ? score : 0)), exponent: shaped.exponent, shaped };
  }
  const logs = raw.map((score) => shaped.logReward(Number.isNaN(score) ? Number.NEGATIVE_INFINITY : score));
  const largest = logs.reduce((a, b) => Math.max(a, b));
  return { texts, scores: logs.map((log) => Math.exp(log - largest)), exponent: 1, shaped };
}

/** The reward of a score if it does not depend on other scores; undefined otherwise. */
function unscaledReward({ goal, scale = "none", exponent }: ShapingOptions) {
  if (goal !== "maximise" || scale !== "none" || exponent === "auto") return undefined;
  return (score: number) => Math.max(score, 0) ** exponent;
}

const DATA_SET_NAMES: readonly string[] = Object.keys(DATA_SET_KEYS);

/** Settings other than those of the data set. */
function ownSettings(settings: DesignTrainingOptions["settings"] = {}): SettingsInput {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !DATA_SET_NAMES.includes(name)));
}

function dataSetSettingsIn(settings: DesignTrainingOptions["settings"] = {}): Partial<DataSetSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => DATA_SET_NAMES.includes(name)));
}
