// What a person sees while a run goes on: a line that moves on a terminal, plain lines elsewhere.

import type { FoundModes } from "../gfn/evaluate/run-metrics.ts";
import type { SampledMeasures } from "../gfn/evaluate/sampled-evaluator.ts";
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
/** The longest bar. */
const BAR = 24;

/** What the moving line has room for. */
interface Form {
  readonly dynamics: boolean;
  /** Whether the word "limit" stands before limits. */
  readonly limit: boolean;
  readonly loss: boolean;
  readonly modes: boolean;
}

const WIDEST: Form = { dynamics: true, limit: true, loss: true, modes: true };
/** From a wide screen to a narrow one. */
const FORMS: readonly Form[] = [
  WIDEST,
  { ...WIDEST, dynamics: false },
  { ...WIDEST, dynamics: false, limit: false },
  { ...WIDEST, dynamics: false, limit: false, loss: false },
  { dynamics: false, limit: false, loss: false, modes: false },
];

export class Display {
  readonly #screen: Screen;
  readonly #now: () => number;
  #total = 0;
  #first: { readonly iteration: number; readonly time: number } | undefined;
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
        if (this.#screen.isTTY) return;
        this.#line(
          `after ${count(event.iteration)} iterations: ${this.#evaluation(event, WIDEST).join("  ")}`,
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

  /** Takes the moving line away, so that something else can be written in its place. */
  clear(): void {
    if (this.#screen.isTTY) this.#screen.write("\r\x1b[2K");
  }

  #start({ iterations, resumedAt, programs }: StartEvent): void {
    this.#total = iterations ?? 0;
    this.#drawn = this.#screen.isTTY ? Number.NEGATIVE_INFINITY : this.#now();
    if (resumedAt !== null) this.#line(`Going on after iteration ${count(resumedAt)}.`);
    else if (!this.#screen.isTTY) this.#line(`Compiled: ${programs.join(", ")}.`);
  }

  #iteration({ iteration, loss, dynamicsLoss }: IterationEvent): void {
    const smooth = (before: number, value: number) =>
      Number.isNaN(before) ? value : SMOOTHING * before + (1 - SMOOTHING) * value;
    this.#loss = smooth(this.#loss, loss);
    if (dynamicsLoss !== null) this.#dynamicsLoss = smooth(this.#dynamicsLoss ?? Number.NaN, dynamicsLoss);
    const now = this.#now();
    // The first iteration is slower than all others, and says nothing about them.
    this.#first ??= { iteration, time: now };
    const wait = this.#screen.isTTY ? REDRAW.terminal : REDRAW.plain;
    if (now - this.#drawn < wait && iteration < this.#total) return;
    this.#drawn = now;
    if (!this.#screen.isTTY) {
      this.#line(this.#parts(iteration, now, WIDEST).join("  "));
      return;
    }
    const width = (this.#screen.columns ?? 120) - 1;
    const texts = FORMS.map((form) => this.#parts(iteration, now, form).join("  "));
    const text = texts.find(({ length }) => length <= width) ?? texts[texts.length - 1];
    // The bar takes the room that is left.
    const bar = Math.min(BAR, width - text.length - 1);
    const filled = Math.round((bar * iteration) / Math.max(this.#total, 1));
    const shown = bar < 4 ? text : `${"█".repeat(filled)}${"░".repeat(bar - filled)} ${text}`;
    this.#screen.write(`\r\x1b[2K${shown.slice(0, width)}`);
  }

  /** What there is to say after an iteration, in as many words as the form has. */
  #parts(iteration: number, now: number, form: Form): string[] {
    const { iteration: first, time } = this.#first ?? { iteration, time: now };
    const rate = (1000 * (iteration - first)) / Math.max(now - time, 1);
    return [
      `${count(iteration)}/${count(this.#total)}`,
      ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)}/s`] : []),
      ...(form.loss ? [`loss ${figure(this.#loss)}`] : []),
      ...(form.dynamics && this.#dynamicsLoss !== null ? [`dynamics ${figure(this.#dynamicsLoss)}`] : []),
      ...(this.#screen.isTTY && this.#last ? this.#evaluation(this.#last, form) : []),
      ...(rate > 0 ? [`${duration((this.#total - iteration) / rate)} left`] : []),
    ];
  }

  #evaluation(event: EvaluationEvent, { limit: saysLimit, modes: saysModes }: Form): string[] {
    if (!event.exact) return sampledFigures(event.sampled);
    const { reached, limit, modes } = event;
    const beside = (value: number) => `(${saysLimit ? "limit " : ""}${figure(value)})`;
    return [
      `TV ${figure(reached.tv)} ${beside(limit.tv)}`,
      `KL ${figure(reached.kl)} ${beside(limit.kl)}`,
      ...(modes && saysModes ? [modesFigure(modes)] : []),
    ];
  }

  #line(text: string): void {
    this.#screen.write(this.#screen.isTTY ? `\r\x1b[2K${text}\n` : `${text}\n`);
  }
}

/** Total variation means nothing without what a perfect sampler would show. */
function sampledFigures({ meanScore, tv, floor }: SampledMeasures): string[] {
  const distance = tv === null ? [] : [`sampled TV ${figure(tv)} (perfect ${figure(floor)})`];
  return [...distance, `mean score ${figure(meanScore)}`];
}

/** The most telling of the counts: known modes, else places far apart. */
function modesFigure({ recall, greedy }: FoundModes): string {
  return recall === null ? `modes ${greedy}` : `modes ${(100 * recall).toFixed(0)} %`;
}
