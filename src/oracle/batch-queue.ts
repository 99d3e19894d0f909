// Keeps an oracle busy: strings wait in a queue, and as many batches run at once as the oracle permits.

/** One string that somebody waits for. */
export interface Request {
  readonly string: string;
  /** How many callers wait for it. */
  waiters: number;
  /** Interrupts the batch that the string is in, once nobody waits for any of its strings. */
  abandon: (() => void) | null;
}

export interface BatchQueueOptions<R extends Request> {
  /** Largest batch that starts now. */
  readonly batch: () => number;
  /** How many batches run at once. */
  readonly concurrency: number;
  /** Whether few large batches are better than many small ones. */
  readonly prefersLargeBatches?: boolean;
  /** Sends a batch. The next batch may begin when this resolves; it never rejects. */
  readonly send: (requests: readonly R[], signal: AbortSignal) => Promise<void>;
}

export class BatchQueue<R extends Request> {
  readonly #options: BatchQueueOptions<R>;
  #queue: R[] = [];
  #running = 0;

  constructor(options: BatchQueueOptions<R>) {
    this.#options = options;
  }

  /** Adds requests, and starts as many batches as possible. */
  add(requests: readonly R[]): void {
    this.#queue.push(...requests);
    this.#start();
  }

  /** Removes all requests that were not sent yet and that `condition` selects, and returns them. */
  remove(condition: (request: R) => boolean): R[] {
    const removed = this.#queue.filter(condition);
    if (removed.length > 0) this.#queue = this.#queue.filter((request) => !condition(request));
    return removed;
  }

  #start(): void {
    const { concurrency } = this.#options;
    const size = this.#nextBatch();
    while (this.#running < concurrency && this.#queue.length > 0) {
      const requests = this.#queue.splice(0, size);
      this.#running++;
      void this.#send(requests).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  /**
   * The size of the batches that start now. Each of several workers takes half of its share of the queue, so that batches
   * become smaller towards the end and all workers finish at about the same time. If large batches are better, or for a
   * single worker, each takes its whole share.
   */
  #nextBatch(): number {
    const { batch, concurrency, prefersLargeBatches = false } = this.#options;
    const parts = prefersLargeBatches || concurrency === 1 ? concurrency : 2 * concurrency;
    return Math.min(batch(), Math.ceil(this.#queue.length / parts));
  }

  async #send(requests: readonly R[]): Promise<void> {
    const controller = new AbortController();
    const abandon = () => {
      if (requests.every(({ waiters }) => waiters === 0)) controller.abort();
    };
    for (const request of requests) request.abandon = abandon;
    await this.#options.send(requests, controller.signal);
  }
}
