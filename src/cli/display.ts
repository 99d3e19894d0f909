// What a person sees while a run goes on: a line that moves on a terminal, plain lines elsewhere.

import type { EvaluationEvent, IterationEvent, StartEvent, TrainEvent } from "../gfn/events.ts";
import { count, duration, figure } from "../report/text-table.ts";

/** Where it writes; a terminal if it says so. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Milliseconds between two updates. */
const REDRAW = { terminal: 100, plain: 5000 };
/** Iterations that the shown loss and rate are averages of: single ones jump. */
const SMOOTHING = 0.98;
const BAR = 24;

export class Display {
  readonly #screen: Screen;
  readonly #now: () => number;
  #total = 0;
  #first = 0;
  #began = 0;
  #drawn = Number.NEGATIVE_INFINITY;
  #loss = Number.NaN;
  #dynamicsLoss: number | null = null;
  #last: EvaluationEvent | undefined;

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  handle(event: TrainEvent): void {
    switch (event.kind) {
      case "start":
        this.#start(event);
        return;
      case "iteration":
        this.#iteration(event);
        return;
      case "evaluation":
        this.#last = event;
        if (!this.#screen.isTTY) this.#line(this.#evaluation(event));
        return;
      case "checkpoint":
        return;
      case "end":
        this.clear();
        return;
      default:
        event satisfies never;
    }
  }

  /** Takes the moving line away, so that something else can be written in its place. */
  clear(): void {
    if (this.#screen.isTTY) this.#screen.write("\r\x1b[2K");
  }

  #start({ iterations, resumedAt, programs }: StartEvent): void {
    this.#total = iterations ?? 0;
    this.#first = resumedAt ?? 0;
    this.#began = this.#now();
    if (resumedAt !== null) this.#line(`Going on after iteration ${count(resumedAt)}.`);
    else if (!this.#screen.isTTY) this.#line(`Compiled: ${programs.join(", ")}.`);
  }

  #iteration({ iteration, loss, dynamicsLoss }: IterationEvent): void {
    const smooth = (before: number, value: number) =>
      Number.isNaN(before) ? value : SMOOTHING * before + (1 - SMOOTHING) * value;
    this.#loss = smooth(this.#loss, loss);
    if (dynamicsLoss !== null) this.#dynamicsLoss = smooth(this.#dynamicsLoss ?? Number.NaN, dynamicsLoss);
    const now = this.#now();
    const wait = this.#screen.isTTY ? REDRAW.terminal : REDRAW.plain;
    if (now - this.#drawn < wait && iteration < this.#total) return;
    this.#drawn = now;
    const done = iteration - this.#first;
    const rate = (1000 * done) / Math.max(now - this.#began, 1);
    const left = (this.#total - iteration) / rate;
    const parts = [
      `${count(iteration)}/${count(this.#total)}`,
      `${rate.toFixed(0)}/s`,
      `loss ${figure(this.#loss)}`,
      ...(this.#dynamicsLoss === null ? [] : [`dynamics ${figure(this.#dynamicsLoss)}`]),
      ...(this.#screen.isTTY && this.#last ? [this.#evaluation(this.#last)] : []),
      `${duration(left)} left`,
    ];
    if (!this.#screen.isTTY) {
      this.#line(parts.join("  "));
      return;
    }
    const filled = Math.round((BAR * iteration) / Math.max(this.#total, 1));
    const text = `${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${parts.join("  ")}`;
    this.#screen.write(`\r\x1b[2K${text.slice(0, (this.#screen.columns ?? 120) - 1)}`);
  }

  #evaluation(event: EvaluationEvent): string {
    const where = this.#screen.isTTY ? "" : `after ${count(event.iteration)} iterations: `;
    if (!event.exact) return `${where}mean score ${figure(event.sampled.meanScore)}`;
    const { reached, limit } = event;
    return `${where}TV ${figure(reached.tv)} (limit ${figure(limit.tv)})  KL ${figure(reached.kl)} (limit ${figure(limit.kl)})`;
  }

  #line(text: string): void {
    this.#screen.write(this.#screen.isTTY ? `\r\x1b[2K${text}\n` : `${text}\n`);
  }
}
