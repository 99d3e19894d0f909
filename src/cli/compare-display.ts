// What a person sees while cells run: a line for each that ended and, on a terminal, one that moves.

import { type Cell, cellTitle } from "../compare/grid.ts";
import type { PoolEvent } from "../compare/pool.ts";
import type { CellRecord } from "../compare/record.ts";
import { duration, figure } from "../report/text-table.ts";
import type { Screen } from "./display.ts";

/** Milliseconds between two updates of the moving line. */
const REDRAW = 100;
const BAR = 20;

export class CompareDisplay {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #total: number;
  /** Cells that had ended before. */
  readonly #kept: number;
  readonly #began: number;
  readonly #running = new Map<Cell, number>();
  #ended = 0;
  #drawn = Number.NEGATIVE_INFINITY;

  constructor(
    screen: Screen,
    { total, kept }: { readonly total: number; readonly kept: number },
    now: () => number = () => performance.now(),
  ) {
    this.#screen = screen;
    this.#now = now;
    this.#total = total;
    this.#kept = kept;
    this.#began = now();
  }

  handle(event: PoolEvent): void {
    switch (event.kind) {
      case "begun":
        this.#running.set(event.cell, 0);
        break;
      case "progress":
        this.#running.set(event.cell, event.share);
        break;
      case "record":
        break;
      case "finished":
        this.#end(event.cell, reachedText(event.records.at(-1)));
        break;
      case "failed":
        this.#end(event.cell, `failed: ${event.message}`);
        break;
      default:
        event satisfies never;
    }
    this.#draw();
  }

  /** Takes the moving line away, so that something else can be written in its place. */
  clear(): void {
    if (this.#screen.isTTY) this.#screen.write("\r\x1b[2K");
  }

  #end(cell: Cell, text: string): void {
    this.#running.delete(cell);
    this.#ended++;
    this.#drawn = Number.NEGATIVE_INFINITY;
    this.clear();
    this.#screen.write(`${this.#kept + this.#ended}/${this.#total}  ${cellTitle(cell)}: ${text}\n`);
  }

  #draw(): void {
    const now = this.#now();
    if (!this.#screen.isTTY || now - this.#drawn < REDRAW || this.#running.size === 0) return;
    this.#drawn = now;
    const shares = [...this.#running.values()].reduce((sum, share) => sum + share, 0);
    const made = this.#ended + shares;
    const left = this.#total - this.#kept - made;
    const filled = Math.floor((BAR * (this.#kept + made)) / this.#total);
    const parts = [
      `${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${this.#kept + this.#ended}/${this.#total} cells`,
      // Cells of different methods take different times: a guess from little is none.
      ...(made > 0.5 ? [`${duration(((now - this.#began) / 1000 / made) * left)} left`] : []),
      ...[...this.#running].map(
        ([{ method, stick, seed }, share]) => `${method} ${stick} #${seed} ${Math.round(100 * share)} %`,
      ),
    ];
    this.#screen.write(`\r\x1b[2K${parts.join("  ").slice(0, (this.#screen.columns ?? 120) - 1)}`);
  }
}

function reachedText(last: CellRecord | undefined): string {
  if (!last) return "nothing was made";
  const { tv, kl, sampledTv, sampledFloor, limitTv, limitKl, modesFound, modes, seconds } = last;
  return [
    ...(tv === null ? [] : [`TV ${figure(tv)} (limit ${figure(limitTv)})`]),
    ...(kl === null ? [] : [`KL ${figure(kl)} (limit ${figure(limitKl)})`]),
    ...(sampledTv === null ? [] : [`sampled TV ${figure(sampledTv)} (floor ${figure(sampledFloor)})`]),
    `modes ${modesFound}/${modes}`,
    duration(seconds),
  ].join("  ");
}
