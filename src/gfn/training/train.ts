// The training loop: compile, iterate, evaluate, and report everything as a stream of events.
//
// The loop prints nothing and writes no files; the consumer of the stream does.

import { type Issue, throwIssues } from "../../issues.ts";
import { type Kind, problemOf } from "../../settings/kinds.ts";
import {
  collectedEvaluator,
  type EvaluationOptions,
  type ModelEvaluator,
  modelEvaluator,
} from "../evaluate/model-evaluator.ts";
import { iterationsForCalls } from "./call-plan.ts";
import { CALLS_KIND } from "./data-set-settings.ts";
import type { CheckpointEvent, EvaluationEvent, TrainEvent } from "./events.ts";
import {
  ended,
  evaluatesAt,
  fixedPlan,
  type Plan,
  type PlanStep,
  plannedIterations,
  planProblem,
  progressAt,
  stretched,
} from "./plan.ts";
import { RUN_KINDS } from "./run-kinds.ts";
import { recordedPlan, type Snapshot } from "./snapshot.ts";
import { type Reserve, type TimeBudget, timeBudget } from "./time-budget.ts";
import { modelTrainer, type Trainer, type TrainerOptions } from "./trainer.ts";

/** Options of `train`: all settings, the environment with its scores, and the length of the run. */
export interface TrainOptions extends TrainerOptions, EvaluationOptions {
  /** Number of iterations. Give one of this, `seconds` and `plan`, or none of them to continue a run as it was planned. A
   * run with `calls` has a default, `iterationsForCalls`. */
  readonly iterations?: number;
  /**
   * Duration of the run, compilation and evaluations included. The number of iterations is planned after the first one and
   * revised on the way; plan events report it, and snapshots record it.
   */
  readonly seconds?: number;
  /** The plan of another run, which this run follows: the result is bit-identical to that of the other run. */
  readonly plan?: Plan;
  /** Seconds since the start of the run. Default: since this call. */
  readonly clock?: () => number;
  /** With `seconds`: time that is kept for work of the caller after the last evaluation. Default: none. */
  readonly reserve?: Reserve;
  /** Iterations between evaluations. There is always one at the start and one at the end. Default: 0, no others. With
   * `seconds` they become rarer if they would take more than a fifth of the time. */
  readonly evaluateEvery?: number;
  /** Iterations between checkpoints. There is always one at the end, and one before an error that ends the run.
   * Default: 0, no others. If it is not 0, there is also one before each evaluation of more than a second. */
  readonly checkpointEvery?: number;
  /**
   * Continues a run from a snapshot, with the same result as an uninterrupted one. The problem, the objective, the
   * networks, the buffers and the seed must be the same (`SETTING_RULES`). Other settings, such as learning rates, may
   * change. Another number of `iterations` (in total), or `seconds` (more than before), stretches schedules to the new
   * length.
   */
  readonly resume?: Snapshot;
  /** Ends the run after the current iteration, with a checkpoint and without an evaluation. */
  readonly signal?: AbortSignal;
}

/** Evaluations that take longer come after a checkpoint, so that a process that is stopped during one loses nothing. */
const SLOW_EVALUATION = 1;

/**
 * Trains a model and yields an event for everything that happens. `fit` consumes these events and returns the trained
 * model; use `train` to stop early, to save checkpoints, or to act on events.
 *
 * @example
 * ```ts
 * import { defaultSettings, hypergridTask, train } from "gflownet";
 *
 * const { environment, scores } = hypergridTask({ stick: 0.25, side: 4 });
 * const settings = defaultSettings(environment, { objective: "db", hidden: [16], batch: 16 });
 * for await (const event of train({ ...settings, environment, scores, seed: 0, iterations: 10 })) {
 *   if (event.kind === "evaluation" && event.exact) console.log(event.iteration, event.reached.tv);
 *   if (event.kind === "end") console.log(event.iterations, event.stopped); // 10 false
 * }
 * ```
 */
export async function* train(given: TrainOptions): AsyncGenerator<TrainEvent, void> {
  const options = withIterations(given);
  checkBudget(options);
  const started = performance.now();
  const clock = options.clock ?? (() => (performance.now() - started) / 1000);
  const trainer = await modelTrainer(options);
  try {
    if (options.resume) trainer.restore(options.resume);
    const { oracle } = trainer;
    const evaluator =
      oracle && options.calls !== undefined
        ? collectedEvaluator(oracle, options)
        : await modelEvaluator(trainer, options);
    try {
      yield* run(trainer, evaluator, { ...options, clock });
    } finally {
      await evaluator.dispose();
    }
  } finally {
    await trainer.dispose();
  }
}

async function* run(
  trainer: Trainer,
  evaluator: ModelEvaluator,
  options: TrainOptions & { readonly clock: () => number },
): AsyncGenerator<TrainEvent, void> {
  const { resume, signal, clock, evaluateEvery = 0 } = options;
  const checkpointEvery = options.checkpointEvery || Number.POSITIVE_INFINITY;
  const elapsed = () => (resume?.seconds ?? 0) + clock();
  const budget = budgetOf(options);
  const steps: PlanStep[] = [...planOf(options, budget)];
  const planned = () => plannedIterations(steps) ?? Number.POSITIVE_INFINITY;
  const first = resume?.iteration ?? 0;
  let iteration = first;
  // The time of an evaluation must be measured, so a run by seconds repeats the evaluation that it continues from.
  let evaluated = (resume?.evaluated ?? false) && !budget;
  let evaluationSeconds = 0;
  yield {
    kind: "start",
    engine: trainer.engine,
    programs: [...trainer.programs, ...(evaluator.programName === null ? [] : [evaluator.programName])],
    iterations: plannedIterations(steps),
    seconds: options.seconds ?? null,
    parameters: {
      policy: trainer.model.policyLayout.size,
      dynamics: trainer.learnsDynamics ? trainer.model.dynamicsLayout.size : 0,
    },
    resumedAt: resume ? first : null,
  };

  const evaluate = async (): Promise<EvaluationEvent> => {
    const before = clock();
    const result = await evaluator.evaluate(await trainer.parameters());
    evaluationSeconds = clock() - before;
    budget?.evaluated(evaluationSeconds);
    evaluated = true;
    return { kind: "evaluation", iteration, seconds: elapsed(), ...result };
  };
  const checkpoint = async (): Promise<CheckpointEvent> => {
    const length = lengthOf(steps, budget !== null);
    const position = { iteration, ...length, seconds: elapsed(), evaluated };
    return { kind: "checkpoint", iteration, snapshot: { ...position, ...(await trainer.save()) } };
  };
  /** If the work fails, yields a checkpoint of the state before it, and throws the error again. */
  async function* withCheckpointOnFailure<T>(work: () => Promise<T>): AsyncGenerator<TrainEvent, T> {
    try {
      return await work();
    } catch (error) {
      const last = iteration > first ? await checkpoint().catch(() => null) : null;
      if (last) yield last;
      throw error;
    }
  }
  /** Reports the decisions after this iteration. Those of the snapshot were reported before. */
  function* decisions(): Generator<TrainEvent> {
    const revised = budget && iteration > first ? budget.revise(steps, iteration) : null;
    if (revised) steps.push(revised);
    for (const step of steps) {
      const isNew = !resume?.plan?.includes(step) && !isFromStart(step);
      if (step.iteration === iteration && isNew) yield { kind: "plan", ...step, seconds: elapsed() };
    }
  }

  if (budget?.isSpent() && !resume) steps.push({ ...fixedPlan(1, 0), evaluateEvery: null });
  while (true) {
    yield* decisions();
    // A run with a call budget evaluates the objects that it has paid for; before the first iteration there are none.
    const canEvaluate = options.calls === undefined || iteration > 0;
    const due =
      canEvaluate && (iteration >= planned() || (!evaluated && evaluatesAt(steps, iteration, evaluateEvery)));
    if (due && !signal?.aborted) {
      const isSlow = evaluationSeconds > SLOW_EVALUATION && Number.isFinite(checkpointEvery);
      if (isSlow && iteration > first) yield await checkpoint();
      yield yield* withCheckpointOnFailure(evaluate);
    }
    // A run ends only after an evaluation.
    const over = evaluated && iteration >= planned();
    const stopped = signal?.aborted === true && !over;
    const ends = over || stopped;
    if (ends || (iteration > first && iteration % checkpointEvery === 0)) yield await checkpoint();
    if (ends) {
      yield { kind: "end", iterations: iteration, seconds: elapsed(), stopped };
      return;
    }
    if (iteration === first) budget?.begin(first);
    const report = yield* withCheckpointOnFailure(() =>
      trainer.step(iteration, progressAt(steps, iteration)),
    );
    iteration++;
    evaluated = false;
    yield { kind: "iteration", iteration, ...report };
  }
}

/** A run with a call budget has a number of iterations that depends on the budget, unless its length is given. */
function withIterations(options: TrainOptions): TrainOptions {
  const { calls, iterations, seconds, plan, resume } = options;
  const isGiven = [iterations, seconds, plan, resume].some((each) => each !== undefined);
  // A wrong budget is reported with the other settings.
  if (isGiven || calls === undefined || problemOf(CALLS_KIND, calls) !== null) return options;
  return { ...options, iterations: iterationsForCalls(calls) };
}

/** The planner of a run by seconds. Without an end there is nothing to plan. */
function budgetOf(options: TrainOptions & { readonly clock: () => number }): TimeBudget | null {
  const { seconds, clock, evaluateEvery = 0, reserve } = options;
  if (seconds === undefined || seconds === Number.POSITIVE_INFINITY) return null;
  const every = Number.isFinite(evaluateEvery) ? evaluateEvery : 0;
  return timeBudget({ seconds, clock, evaluateEvery: every, reserve });
}

/** The plan at the start. A new run by seconds has none yet. */
function planOf(
  { iterations, seconds, plan, resume, evaluateEvery = 0 }: TrainOptions,
  budget: TimeBudget | null,
): Plan {
  if (plan) return plan;
  const total = seconds === Number.POSITIVE_INFINITY ? seconds : iterations;
  if (!resume) return total === undefined ? [] : [fixedPlan(total, evaluateEvery)];
  const recorded = recordedPlan(resume, evaluateEvery);
  const { iteration } = resume;
  const every = Number.isFinite(evaluateEvery) ? evaluateEvery : 0; // JSON has no infinity
  if (budget && iteration === 0) return [];
  if (budget) {
    const perIteration = resume.seconds / Math.max(iteration, 1);
    return stretched(ended(recorded, iteration), iteration, budget.guess(iteration, perIteration), every);
  }
  if (total === undefined || total === plannedIterations(recorded)) return recorded;
  if (total === Number.POSITIVE_INFINITY) return [fixedPlan(total, evaluateEvery)];
  return stretched(recorded, iteration, total, every);
}

/** A step of a run whose number of iterations was fixed from the start. */
function isFromStart({ iteration, evaluateEvery }: PlanStep): boolean {
  return iteration === 0 && evaluateEvery !== null;
}

/** The length of a run in a snapshot: a fixed number of iterations, or a plan. */
function lengthOf(plan: Plan, byTime: boolean): Pick<Snapshot, "iterations" | "plan"> {
  const [only] = plan;
  if (!byTime && plan.length === 1 && isFromStart(only)) return { iterations: only.iterations };
  return { iterations: null, plan: [...plan] };
}

/** Throws a UserError with all issues. */
function checkBudget(options: TrainOptions): void {
  const invalid = Object.entries(RUN_KINDS).flatMap(([path, kind]): Issue[] => {
    const value = options[path as keyof typeof RUN_KINDS];
    // Infinity stands for a run that only a signal ends, and for no evaluations or checkpoints in between.
    if (value === undefined || value === Number.POSITIVE_INFINITY) return [];
    const message = problemOf(kind as Kind<unknown>, value);
    return message ? [{ path, code: "range", message }] : [];
  });
  throwIssues(invalid);
  throwIssues(budgetConflicts(options));
}

/** Issues with the length of the run, alone and together with the checkpoint that it continues. */
function budgetConflicts({ iterations, seconds, plan, resume }: TrainOptions): Issue[] {
  const given = [iterations, seconds, plan].filter((each) => each !== undefined).length;
  if (given > 1 || (given === 0 && !resume)) {
    const message = `must be given, or else \`seconds\` or \`plan\`, got ${given === 0 ? "none" : given} of them`;
    return [{ path: "iterations", code: given === 0 ? "missing" : "conflict", message }];
  }
  const wrongPlan = plan && planProblem(plan);
  if (wrongPlan) return [{ path: "plan", code: "range", message: wrongPlan }];
  if (plan?.length === 0) return [{ path: "plan", code: "range", message: "must have a step, got none" }];
  if (!resume) return [];
  if (given === 0 && recordedPlan(resume, 0).length === 0) {
    const message = "has no plan yet; give `iterations` or `seconds`";
    return [{ path: "resume", code: "missing", message }];
  }
  const total = iterations ?? (plan && plannedIterations(plan)) ?? Number.POSITIVE_INFINITY;
  if (resume.iteration > total) {
    const message = `must be at least ${resume.iteration}, the iteration of the checkpoint, got ${total}`;
    return [{ path: plan ? "plan" : "iterations", code: "conflict", message }];
  }
  return [];
}
