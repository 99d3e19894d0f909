// Designs strings in one call, with a score function of the caller and without files.

import { ENGINES } from "../engine/engine-name.ts";
import type { EngineName } from "../engine/index.ts";
import type { DataSetSettings } from "../gfn/training/data-set-settings.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { SettingsInput } from "../gfn/training/settings.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { train } from "../gfn/training/train.ts";
import { type Issue, throwIssues, UserError } from "../issues.ts";
import { type BatchScorer, functionOracle, type StringScorer } from "../oracle/function-oracle.ts";
import type { Problem } from "../problem/problem.ts";
import { parseProblem } from "../problem/read-problem.ts";
import { ACQUISITIONS, type AcquisitionName } from "../proxy/acquisition-names.ts";
import { choice, type Kind, number, problemOf, whole } from "../settings/kinds.ts";
import { nearest } from "../settings/nearest.ts";
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
import { checkTrainingMemory, type DesignTraining, designTraining } from "./design-training.ts";
import { distanceOf } from "./distance.ts";
import { candidateRows } from "./finish-design.ts";
import { MemoryScores } from "./memory-scores.ts";
import type { Round } from "./rounds/propose-round.ts";
import { planRounds } from "./rounds/rounds-plan.ts";
import { type RoundEvent, runRounds } from "./rounds/run-rounds.ts";

/** The options that a problem file has, too. */
const OF_A_PROBLEM = [
  ...["alphabet", "length", "constraints", "noise", "reward", "objectives", "preferences", "known"],
  ...["failures", "seed", "training", "budget"],
] as const satisfies readonly (keyof DesignOptions)[];

const AT_LEAST_ONE = whole(1);
/** The rules of the other options that are numbers or names. */
const OTHER_RULES = {
  rounds: AT_LEAST_ONE,
  batch: AT_LEAST_ONE,
  acquisition: choice(ACQUISITIONS),
  iterations: whole(1, Number.MAX_SAFE_INTEGER),
  seconds: number({ above: 0 }),
  candidates: AT_LEAST_ONE,
  radius: number({ from: 0 }),
  engine: choice(ENGINES),
  threads: AT_LEAST_ONE,
} as const satisfies Partial<Record<keyof DesignOptions, Kind<unknown> | Kind<number> | Kind<string>>>;

const FUNCTIONS = [
  "score",
  "scores",
  "onEvent",
  "onRound",
] as const satisfies readonly (keyof DesignOptions)[];
const NAMES: readonly string[] = [...OF_A_PROBLEM, ...Object.keys(OTHER_RULES), ...FUNCTIONS, "signal"];

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
  const problem = await checkedProblem(options);
  const { score, scores, iterations, seconds, engine, threads, signal, onEvent } = options;
  const { budget, rounds: plan } = planRounds(options, 0);
  const { candidates = 100, radius = 2 } = options;
  const oracle = functionOracle(withoutUndefined({ score, scores, objectives: problem.objectives }));
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
    (await unlessStopped(signal, () =>
      runRounds({
        ...{ environment, source, known: start, engine, threads, signal, seed: problem.seed },
        ...{ goal: problem.reward.goal, settings: problem.training, distance: distanceOf(problem), ...plan },
        acquisition: options.acquisition ?? "thompson",
        saved: [],
        async save() {},
        onEvent: options.onRound,
      }),
    ));
  const prepared = await unlessStopped(signal, () =>
    designTraining({
      ...{ environment, source, shaping, synthesis, seed: problem.seed },
      known: rounds?.scored ?? start,
      budget: rounds ? 0 : budget,
      ...(problem.preferences && { conditionedOn: problem.objectives }),
      ...{ settings: problem.training, iterations, seconds, engine, threads, signal },
    }),
  );
  const allFailed = withoutScores({ store: source, oracle, environment });
  if (prepared.mode === "table" && allFailed) throw allFailed;
  const events: TrainEvent[] = [];
  let snapshot: Snapshot | undefined;
  try {
    for await (const event of train(withInterruptedScores(prepared))) {
      if (event.kind === "checkpoint") snapshot = event.snapshot;
      else events.push(event);
      onEvent?.(event);
    }
  } catch (error) {
    if (signal?.aborted) throw stopped();
    throw withoutScores({ store: source, oracle, environment }) ?? error;
  }
  if (!snapshot) throw stopped();
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

/** The problem that the options describe. Throws a UserError with all that is wrong with them. */
async function checkedProblem(options: DesignOptions): Promise<Problem> {
  const issues = optionIssues(options);
  const given = OF_A_PROBLEM.map((name) => [name, options[name]]);
  try {
    const { problem } = await parseProblem(withoutUndefined(Object.fromEntries(given)));
    throwIssues(issues);
    return problem;
  } catch (error) {
    if (!(error instanceof UserError) || error.issues === issues) throw error;
    throw new UserError([...error.issues, ...issues], { cause: error });
  }
}

/** What is wrong with the options that a problem file does not have. */
function optionIssues(options: DesignOptions): Issue[] {
  const issues: Issue[] = [];
  const add = (path: string, code: string, message: string) => issues.push({ path, code, message });
  for (const path of Object.keys(options)) {
    if (NAMES.includes(path)) continue;
    const meant = nearest(path, NAMES);
    add(path, "unknown", `there is no such option of design${meant ? `; did you mean \`${meant}\`?` : ""}`);
  }
  for (const [path, kind] of Object.entries(OTHER_RULES)) {
    const value = options[path as keyof typeof OTHER_RULES];
    const problem = value === undefined ? null : problemOf<unknown>(kind as Kind<unknown>, value);
    if (problem) add(path, "range", problem);
  }
  for (const path of FUNCTIONS) {
    const type = typeof options[path];
    if (type !== "undefined" && type !== "function") add(path, "type", `must be a function, got ${type}`);
  }
  const { score, scores, budget, rounds, batch } = options;
  if (score === undefined && scores === undefined) {
    add(
      "score",
      "missing",
      "must be a function that scores a string; or give `scores`, which scores a list of them",
    );
  } else if (score !== undefined && scores !== undefined) {
    add("scores", "conflict", "excludes `score`; give one of them");
  }
  if (budget === undefined && (rounds === undefined || batch === undefined)) {
    add("budget", "missing", "must be given, or both `rounds` and `batch`");
  }
  return issues;
}

/** Training whose last batch gets no scores if the signal interrupts it, so that it ends with what it has learned. */
function withInterruptedScores({ mode, options }: DesignTraining): DesignTraining["options"] {
  const { scores, signal } = options;
  if (mode === "table" || typeof scores !== "function" || !signal) return options;
  return {
    ...options,
    async scores(objects) {
      try {
        return await scores(objects);
      } catch (error) {
        if (!signal.aborted) throw error;
        return new Float64Array(objects.length).fill(Number.NaN);
      }
    },
  };
}

/** The result of some work. If the signal interrupts it, there is no policy yet: throws a UserError. */
async function unlessStopped<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw signal?.aborted ? stopped() : error;
  }
}

function stopped(): UserError {
  return new UserError("the design was stopped before its training began");
}
