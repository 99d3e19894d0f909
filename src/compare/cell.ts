// One cell of a comparison: a method on a task with one seed, until its budget is used up.

import { setImmediate as breathe } from "node:timers/promises";
import { modeSetsOf } from "../baselines/mode-sets.ts";
import { type Progress, progress as progressOf } from "../baselines/progress.ts";
import { type Contestant, type ContestantOptions, contestant, type Step } from "./contestant.ts";
import type { CellRecord } from "./record.ts";

/** How long a cell may go on: by oracle calls, or by the clock. */
export type Budget = { readonly calls: number } | { readonly seconds: number };

export interface CellOptions extends ContestantOptions {
  readonly budget: Budget;
  /** Records after the one at the start, evenly over the budget. */
  readonly evaluations: number;
  /** Seconds since the cell began; from this call on if not given. */
  readonly elapsed?: () => number;
}

export type CellEvent =
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "record"; readonly record: CellRecord };

/** Last samples that a search is judged by: with as many as TFBind8 has strings, a perfect sampler shows a TV of 0.36. */
const WINDOW = 2 ** 18;
/** Seconds between two words about progress. */
const PAUSE = 0.1;
/** An evaluation may take longer at the end than it took at the start. */
const EVALUATION_MARGIN = 1.3;

/** Never more oracle calls than the budget has; the last record is at the end. */
export async function* runCell(options: CellOptions): AsyncGenerator<CellEvent, void> {
  const started = performance.now();
  const elapsed = options.elapsed ?? (() => (performance.now() - started) / 1000);
  const player = await contestant(options);
  try {
    yield* play(player, options, elapsed);
  } finally {
    await player.dispose();
  }
}

async function* play(
  player: Contestant,
  { task, budget, evaluations }: CellOptions,
  elapsed: () => number,
): AsyncGenerator<CellEvent, void> {
  const account = progressOf({
    terminals: task.scores.length,
    modeSets: modeSetsOf(task),
    decode: (terminal) => task.decode(terminal),
    window: WINDOW,
  });
  const means = runningMeans();
  const found: { callsToHalf: number | null; callsToAll: number | null } = {
    callsToHalf: null,
    callsToAll: null,
  };
  let iteration = 0;
  const record = async (): Promise<CellEvent> => ({
    kind: "record",
    record: { ...(await recordOf(player, account, elapsed)), ...found, iteration, ...means.take() },
  });

  const before = elapsed();
  yield await record();
  const clock = { began: elapsed(), deadline: 0 };
  if ("seconds" in budget) {
    clock.deadline = budget.seconds - EVALUATION_MARGIN * (clock.began - before);
  }
  const share = (): number => {
    if ("calls" in budget) return account.calls / budget.calls;
    const { began, deadline } = clock;
    return deadline > began ? Math.min((elapsed() - began) / (deadline - began), 1) : 1;
  };
  const isOver = (done: number) =>
    "calls" in budget ? account.calls + player.batch > budget.calls : done >= 1;

  let due = 1;
  let said = elapsed();
  for (let done = share(); !isOver(done); ) {
    const step = await player.step(iteration, done);
    iteration++;
    account.add(observed(step, task.scores));
    if (account.modesFound >= account.modes / 2) found.callsToHalf ??= account.calls;
    if (account.modesFound === account.modes) found.callsToAll ??= account.calls;
    means.add(step);
    done = share();
    if (!isOver(done) && done * evaluations >= due) {
      yield await record();
      due = Math.floor(done * evaluations) + 1;
    }
    if (elapsed() - said < PAUSE) continue;
    // Steps that never wait would leave no room for messages.
    await breathe();
    said = elapsed();
    yield { kind: "progress", share: done };
  }
  if (iteration > 0) yield await record();
}

function observed({ terminals, samples }: Step, scores: Float64Array) {
  return {
    terminals,
    scores: Float64Array.from(terminals, (terminal) => scores[terminal]),
    ...(samples && { samples }),
  };
}

/** Everything but what only the loop knows. The clock is read last: evaluating takes time. */
async function recordOf(player: Contestant, account: Progress, elapsed: () => number) {
  const { measures, dynamicsFloor } = await player.figures();
  const sampled = player.sampled ? account.sampled(player.target) : null;
  const top = account.topK();
  const { limit, uniform } = player;
  return {
    calls: account.calls,
    seconds: elapsed(),
    tv: measures?.tv ?? null,
    kl: measures?.kl ?? null,
    expectedReward: measures?.expectedReward ?? null,
    sampledTv: sampled?.tv ?? null,
    sampledFloor: sampled?.floor ?? null,
    limitTv: limit.tv,
    limitKl: limit.kl,
    uniformTv: uniform.tv,
    uniformKl: uniform.kl,
    modesFound: account.modesFound,
    modes: account.modes,
    best: top && account.best,
    topMean: top?.mean ?? null,
    diversity: top && top.count > 1 ? top.diversity : null,
    dynamicsFloor,
  };
}

const AVERAGED = ["loss", "dynamicsLoss", "entropyRatio"] as const;
type Averages = Pick<CellRecord, (typeof AVERAGED)[number]>;

/** Means of what steps say, since they were last taken. */
function runningMeans() {
  const sums = new Map<string, number>();
  let steps = 0;
  return {
    add(step: Step): void {
      steps++;
      for (const name of AVERAGED) {
        const value = step[name];
        if (value !== null) sums.set(name, (sums.get(name) ?? 0) + value);
      }
    },
    take(): Averages {
      const means = AVERAGED.map((name) => {
        const sum = sums.get(name);
        return [name, sum === undefined ? null : sum / steps] as const;
      });
      sums.clear();
      steps = 0;
      return Object.fromEntries(means) as unknown as Averages;
    },
  };
}
