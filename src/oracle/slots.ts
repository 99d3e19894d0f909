// A limited number of slots, for calls that may run at once and at a limited rate.

import { setTimeout as sleep } from "node:timers/promises";

export class Slots {
  #free: number;
  readonly #interval: number;
  #next = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * @param count How many calls may run at once.
   * @param perSecond How many calls may start in a second. Default: any number.
   */
  constructor(count: number, perSecond = Number.POSITIVE_INFINITY) {
    this.#free = count;
    this.#interval = 1000 / perSecond;
  }

  /** Runs an action as soon as there is a slot. Actions start in the order of the calls. */
  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      await this.#pace(signal);
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener("abort", abandon);
        resolve();
      };
      this.#waiting.push(enter);
      signal?.addEventListener("abort", abandon, { once: true });
    });
  }

  /** Waits until the rate permits the next start. */
  async #pace(signal: AbortSignal | undefined): Promise<void> {
    if (this.#interval === 0) return;
    const now = performance.now();
    const start = Math.max(now, this.#next);
    this.#next = start + this.#interval;
    if (start > now) await sleep(start - now, undefined, { signal });
  }
}
