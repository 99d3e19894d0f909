// Designs strings in one call, with a score function of the caller and without files.

import type { EngineName } from "../engine/index.ts";
import type { DataSetSettings } from "../gfn/training/data-set-settings.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { train } from "../gfn/training/train.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import { type BatchScorer, functionOracle, type StringScorer } from "../oracle/function-oracle.ts";
import { parseProblem } from "../problem/read-problem.ts";
import type { AcquisitionName } from "../proxy/acquisition-names.ts";
import { problemOf, whole } from "../settings/kinds.ts";
import { withoutUndefined } from "../settings/without-undefined.ts";
import type { Trained } from "../trained/trained.ts";
import type { CandidateRow } from "./candidate-files.ts";
import type { ScoredDesign } from "./candidates.ts";
import { problemEnvironment } from "./design-parts.ts";
import {
  checkRounds,
  designedModel,
  expectedOfBest,
  inOrder,
  problemSynthesis,
  shapingOf,
  withoutScores,
} from "./design-run.ts";
import { alreadyScored } from "./design-scorer.ts";
import { checkTrainingMemory, designTraining } from "./design-training.ts";
import { distanceOf } from "./distance.ts";
import { candidateRows } from "./finish-design.ts";
import { MemoryScores } from "./memory-scores.ts";
import type { Round } from "./rounds/propose-round.ts";
import { planRounds } from "./rounds/rounds-plan.ts";
import { type RoundEvent, runRounds } from "./rounds/run-rounds.ts";

const AT_LEAST_ONE = whole(1);

/** What to design. The members up to `training` are those of a problem file, and are checked by the same rules. */
export interface DesignOptions {
  /** DNA, RNA, protein, the letters as one text, or a list of tokens. */
  readonly alphabet: string | readonly string[];
  /** Number of tokens, fixed or variable. */
  readonly length: number | { readonly min: number; readonly max: number };
  /** What designs must fulfil, such as `{ forbid: ["GATC"], homopolymer: 3 }`. */
  readonly constraints?: Readonly<Record<string, unknown>>;
  /** How the string that is made differs from the one intended, such as `{ stick: 0.1 }`. */
  readonly noise?: Readonly<Record<string, unknown>>;
  /** How scores become rewards, such as `{ goal: "minimise", exponent: "auto" }`. */
  readonly reward?: Readonly<Record<string, unknown>>;
  /** Several values of each string, such as `[{ name: "binding" }, { name: "toxicity", goal: "minimise" }]`. The score
   * functions then return a value for each name. */
  readonly objectives?: readonly Readonly<Record<string, unknown>>[];
  /** `conditioned`: one policy learns all weights of the objectives, and samples take a `preference`. The budget must cover
   * every legal string. Default: fixed. */
  readonly preferences?: "fixed" | "conditioned";
  /** Strings whose scores are known, or with several objectives their `scores` by name. They cost no calls. */
  readonly known?: readonly (
    | ScoredDesign
    | { readonly string: string; readonly scores: Readonly<Record<string, number>> }
  )[];
  /** What happens to a string that cannot be scored. Default: skip. */
  readonly failures?: "skip" | "floor" | "stop";
  /** Seed of all random numbers. Default: 0. */
  readonly seed?: number;
  /** Settings of training that differ from their defaults. */
  readonly training?: SettingsInput & Partial<DataSetSettings>;
  /** Scores one string. Give this or `scores`. */
  readonly score?: StringScorer;
  /** Scores a batch of strings. */
  readonly scores?: BatchScorer;
  /** Most strings that are scored. It may be left out if `rounds` and `batch` are given. */
  readonly budget?: number;
  /** Spends the budget in rounds of active learning: a proxy of the score is fitted to all scores, and proposes the
   * strings of the next round. Default: no rounds, or as many as `batch` fills. */
  readonly rounds?: number;
  /** Strings of a round. Default: the budget divided by `rounds`. */
  readonly batch?: number;
  /** With rounds: how the proxy chooses strings. Default: thompson. */
  readonly acquisition?: AcquisitionName;
  /** Length of the training. Default: it follows from the budget. */
  readonly iterations?: number;
  /** Duration of the training, instead of `iterations`. */
  readonly seconds?: number;
  /** Number of candidates. Default: 100. */
  readonly candidates?: number;
  /** Strings farther apart than this are in different circles. Default: 2. */
  readonly radius?: number;
  /** Default: native if its library can be loaded, else jax. */
  readonly engine?: EngineName;
  /** Threads of the native engine. Default: 1. */
  readonly threads?: number;
  /** Ends the training early; the result has what was found until then. */
  readonly signal?: AbortSignal;
  /** Receives every event of the training, for example to show progress. */
  readonly onEvent?: (event: TrainEvent) => void;
  /** Receives every event of the rounds. */
  readonly onRound?: (event: RoundEvent) => void;
}

/** The result of `design`. */
export interface Design {
  /** A diverse choice of the best strings, best first. */
  readonly candidates: readonly CandidateRow[];
  /** The trained policy, to sample more strings from, or to save. */
  readonly trained: Trained;
  /** All strings that have a score. */
  readonly scored: readonly ScoredDesign[];
  /** Strings that were scored by the function. */
  readonly calls: number;
  /** The rounds of active learning; none if there were no rounds. */
  readonly rounds: readonly Round[];
}

/**
 * Designs strings with high scores that are far apart, and calls the score function at most `budget` times.
 *
 * @example
 * ```ts
 * import { design } from "gflownet";
 *
 * const { candidates, calls, trained } = await design({
 *   alphabet: "DNA",
 *   length: 6,
 *   constraints: { homopolymer: 2 },
 *   score: (string) => string.split("GA").length - 1,
 *   budget: 200,
 *   iterations: 50,
 * });
 * console.log(candidates[0].string, candidates[0].score, calls);
 * await trained.dispose();
 * ```
 */
export async function design(options: DesignOptions): Promise<Design> {
  const { score, scores, iterations, seconds, engine, threads, signal, onEvent } = options;
  const { budget, rounds: plan } = askedRounds(options);
  const { candidates = 100, radius = 2 } = options;
  const { alphabet, length, constraints, noise, reward, objectives, known, failures, seed, training } =
    options;
  const { preferences } = options;
  const parts = { alphabet, length, constraints, noise, reward, objectives, preferences, known };
  const given = { ...parts, failures, seed, training, budget };
  const { problem } = await parseProblem(withoutUndefined(given));
  const oracle = functionOracle({ score, scores, objectives: problem.objectives });
  const source = new MemoryScores({ oracle, budget, onFailure: problem.failures });
  source.tell(problem.known);
  const environment = problemEnvironment(problem, null);
  checkTrainingMemory(environment, problem.training);
  const shaping = shapingOf(problem);
  const legal = () => source.scored().filter(({ string }) => environment.isLegal(string));
  const start = legal();
  const synthesis = problemSynthesis(problem, environment, source, shaping);
  if (plan) checkRounds(problem);
  const rounds =
    plan &&
    (await runRounds({
      ...{ environment, source, known: start, engine, threads, signal, seed: problem.seed },
      ...{ goal: problem.reward.goal, settings: problem.training, distance: distanceOf(problem), ...plan },
      acquisition: options.acquisition ?? "thompson",
      saved: [],
      async save() {},
      onEvent: options.onRound,
    }));
  const prepared = await designTraining({
    ...{ environment, source, shaping, synthesis, seed: problem.seed },
    known: rounds?.scored ?? start,
    budget: rounds ? 0 : budget,
    ...(problem.preferences && { conditionedOn: problem.objectives }),
    ...{ settings: problem.training, iterations, seconds, engine, threads, signal },
  });
  const allFailed = withoutScores({ store: source, oracle, environment });
  if (prepared.mode === "table" && allFailed) throw allFailed;
  const events: TrainEvent[] = [];
  let snapshot: Snapshot | undefined;
  try {
    for await (const event of train(prepared.options)) {
      if (event.kind === "checkpoint") snapshot = event.snapshot;
      else events.push(event);
      onEvent?.(event);
    }
  } catch (error) {
    throw withoutScores({ store: source, oracle, environment }) ?? error;
  }
  if (!snapshot) throw new UserError("the design was stopped before it began");
  const trained = designedModel(prepared, { snapshot, events });
  const scored = legal();
  const afterTraining = problemSynthesis(problem, environment, alreadyScored(source), shaping);
  const order = inOrder(snapshot, scored);
  const expected = afterTraining && (await expectedOfBest(afterTraining, { scored, order }, problem));
  const rows = await candidateRows(
    { trained, scored, known: start.map(({ string }) => string), expected },
    { problem, candidates, radius },
  );
  return { candidates: rows, trained, scored, calls: source.calls, rounds: rounds?.rounds ?? [] };
}

/** The budget and the rounds. Throws a UserError if neither says how many strings are scored. */
function askedRounds(options: DesignOptions): ReturnType<typeof planRounds> {
  const { budget, rounds, batch } = options;
  const issues = Object.entries({ rounds, batch }).flatMap(([path, value]): Issue[] => {
    const problem = value === undefined ? undefined : problemOf(AT_LEAST_ONE, value);
    return problem ? [{ path, code: "range", message: problem }] : [];
  });
  if (budget === undefined && (rounds === undefined || batch === undefined)) {
    issues.push({ path: "budget", code: "missing", message: "must be given, or both `rounds` and `batch`" });
  }
  throwIssues(issues);
  return planRounds(options, 0);
}
