// The progress display of training: a line that is redrawn on a terminal, and plain lines elsewhere.

import type { ModeCounts } from "../gfn/evaluate/mode-counts.ts";
import type { SampleMetrics } from "../gfn/evaluate/sample-metrics.ts";
import type { EvaluationEvent, IterationEvent, StartEvent, TrainEvent } from "../gfn/training/events.ts";
import { formatCount, formatDuration, formatNumber } from "../report/text-format.ts";
import { ProgressLine, type Screen } from "./progress-line.ts";

/** Milliseconds between two updates. */
const REDRAW = { terminal: 100, plain: 5000 };
/** Milliseconds between two updates while the run sends no events. */
const WAITING_INTERVAL = 500;
/** Weight of the past in the moving average of the loss: single values fluctuate. */
const SMOOTHING = 0.98;
/** Largest width of the progress bar. */
const BAR = 24;

/** The parts of the line that a screen has room for. */
interface Form {
  readonly dynamics: boolean;
  /** Whether limits have the label "limit". */
  readonly limit: boolean;
  readonly loss: boolean;
  readonly modes: boolean;
}

const WIDEST: Form = { dynamics: true, limit: true, loss: true, modes: true };
/** From wide to narrow screens. */
const FORMS: readonly Form[] = [
  WIDEST,
  { ...WIDEST, dynamics: false },
  { ...WIDEST, dynamics: false, limit: false },
  { ...WIDEST, dynamics: false, limit: false, loss: false },
  { dynamics: false, limit: false, loss: false, modes: false },
];

export class Display {
  readonly #progress: ProgressLine;
  readonly #now: () => number;
  #waiting: NodeJS.Timeout | undefined;
  #total = 0;
  #first: { readonly iteration: number; readonly time: number } | undefined;
  #drawn = Number.NEGATIVE_INFINITY;
  #loss = Number.NaN;
  #dynamicsLoss: number | null = null;
  #last: EvaluationEvent | undefined;

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#progress = new ProgressLine(screen, now);
    this.#now = now;
  }

  handle(event: TrainEvent): void {
    clearInterval(this.#waiting);
    switch (event.kind) {
      case "start":
        this.#start(event);
        return;
      case "plan":
        this.#total = event.iterations;
        return;
      case "iteration":
        this.#iteration(event);
        return;
      case "evaluation":
        this.#last = event;
        if (this.#progress.isTerminal) return;
        this.#progress.print(
          `after ${formatCount(event.iteration)} iterations: ${this.#evaluation(event, WIDEST).join("  ")}`,
        );
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

  /** Shows on a terminal what the run is doing and for how long, until the next event. */
  wait(text: string): void {
    if (!this.#progress.isTerminal) return;
    const began = this.#now();
    this.#waiting = setInterval(() => {
      this.#progress.show(`${text}, ${formatDuration((this.#now() - began) / 1000)}`, 0, 0);
    }, WAITING_INTERVAL);
  }

  /** Erases the progress line, so that other text can be written. */
  clear(): void {
    clearInterval(this.#waiting);
    this.#progress.clear();
  }

  #start({ iterations, resumedAt, programs }: StartEvent): void {
    this.#total = iterations ?? 0;
    this.#drawn = this.#progress.isTerminal ? Number.NEGATIVE_INFINITY : this.#now();
    if (resumedAt !== null) this.#progress.print(`Resuming after iteration ${formatCount(resumedAt)}.`);
    else if (!this.#progress.isTerminal) this.#progress.print(`Compiled: ${programs.join(", ")}.`);
  }

  #iteration({ iteration, loss, dynamicsLoss }: IterationEvent): void {
    const smooth = (before: number, value: number) =>
      Number.isNaN(before) ? value : SMOOTHING * before + (1 - SMOOTHING) * value;
    this.#loss = smooth(this.#loss, loss);
    if (dynamicsLoss !== null) this.#dynamicsLoss = smooth(this.#dynamicsLoss ?? Number.NaN, dynamicsLoss);
    const now = this.#now();
    // The rate excludes the first iteration, which is slower than the others.
    this.#first ??= { iteration, time: now };
    // A run by seconds plans its iterations after the first one; until then there is nothing to measure progress against.
    if (this.#total === 0) return;
    const wait = this.#progress.isTerminal ? REDRAW.terminal : REDRAW.plain;
    if (now - this.#drawn < wait && iteration < this.#total) return;
    this.#drawn = now;
    if (!this.#progress.isTerminal) {
      this.#progress.print(this.#parts(iteration, now, WIDEST).join("  "));
      return;
    }
    const texts = FORMS.map((form) => this.#parts(iteration, now, form).join("  "));
    const text = texts.find(({ length }) => length <= this.#progress.width) ?? texts[texts.length - 1];
    this.#progress.show(text, iteration / Math.max(this.#total, 1), BAR);
  }

  /** The parts of the line after an iteration. */
  #parts(iteration: number, now: number, form: Form): string[] {
    const { iteration: first, time } = this.#first ?? { iteration, time: now };
    const rate = (1000 * (iteration - first)) / Math.max(now - time, 1);
    return [
      `${formatCount(iteration)}/${formatCount(this.#total)}`,
      ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)}/s`] : []),
      ...(form.loss ? [`loss ${formatNumber(this.#loss)}`] : []),
      ...(form.dynamics && this.#dynamicsLoss !== null
        ? [`dynamics ${formatNumber(this.#dynamicsLoss)}`]
        : []),
      ...(this.#progress.isTerminal && this.#last ? this.#evaluation(this.#last, form) : []),
      ...(rate > 0 ? [`${formatDuration((this.#total - iteration) / rate)} left`] : []),
    ];
  }

  #evaluation(event: EvaluationEvent, { limit: showsLabel, modes: showsModes }: Form): string[] {
    if (!event.exact) return sampledFigures(event.sampled);
    const { reached, limit, modes } = event;
    const beside = (value: number) => `(${showsLabel ? "limit " : ""}${formatNumber(value)})`;
    return [
      `TV ${formatNumber(reached.tv)} ${beside(limit.tv)}`,
      `KL ${formatNumber(reached.kl)} ${beside(limit.kl)}`,
      ...(modes && showsModes ? [modesFigure(modes)] : []),
    ];
  }
}

/** The metrics of a sampled evaluation, with the sampling floor beside the total variation. */
function sampledFigures({ meanScore, tv, floor }: SampleMetrics): string[] {
  const distance = tv === null ? [] : [`sampled TV ${formatNumber(tv)} (perfect ${formatNumber(floor)})`];
  return [...distance, `mean score ${formatNumber(meanScore)}`];
}

/** The recall of known modes, or the number of circles. */
function modesFigure({ recall, circles }: ModeCounts): string {
  return recall === null ? `circles ${circles}` : `modes ${(100 * recall).toFixed(0)} %`;
}
