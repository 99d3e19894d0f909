// The time budget of a backtest: when it is over, and when a training must end so that others have their share.

/** Part of the share of a training that its iterations may use; the rest is for its final pass and for forecasts. */
const ITERATIONS_SHARE = 0.6;

export class TimeBudget {
  readonly #end: number;

  /** Starts now. Without a number of seconds there is no end. */
  constructor(seconds = Number.POSITIVE_INFINITY) {
    this.#end = performance.now() + 1000 * seconds;
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** The time of `performance.now()` at which the next of several trainings must end; undefined without a budget. */
  deadlineOf(trainings: number): number | undefined {
    if (!Number.isFinite(this.#end)) return undefined;
    const now = performance.now();
    return now + (ITERATIONS_SHARE * Math.max(0, this.#end - now)) / Math.max(1, trainings);
  }
}
