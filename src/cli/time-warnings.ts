// Warnings of a run by seconds: that few iterations fit, or that the time is over before the first one.

import type { TrainEvent } from "../gfn/training/events.ts";
import { formatCountOf } from "../report/text-format.ts";

/** Fewer iterations than this train next to nothing. */
const FEW = 100;
const REMEDY = "give more --seconds, or a smaller network or --batch";

export class TimeWarnings {
  readonly #seconds: number;
  readonly #warn: (text: string) => void;
  readonly #timer: NodeJS.Timeout;
  #first = 0;
  #setup: number | undefined;
  #hasWarned = false;

  /** `elapsed` is the time that has passed, in seconds. */
  constructor(seconds: number, warn: (text: string) => void, elapsed = performance.now() / 1000) {
    this.#seconds = seconds;
    this.#warn = warn;
    // Node runs a timer at once if it is longer than 2^31 milliseconds; such a run needs no warning.
    const wait = Math.min(Math.max(seconds - elapsed, 0) * 1000, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#timeIsOver(), wait);
    this.#timer.unref();
  }

  handle(event: TrainEvent): void {
    if (event.kind === "start") this.#first = event.resumedAt ?? 0;
    // In a run that goes on, the time of an event includes the training before.
    else if (event.kind === "evaluation" && this.#first === 0) this.#setup ??= event.seconds;
    else if (event.kind === "iteration") clearTimeout(this.#timer);
    // The first plan comes from one iteration, which is slower than the others.
    else if (event.kind === "plan" && event.iteration > this.#first + 1) this.#fewFit(event.iterations);
    else if (event.kind === "end" && !event.stopped) this.#fewFit(event.iterations);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #timeIsOver(): void {
    this.#once(
      `${this.#seconds} s have passed and training has not begun, because compiling takes longer; ` +
        `the run makes the least that a run needs, one iteration and an evaluation; ${REMEDY}`,
    );
  }

  #fewFit(total: number): void {
    const count = total - this.#first;
    if (count >= FEW) return;
    const setup =
      this.#setup === undefined ? "" : `, of which ${this.#setup.toFixed(1)} s pass before the first`;
    const fit = count === 1 ? "fits" : "fit";
    this.#once(`only ${formatCountOf(count, "iteration")} ${fit} into ${this.#seconds} s${setup}; ${REMEDY}`);
  }

  #once(text: string): void {
    if (!this.#hasWarned) this.#warn(text);
    this.#hasWarned = true;
  }
}
