// A design run on disk: opens the scores, trains, and returns the trained policy with all scored strings. It can be killed
// at any moment; started again with the same problem and settings, it continues bit-identically, as long as the budget
// covers the strings in flight, which are sent and counted again.

import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ExpectedScore } from "../channel/expected-score.ts";
import type { EngineName } from "../engine/index.ts";
import type { ConstrainedSequenceEnvironment } from "../gfn/environment/constrained-sequence.ts";
import { rewardTable } from "../gfn/reward/reward.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../gfn/training/checkpoint.ts";
import type { TrainEvent } from "../gfn/training/events.ts";
import type { Snapshot } from "../gfn/training/snapshot.ts";
import { train } from "../gfn/training/train.ts";
import { show, UserError } from "../issues.ts";
import { DeadOracleError, OracleError } from "../oracle/oracle.ts";
import type { Problem } from "../problem/problem.ts";
import { openForWriting, type Run } from "../run/run-folder.ts";
import { createCustomRun, isLogged, runStorage } from "../run/saved-run.ts";
import { type Trained, type TrainedParts, trainedModel } from "../trained/trained.ts";
import type { ScoredDesign } from "./candidates.ts";
import { type AskedDesign, DESIGN_FILES, isSameRun, problemHash, startDesignRun } from "./design-folder.ts";
import { type DesignParts, type DesignPlace, withScores } from "./design-parts.ts";
import {
  alreadyScored,
  type ScoreSource,
  type Synthesis,
  synthesis as synthesisOf,
} from "./design-scorer.ts";
import { checkTrainingMemory, type DesignTraining, designTraining } from "./design-training.ts";
import { distanceOf } from "./distance.ts";
import { designsIn, knownDesigns, tellKnown } from "./known-designs.ts";
import type { ShapedReward, ShapingOptions } from "./reward-shaper.ts";
import type { Round, RoundsOptions } from "./rounds/propose-round.ts";
import { readRounds, writeRounds } from "./rounds/rounds-file.ts";
import type { RoundsPlan } from "./rounds/rounds-plan.ts";
import { type RoundEvent, runRounds } from "./rounds/run-rounds.ts";

/** What to design, where, and with what effort. */
export interface DesignRunOptions extends Omit<DesignPlace, "onProblem" | "check"> {
  readonly iterations?: number;
  readonly seconds?: number;
  /** Spends the budget in rounds of active learning. */
  readonly rounds?: RoundsPlan & Pick<RoundsOptions, "acquisition">;
  readonly engine?: EngineName;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: DesignEvent) => void;
}

/** The signal ended a design before there was a policy. All scores are kept. */
export class DesignStopped extends UserError {
  override readonly name: string = "DesignStopped";
  /** Strings that were sent to the oracle, by this run and earlier ones of the folder; null if the scores were not open. */
  readonly calls: number | null;
  constructor(calls: number | null = null) {
    super("stopped before the first checkpoint; all scores are kept, start again to go on");
    this.calls = calls;
  }
}

/** What happens in a design run. */
export type DesignEvent =
  | {
      readonly kind: "ready";
      readonly mode: DesignTraining["mode"];
      readonly oracle: string | null;
      readonly space: string;
      readonly known: number;
      /** Whether the run continues an earlier one. */
      readonly resumedAt: number | null;
    }
  /** A batch of the oracle got no answers, and is asked again. */
  | { readonly kind: "problem"; readonly message: string }
  /** A round of active learning begins a part, is proposed, or is scored. */
  | { readonly kind: "rounds"; readonly event: RoundEvent; readonly calls: number }
  /** All strings are being scored before training. */
  | { readonly kind: "scoring"; readonly done: number; readonly total: number }
  | {
      readonly kind: "training";
      readonly event: Exclude<TrainEvent, { kind: "checkpoint" }>;
      /** Strings that were sent to the oracle so far. */
      readonly calls: number;
      /** All legal strings that have a score so far. */
      designs(): readonly ScoredDesign[];
    };

/** The result of a design run. */
export interface DesignRun {
  readonly trained: Trained;
  readonly environment: ConstrainedSequenceEnvironment;
  readonly mode: DesignTraining["mode"];
  /** All strings that have a score. */
  readonly scored: readonly ScoredDesign[];
  /** Strings whose scores did not come from the oracle. */
  readonly known: readonly string[];
  readonly reward: ShapedReward;
  /** The reward of every object, relative to the others; null unless every legal string was scored. */
  readonly rewards: Float64Array | null;
  /** The rounds of active learning; none if the design has no rounds. */
  readonly rounds: readonly Round[];
  /** The same strings in the order in which the run used them. */
  readonly order: readonly ScoredDesign[];
  /** What scored the strings; null if the scores were told. */
  readonly oracle: string | null;
  /** Expected scores after errors of synthesis, of the best strings; null if there are no such errors. */
  readonly expected: ReadonlyMap<string, ExpectedScore> | null;
  /** Strings that were sent to the oracle, by this run and earlier ones of the folder. */
  readonly calls: number;
  /** Strings to which the oracle gave no score, and why. */
  readonly failed: readonly { readonly string: string; readonly failure: string }[];
  /** Whether the signal ended the run early. */
  readonly stopped: boolean;
}

/** Defaults of the reward, and draws of an estimate of what synthesis makes of a design. */
const [FLOOR, EFFECTIVE_STRINGS, DRAWS] = [1e-4, 100, 20];
/** What to do after all strings failed. */
const RETRY = "; correct the oracle, then give the same --out with --retry-failed";
/** Designs whose expected score is computed at the end. */
const MOST_EXPECTED = 1000;
/** Iterations between two checkpoints. */
const CHECKPOINT_EVERY = 500;

/** Runs or continues a design. The folder must not be in use. */
export async function runDesign(options: DesignRunOptions): Promise<DesignRun> {
  const { problem, problemText, budget, retryFailed, iterations, seconds, signal, onEvent } = options;
  const folder = resolve(options.folder);
  const onProblem = (message: string) => onEvent?.({ kind: "problem", message });
  const check: DesignPlace["check"] = (environment) => {
    if (options.rounds) checkRounds(problem);
    checkTrainingMemory(environment, problem.training);
  };
  const designing = withScores({ ...options, folder, onProblem, check }, async (parts) => {
    const { environment, store, oracle, before } = parts;
    const stop = () => {
      throw new DesignStopped(store.calls);
    };
    await tellKnown(store, problem);
    const asked: AskedDesign = {
      problem: problemHash(problemText),
      oracle: oracle?.version ?? null,
      budget,
      seed: problem.seed,
      iterations: iterations ?? null,
      seconds: seconds ?? null,
      rounds: options.rounds?.rounds ?? null,
      batch: options.rounds?.batch ?? null,
      acquisition: options.rounds?.acquisition ?? null,
      told: store.tellings,
    };
    // A run that had no scores of these strings cannot go on as if nothing had happened.
    const continued = before !== null && isSameRun(before, asked) && !retryFailed ? before : null;
    const known = continued ? knownDesigns(continued.known, store) : designsIn(store, environment);
    const callsBefore = continued?.calls ?? store.calls;
    if (known.length === 0 && (budget === 0 || !oracle)) {
      throw new UserError(
        "there is nothing to learn from: the problem has no oracle and no known scores; give `known` scores, or tell results with --tell",
      );
    }
    if (known.length === 0 && !continued && store.remaining === 0) {
      throw new UserError(
        `no string has a score, and all ${store.calls} calls of the budget are spent; give a larger budget with --budget`,
      );
    }
    if (!continued) {
      const strings = known.map(({ string }) => string);
      await startDesignRun(folder, { ...asked, calls: callsBefore, known: strings });
    }
    const shaping = shapingOf(problem);
    const synthesis = problemSynthesis(problem, environment, store, shaping);
    const inRounds = await orIfAborted(scoreRounds(options, parts, known), signal, stop);
    const preparing = designTraining({
      environment,
      source: store,
      known: inRounds?.scored ?? known,
      budget: oracle && !inRounds ? Math.max(budget - callsBefore, 0) : 0,
      shaping,
      synthesis,
      ...(problem.preferences && { conditionedOn: problem.objectives }),
      seed: problem.seed,
      settings: problem.training,
      ...{ iterations, seconds, signal },
      ...{ engine: options.engine, threads: options.threads },
      onScored: (done, total) => onEvent?.({ kind: "scoring", done, total }),
    });
    const training = await orIfAborted(preparing, signal, stop);
    const allFailed = withoutScores(parts, RETRY);
    if (training.mode === "table" && allFailed) throw allFailed;
    const { run, snapshot } = await openRunInside(folder, training, continued !== null);
    onEvent?.({
      kind: "ready",
      mode: training.mode,
      oracle: oracle?.label ?? null,
      space: environment.name,
      known: known.length,
      resumedAt: snapshot?.iteration ?? null,
    });
    try {
      const last = await trainInto(run, training, snapshot, (event) =>
        onEvent?.({
          kind: "training",
          event,
          calls: store.calls,
          designs: () => designsIn(store, environment),
        }),
      );
      if (!last) return stop();
      const events = await run.readMetrics();
      const trained = designedModel(training, { snapshot: last, events });
      const scored = designsIn(store, environment);
      const order = inOrder(last, scored);
      const afterTraining = problemSynthesis(problem, environment, alreadyScored(store), shaping);
      const expected =
        afterTraining &&
        (await orIfAborted(
          expectedOfBest(afterTraining, { scored, order }, problem, signal),
          signal,
          () => null,
        ));
      return {
        trained,
        environment,
        mode: training.mode,
        scored,
        known: [...new Set([...store.told, ...problem.known.map(({ string }) => string)])],
        reward: training.reward(last),
        rewards: tableRewards(training),
        rounds: inRounds?.rounds ?? [],
        order,
        oracle: oracle?.label ?? null,
        expected,
        calls: store.calls,
        failed: store.failed(),
        stopped: signal?.aborted === true,
      };
    } catch (error) {
      if (error instanceof DesignStopped || error instanceof DeadOracleError) throw error;
      throw withoutScores(parts, RETRY) ?? error;
    } finally {
      await run.close();
    }
  }).catch((error: unknown) => {
    throw error instanceof DeadOracleError
      ? new OracleError(`${error.message}${RETRY}`, { cause: error })
      : error;
  });
  return orIfAborted(designing, signal, () => {
    throw new DesignStopped();
  });
}

/** Throws a UserError if a problem cannot be designed in rounds. */
export function checkRounds({ noise, preferences }: Pick<Problem, "noise" | "preferences">): void {
  if (preferences) {
    throw new UserError(
      "rounds cannot be used with `preferences: conditioned`, which needs the score of every legal string; leave out `preferences`, or `rounds` and `batch`",
    );
  }
  if (noise.when !== "after") return;
  throw new UserError(
    "rounds cannot be used with noise `after`, because a proxy of the score does not know what synthesis makes of a string; leave out `rounds` and `batch`",
  );
}

/** Spends the budget in rounds, which the folder keeps; null if there are none. */
async function scoreRounds(
  { rounds: plan, problem, folder, engine, threads, signal, onEvent }: DesignRunOptions,
  { environment, store }: DesignParts,
  known: readonly ScoredDesign[],
): Promise<Awaited<ReturnType<typeof runRounds>> | null> {
  if (!plan) return null;
  return runRounds({
    ...{ environment, source: store, known, engine, threads, signal },
    ...{ seed: problem.seed, goal: problem.reward.goal, settings: problem.training },
    ...{ ...plan, distance: distanceOf(problem) },
    saved: await readRounds(folder),
    save: (rounds) => writeRounds(folder, rounds),
    onEvent: (event) => onEvent?.({ kind: "rounds", event, calls: store.calls }),
  });
}

/** The model of a training. Its budget is spent when it ends, so the model knows only the scores that are paid for. */
export function designedModel(
  { mode, options }: DesignTraining,
  state: Pick<TrainedParts, "snapshot" | "events">,
): Trained {
  const scores = mode === "table" ? options.scores : null;
  return trainedModel({ options: { ...options, scores }, ...state }, runStorage);
}

function tableRewards({ mode, options }: DesignTraining): Float64Array | null {
  const { scores, rewardExponent: exponent, rewardFloor: floor } = options;
  return mode === "table" && scores instanceof Float64Array ? rewardTable(scores, { exponent, floor }) : null;
}

/** Says why there is nothing to learn from, if all strings failed; otherwise null. */
export function withoutScores(
  {
    store,
    oracle,
    environment,
  }: Pick<DesignParts, "oracle" | "environment"> & {
    readonly store: Pick<DesignParts["store"], "failed" | "scored">;
  },
  remedy = "",
): OracleError | null {
  const failed = store.failed();
  if (!oracle || failed.length === 0 || designsIn(store, environment).length > 0) return null;
  const [{ string, failure }] = failed;
  return new OracleError(
    `${oracle.label} gave no score for any of ${failed.length} strings; for ${show(string)}: ${failure}${remedy}`,
  );
}

/** The strings in the order of the data set; sorted by string if every legal string was scored. */
export function inOrder({ oracle }: Snapshot, scored: readonly ScoredDesign[]): ScoredDesign[] {
  if (!oracle) return [...scored];
  const found = new Map(scored.map((design) => [design.string, design]));
  return oracle.objects.flatMap((object) => found.get(object) ?? []);
}

/** Expected scores of the best designs that training used, and of the best of all scored strings. */
export async function expectedOfBest(
  { expectedRawScores }: Synthesis,
  { scored, order }: Pick<DesignRun, "scored" | "order">,
  { reward }: Problem,
  signal?: AbortSignal,
): Promise<Map<string, ExpectedScore>> {
  const sign = reward.goal === "minimise" ? -1 : 1;
  const best = [order, scored].flatMap((designs) =>
    designs.toSorted((a, b) => sign * (b.score - a.score)).slice(0, MOST_EXPECTED),
  );
  const strings = [...new Set(best.map(({ string }) => string))];
  const results = await expectedRawScores(strings, signal);
  return new Map(strings.flatMap((string, i) => (results[i] ? [[string, results[i]] as const] : [])));
}

/** The reward of a problem, with defaults. */
export function shapingOf({ reward }: Pick<Problem, "reward">): ShapingOptions {
  const { goal, scale, exponent = 1, effectiveStrings = EFFECTIVE_STRINGS, floor = FLOOR } = reward;
  return { goal, scale, exponent, effectiveStrings, floor };
}

/** Errors of synthesis; null if there are none. Throws a UserError if the reward does not allow an expectation. */
export function problemSynthesis(
  { noise, space, seed }: Problem,
  environment: ConstrainedSequenceEnvironment,
  source: ScoreSource,
  { goal, scale = "none", exponent }: ShapingOptions,
): Synthesis | null {
  if (noise.when !== "after") return null;
  if (goal !== "maximise" || scale !== "none" || exponent === "auto") {
    throw new UserError(
      "noise `after` needs a reward that does not depend on other strings: `goal: maximise`, `scale: none` and a number as `exponent`",
    );
  }
  const { substitution: matrix, insertion, deletion } = noise;
  return synthesisOf({
    ...{ space, source, environment, exponent, seed, draws: DRAWS },
    errors: { substitution: { kind: "substitution", matrix }, insertion, deletion },
  });
}

async function openRunInside(
  folder: string,
  { options }: DesignTraining,
  continues: boolean,
): Promise<{ readonly run: Run; readonly snapshot?: Snapshot }> {
  const inside = join(folder, DESIGN_FILES.run);
  const existing = continues ? await openForWriting(inside).catch(() => null) : null;
  if (existing) {
    const bytes = await existing.readCheckpoint();
    const snapshot = bytes ? decodeCheckpoint(bytes, inside) : undefined;
    return { run: existing, snapshot };
  }
  await rm(inside, { recursive: true, force: true });
  return { run: await createCustomRun(inside, options.environment, options) };
}

async function trainInto(
  run: Run,
  { options }: DesignTraining,
  snapshot: Snapshot | undefined,
  onEvent: (event: Exclude<TrainEvent, { kind: "checkpoint" }>) => void,
): Promise<Snapshot | undefined> {
  await run.truncateMetrics(snapshot?.iteration ?? -1);
  const earlier = await run.readMetrics();
  let last = snapshot;
  const resume = snapshot && { resume: snapshot };
  const events = train({ ...options, ...resume, checkpointEvery: CHECKPOINT_EVERY });
  for await (const event of untilAborted(events, options.signal)) {
    if (event.kind === "checkpoint") {
      await run.writeCheckpoint(encodeCheckpoint(event.snapshot));
      last = event.snapshot;
      continue;
    }
    if (isLogged(event) && !isRepeated(event, earlier)) run.appendMetrics(event);
    onEvent(event);
  }
  return last;
}

/** Whether the metrics have this event already: all events of a run that has ended and is started again for its candidates,
 * and the evaluation after the last checkpoint. */
function isRepeated(event: TrainEvent, earlier: readonly TrainEvent[]): boolean {
  const last = earlier.at(-1);
  if (last?.kind === "end" && !last.stopped) return true;
  return (
    event.kind === "evaluation" &&
    earlier.some((other) => other.kind === "evaluation" && other.iteration === event.iteration)
  );
}

/** The result of some work, or of a fallback if the signal interrupted it. */
async function orIfAborted<T, U>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  fallback: () => U,
): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error;
    return fallback();
  }
}

/** Ends the events where the signal interrupts a call of the oracle. */
async function* untilAborted<T>(events: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
}
