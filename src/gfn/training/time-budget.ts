// Plans how many iterations fit into a time that counts everything: compiling, evaluating, and work after training. The
// plan is made after the first iteration and revised whenever the speed of the machine changes it.
//
// Only the decisions depend on the clock. A run records them as its plan, and whoever follows the plan needs no clock.

import { type Plan, type PlanStep, progressAt } from "./plan.ts";

/** Time that is kept free after the last evaluation, for the work of the caller. */
export interface Reserve {
  readonly seconds: number;
  /** Additional evaluations that the caller makes, each as long as one of training. */
  readonly evaluations: number;
}

export interface TimeBudgetOptions {
  /** The clock should show this when everything is done. */
  readonly seconds: number;
  /** Seconds since the start. */
  readonly clock: () => number;
  /** Iterations between evaluations; 0 for the first and the last only. */
  readonly evaluateEvery: number;
  readonly reserve?: Reserve;
}

export interface TimeBudget {
  /** Whether no time is left for an evaluation and several iterations. */
  isSpent(): boolean;
  /** Call it before the first iteration. `iteration` is the number of completed ones. */
  begin(iteration: number): void;
  /** Call it after an evaluation that took this long. */
  evaluated(seconds: number): void;
  /** A first guess of the number of iterations for a run that continues, from the time of an iteration so far. */
  guess(iteration: number, secondsPerIteration: number): number;
  /** Call it after each iteration, before an evaluation. Returns a new step of the plan, or null if the plan still fits. */
  revise(plan: Plan, iteration: number): PlanStep | null;
}

/** Evaluations between the first and the last take at most this fraction of the time of the iterations. */
const EVALUATION_SHARE = 0.25;
/** The plan changes if the number of remaining iterations changes by more than this fraction. */
const TOLERANCE = 0.02;
/** The plan is checked again after this fraction of the remaining time, but not more often than every few milliseconds. */
const CHECK = { fraction: 0.04, least: 0.02 };
/** The speed is measured over this fraction of the remaining time, within these bounds. */
const WINDOW = { fraction: 0.25, least: 0.5, most: 5 };
/** For this fraction of the training time progress is proportional to the iteration, because early plans are inaccurate. */
const EARLY = 0.05;
/** The last evaluation may take a little longer than those before. */
const EVALUATION_MARGIN = 1.02;
/** If iterations take this many times as long as before, evaluations do so too. Smaller changes are noise. */
const SLOWDOWN = { least: 1.25, most: 4 };
/** The speed at the time of an evaluation is that over at least this time and this many iterations. */
const REFERENCE = { seconds: 0.5, iterations: 8 };
/** It is compared with the speed over this fraction of the time of the run, within these bounds: a short stall must not end
 * the run. */
const STEADY = { fraction: 0.05, least: 0.5, most: WINDOW.most };

/** A moment of training. The time excludes evaluations. */
interface Mark {
  readonly time: number;
  readonly iteration: number;
}

export function timeBudget({ seconds, clock, evaluateEvery, reserve }: TimeBudgetOptions): TimeBudget {
  const { seconds: finish, evaluations: laterEvaluations } = reserve ?? { seconds: 0, evaluations: 0 };
  /** Duration of the last evaluation. */
  let evaluation = 0;
  /** Time of all evaluations since `begin`. */
  let evaluating = 0;
  const marks: Mark[] = [];
  let began = 0;
  let nextCheck = 0;
  /** Seconds per iteration at the time of the last evaluation; null until it is known. */
  let reference: number | null = null;

  const now = () => clock() - evaluating;
  const steadySeconds = Math.min(Math.max(seconds * STEADY.fraction, STEADY.least), STEADY.most);

  /** Seconds per iteration over the latest `window` seconds, without the first iteration, which is slower than the others. */
  function speed(window: number): number {
    const last = marks[marks.length - 1];
    const measured = marks.length > 2 ? marks.slice(1) : marks;
    const from =
      measured.findLast(({ time, iteration }) => time <= last.time - window && iteration < last.iteration) ??
      measured[0];
    return Math.max(last.time - from.time, 1e-9) / Math.max(last.iteration - from.iteration, 1);
  }

  /** Seconds per iteration over this time, and over so many iterations that single ones do not matter. */
  function steadySpeed(window: number): number {
    return speed(Math.max(window, REFERENCE.iterations * speed(0)));
  }

  /** How much slower the machine is than at the time of the last evaluation, at least 1. */
  function slowdown(): number {
    // The first evaluation comes before all iterations, so those after it count.
    const last = marks[marks.length - 1];
    const first = marks[Math.min(1, marks.length - 1)];
    const isEnough =
      last.time - first.time >= REFERENCE.seconds && last.iteration - first.iteration >= REFERENCE.iterations;
    if (reference === null && isEnough) reference = steadySpeed(REFERENCE.seconds);
    const ratio = reference === null ? 1 : steadySpeed(steadySeconds) / reference;
    return ratio < SLOWDOWN.least ? 1 : Math.min(ratio, SLOWDOWN.most);
  }

  /** Time for iterations and evaluations between now and the last evaluation. */
  function timeLeft(slower: number): number {
    const end = evaluation * (1 + laterEvaluations) * EVALUATION_MARGIN + finish;
    return seconds - clock() - slower * end;
  }

  return {
    isSpent: () => clock() >= seconds,

    begin(iteration) {
      began = now();
      marks.splice(0, marks.length, { time: began, iteration });
    },

    evaluated(duration) {
      evaluation = duration;
      if (marks.length === 0) return;
      evaluating += duration;
      if (reference !== null) reference = steadySpeed(REFERENCE.seconds);
    },

    guess: (iteration, perIteration) =>
      iteration + Math.max(1, whole(timeLeft(1) / Math.max(perIteration, 1e-9))),

    revise(plan, iteration) {
      const time = now();
      addMark(marks, { time, iteration });
      const current = plan.at(-1);
      const before = current?.iterations ?? Number.POSITIVE_INFINITY;
      if (iteration >= before) return null;
      if (current && time < nextCheck && iteration + 1 < before) return null;
      const window = Math.min(Math.max(timeLeft(1) * WINDOW.fraction, WINDOW.least), WINDOW.most);
      const perIteration = speed(window);
      const slower = slowdown();
      const left = timeLeft(slower);
      // The first plans are checked soon, because they come from few iterations.
      nextCheck = time + Math.max(Math.min(left * CHECK.fraction, time - began), CHECK.least);
      const cost = slower * evaluation;
      // Near the end no evaluation but the last one fits.
      const every = left < 2 * cost ? 0 : affordableInterval(evaluateEvery, cost / perIteration);
      const fitting = iterationsWithin(left, { perIteration, evaluation: cost, every, iteration });
      // The first iteration is slower than the others, so it alone does not end a run that has time for another one.
      const iterations = iteration + (current || left <= 0 ? fitting : Math.max(fitting, 2));
      const change = Math.abs(iterations - before);
      if (current?.evaluateEvery === every && change <= TOLERANCE * (before - iteration)) return null;
      const isEarly = time - began < EARLY * (time - began + Math.max(left, 0));
      const start = isEarly
        ? { anchor: 0, progress: 0 }
        : { anchor: iteration, progress: progressAt(plan, iteration) };
      return { iteration, iterations, ...start, evaluateEvery: every };
    },
  };
}

/** Adds a mark. Marks are at least 10 ms apart, except the first ones, and those that no window needs are removed. */
function addMark(marks: Mark[], mark: Mark): void {
  if (marks.length > 3 && mark.time - marks[marks.length - 2].time < 0.01) marks.pop();
  marks.push(mark);
  const needed = REFERENCE.iterations + 2;
  while (marks.length > needed && marks[1].time <= mark.time - WINDOW.most) marks.shift();
}

/** The interval between evaluations: doubled until they take at most their share of the time. An evaluation takes as long as
 * `cost` iterations. */
function affordableInterval(every: number, cost: number): number {
  let interval = every;
  while (interval > 0 && cost > EVALUATION_SHARE * interval) interval *= 2;
  return Number.isSafeInteger(interval) ? interval : 0;
}

interface Costs {
  readonly perIteration: number;
  readonly evaluation: number;
  readonly every: number;
  readonly iteration: number;
}

/** Number of iterations after `iteration` that come nearest to a time, including the evaluations between them. The last
 * evaluation is not part of the time. */
function iterationsWithin(time: number, { perIteration, evaluation, every, iteration }: Costs): number {
  const fitting = (left: number) => whole(left / perIteration);
  if (every === 0 || evaluation === 0) return fitting(time);
  const ahead = every - (iteration % every);
  const left = time - (ahead === every ? evaluation : 0) - ahead * perIteration;
  if (left < evaluation) return Math.min(ahead, fitting(left + ahead * perIteration));
  const block = evaluation + every * perIteration;
  const blocks = Math.floor(left / block);
  return ahead + blocks * every + Math.min(every, fitting(left - blocks * block - evaluation));
}

function whole(value: number): number {
  return Math.min(Math.max(Math.round(value), 0), 2 ** 52);
}
