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
  /** Largest batch. */
  readonly batch: number;
  /** How many batches run at once. */
  readonly concurrency: number;
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
    while (this.#running < concurrency && this.#queue.length > 0) {
      const requests = this.#queue.splice(0, this.#nextBatch());
      this.#running++;
      void this.#send(requests).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  /**
   * The size of the next batch. With several workers, each takes half of its share of the queue, so that batches become
   * smaller towards the end and all workers finish at about the same time.
   */
  #nextBatch(): number {
    const { batch, concurrency } = this.#options;
    const waiting = this.#queue.length;
    return Math.min(batch, concurrency === 1 ? waiting : Math.ceil(waiting / (2 * concurrency)));
  }

  async #send(requests: readonly R[]): Promise<void> {
    const controller = new AbortController();
    for (const request of requests) {
      request.abandon = () => {
        if (requests.every(({ waiters }) => waiters === 0)) controller.abort();
      };
    }
    await this.#options.send(requests, controller.signal);
  }
}
