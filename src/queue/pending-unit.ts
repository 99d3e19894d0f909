// A unit that was sent to a queue and is not finished, with the callers that wait for it.

import type { UnitEvent, UnitHandler, UnitResult } from "../executor/unit.ts";

/** How a unit ended. */
export type Outcome = UnitResult | { readonly failure: string };

/** A call of `run` that waits for the unit. */
export interface Waiter {
  /** Places of the unit in the list of the call; equal units are one job. */
  readonly indices: readonly number[];
  readonly handle: UnitHandler;
  /** Called once, with the error of a handler if there was one. */
  readonly end: (error?: unknown) => void;
}

type EventOf<Kind extends UnitEvent["kind"]> = Omit<Extract<UnitEvent, { kind: Kind }>, "index">;
type AnyEvent = { [Kind in UnitEvent["kind"]]: EventOf<Kind> }[UnitEvent["kind"]];

export class PendingUnit {
  readonly id: string;
  readonly text: string;
  /** The time of the job, by which it is told from one with the same id that an earlier command has added. */
  readonly added = Date.now();
  readonly #waiters = new Set<Waiter>();
  #isStarted = false;
  #isRetried = false;
  #outcome: Outcome | null = null;
  /** Handlers run one after the other. */
  #tail: Promise<void> = Promise.resolve();

  constructor(id: string, text: string) {
    this.id = id;
    this.text = text;
  }

  get isEnding(): boolean {
    return this.#outcome !== null;
  }

  /** Whether the failure of a job that was added at this time is that of an earlier command, which this one tries again. */
  hasFailedEarlier(added: number): boolean {
    return added !== this.added && !this.#isStarted && !this.#isRetried;
  }

  get isAbandoned(): boolean {
    return this.#waiters.size === 0;
  }

  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    if (this.#isStarted) this.#forward(waiter, { kind: "started" });
    if (this.#outcome) this.#forwardEnd(waiter, this.#outcome);
  }

  abandon(waiter: Waiter): void {
    this.#waiters.delete(waiter);
  }

  /** The failure of an earlier command no longer counts. */
  retry(): void {
    this.#isRetried = true;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#forwardToAll({ kind: "started" });
  }

  progress(progress: number): void {
    this.start();
    this.#forwardToAll({ kind: "progress", progress });
  }

  /** Reports the end to all who wait, and resolves when their handlers have done so. */
  async finish(outcome: Outcome): Promise<void> {
    if (this.#outcome) return;
    this.start();
    this.#outcome = outcome;
    for (const waiter of this.#waiters) this.#forwardEnd(waiter, outcome);
    // Others may begin to wait in the meantime.
    for (let tail: unknown; tail !== this.#tail; ) {
      tail = this.#tail;
      await tail;
    }
    for (const { end } of this.#waiters) end();
  }

  #forwardEnd(waiter: Waiter, outcome: Outcome): void {
    if ("failure" in outcome) this.#forward(waiter, { kind: "failed", message: outcome.failure });
    else {
      for (const record of outcome.records) this.#forward(waiter, { kind: "record", record });
      this.#forward(waiter, { kind: "finished", ...outcome });
    }
  }

  #forwardToAll(event: AnyEvent): void {
    for (const waiter of this.#waiters) this.#forward(waiter, event);
  }

  #forward(waiter: Waiter, event: AnyEvent): void {
    this.#tail = this.#tail.then(async () => {
      try {
        for (const index of waiter.indices) {
          if (this.#waiters.has(waiter)) await waiter.handle({ index, ...event } as UnitEvent);
        }
      } catch (error) {
        this.#waiters.delete(waiter);
        waiter.end(error);
      }
    });
  }
}
