// Progress of reading a table: the phase, the rows so far, and the seconds since the start.

/** What readers of tables report, and when they stop. */
export interface ReadControl {
  /** Called a few times per second. */
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
  /** Available memory in bytes. Default: that of the process. */
  readonly memory?: number;
}

/** How far the reading of a table has come. */
export interface ReadProgress {
  readonly phase: "counting" | "checking" | "reading";
  /** Rows that are counted, are being checked, or have been read. */
  readonly rows: number;
  /** Rows of the file, once they are counted. */
  readonly total?: number;
  readonly seconds: number;
}

/** Milliseconds between reports. */
const INTERVAL = 250;

/** Reports the progress of one table, at most a few times per second. */
export class ProgressReporter {
  readonly #onProgress: ReadControl["onProgress"];
  readonly #start = performance.now();
  #last = this.#start;

  constructor({ onProgress }: ReadControl) {
    this.#onProgress = onProgress;
  }

  /** Reports unless the last report was a moment ago. */
  report(progress: Omit<ReadProgress, "seconds">): void {
    const now = performance.now();
    if (now - this.#last < INTERVAL) return;
    this.#last = now;
    this.#onProgress?.({ ...progress, seconds: (now - this.#start) / 1000 });
  }

  /** Reports the same progress until the work ends: one query tells nothing before its end. */
  async during<T>(progress: Omit<ReadProgress, "seconds">, work: Promise<T>): Promise<T> {
    const timer = setInterval(() => this.report(progress), INTERVAL);
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }
}
