// The progress display of a comparison: a line for each finished experiment and, on a terminal, a progress line.

import { type Experiment, experimentTitle } from "../compare/experiment-grid.ts";
import { recordText } from "../compare/experiment-record.ts";
import type { ComparisonEvent } from "../compare/run-comparison.ts";
import { formatDuration } from "../report/text-format.ts";
import { ProgressLine, type Screen } from "./progress-line.ts";

/** Milliseconds between two updates of the progress line. */
const REDRAW = 100;

export class CompareDisplay {
  readonly #progress: ProgressLine;
  readonly #now: () => number;
  readonly #total: number;
  readonly #remaining: number;
  readonly #start: number;
  /** The running experiments and their progress. */
  readonly #running = new Map<Experiment, number>();
  /** Number of experiments that ended since the start. */
  #ended = 0;
  #lastDrawn = Number.NEGATIVE_INFINITY;

  constructor(
    screen: Screen,
    { total, remaining }: { readonly total: number; readonly remaining: number },
    now: () => number = () => performance.now(),
  ) {
    this.#progress = new ProgressLine(screen, now);
    this.#now = now;
    this.#total = total;
    this.#remaining = remaining;
    this.#start = now();
  }

  handle(event: ComparisonEvent): void {
    switch (event.kind) {
      case "started":
        this.#running.set(event.experiment, 0);
        break;
      case "progress":
        this.#running.set(event.experiment, event.progress);
        break;
      case "record":
        break;
      case "finished":
        this.#end(event.experiment, recordText(event.records.at(-1)));
        break;
      case "failed":
        this.#end(event.experiment, `failed: ${event.message}`);
        break;
      default:
        event satisfies never;
    }
    this.#draw();
  }

  /** Erases the progress line, so that other text can take its place. */
  clear(): void {
    this.#progress.clear();
  }

  #end(experiment: Experiment, text: string): void {
    this.#running.delete(experiment);
    this.#ended++;
    this.#lastDrawn = Number.NEGATIVE_INFINITY;
    this.#progress.print(`${this.#count()}  ${experimentTitle(experiment)}: ${text}`);
  }

  #draw(): void {
    const now = this.#now();
    if (!this.#progress.isTerminal || now - this.#lastDrawn < REDRAW || this.#running.size === 0) return;
    this.#lastDrawn = now;
    // Number of experiments, with the completed fractions of the running ones.
    const done = [...this.#running.values()].reduce((sum, progress) => sum + progress, this.#ended);
    const left = this.#remaining - done;
    const parts = [
      `${this.#count()} experiments`,
      // Methods differ in speed, so an estimate from less than half an experiment is omitted.
      ...(done > 0.5 ? [`${formatDuration(((now - this.#start) / 1000 / done) * left)} left`] : []),
      ...[...this.#running].map(
        ([{ method, stick, seed }, progress]) =>
          `${method}${stick === null ? "" : ` ${stick}`} #${seed} ${Math.round(100 * progress)} %`,
      ),
    ];
    this.#progress.show(parts.join("  "), (this.#total - left) / this.#total);
  }

  /** Number of finished experiments, including those of earlier runs, and of all experiments, such as "3/12". */
  #count(): string {
    return `${this.#total - this.#remaining + this.#ended}/${this.#total}`;
  }
}
