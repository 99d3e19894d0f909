// What a person sees while models learn: a line that moves on a terminal, plain lines elsewhere.

import type { TrainingEvent } from "../../../forecast/model/index.ts";
import { count, duration, figure } from "../../../report/text-table.ts";
import type { Screen } from "../../display.ts";

const BAR = 20;
/** Milliseconds between two plain lines. */
const PLAIN = 5000;

export class Progress {
  readonly #screen: Screen | undefined;
  readonly #now: () => number;
  #drawn: number;

  /** Without a screen nothing is shown. */
  constructor(screen: Screen | undefined, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#drawn = now();
  }

  /** A model after a validation. */
  training(model: string, event: TrainingEvent): void {
    const { iteration, iterations, loss, validation, seconds, left } = event;
    this.show(iteration / (iteration + left), [
      model,
      `${count(iteration)}/${count(iterations)}`,
      `loss ${figure(loss)}`,
      ...(validation === null ? [] : [`validation ${figure(validation)}`]),
      `${duration((seconds * left) / iteration)} left at most`,
    ]);
  }

  /** How much is done, from 0 to 1, and words about it. */
  show(share: number, parts: readonly string[]): void {
    if (!this.#screen) return;
    if (this.#screen.isTTY) {
      const filled = Math.round(BAR * share);
      const text = `${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${parts.join("  ")}`;
      this.#screen.write(`\r\x1b[2K${text.slice(0, (this.#screen.columns ?? 120) - 1)}`);
      return;
    }
    const now = this.#now();
    if (now - this.#drawn < PLAIN) return;
    this.#drawn = now;
    this.#screen.write(`${parts.join("  ")}\n`);
  }

  /** Takes the moving line away, so that something else can be written in its place. */
  clear(): void {
    if (this.#screen?.isTTY) this.#screen.write("\r\x1b[2K");
  }
}
