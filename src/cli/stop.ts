// Stops a run early: on a signal such as Ctrl-C, or when the output fails.

import { isClosed, onLostOutput } from "./output.ts";
import { EXIT_CODES } from "./report-error.ts";

export interface StopReason {
  /** Exit code of the process: 128 plus the number of the signal, as in shells. */
  readonly exitCode: number;
  /** Whether the reader has closed the output. */
  readonly closed?: true;
  /** The reason why the output could not be written. */
  readonly failure?: string;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const PIPE_CLOSED = 141;

export class Stop {
  readonly #controller = new AbortController();
  readonly #interrupt = new AbortController();
  readonly #onSignal = (name: NodeJS.Signals) => {
    const exitCode = SIGNALS[name as keyof typeof SIGNALS];
    if (this.interruption.aborted) this.#endAtOnce(name);
    this.#controller.abort({ exitCode } satisfies StopReason);
    this.#interrupt.abort();
  };

  constructor() {
    onLostOutput((error) => {
      this.#controller.abort(
        isClosed(error)
          ? ({ exitCode: PIPE_CLOSED, closed: true } satisfies StopReason)
          : ({
              exitCode: EXIT_CODES.failed,
              failure: `the output cannot be written (${error.code})`,
            } satisfies StopReason),
      );
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted by a signal only, not by lost output: work that needs no output ends too. */
  get interruption(): AbortSignal {
    return this.#interrupt.signal;
  }

  /** By the default action of the signal, which waits for no thread. Shells show the exit code 128 plus its number. */
  #endAtOnce(name: NodeJS.Signals): void {
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  }

  /** Undefined while there is no reason to stop. */
  get reason(): StopReason | undefined {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** Handles signals while the work is running; before and after, they end the process at once. */
  async whileListening<T>(work: () => Promise<T>): Promise<T> {
    const names = Object.keys(SIGNALS) as NodeJS.Signals[];
    for (const name of names) process.on(name, this.#onSignal);
    try {
      return await work();
    } finally {
      for (const name of names) process.off(name, this.#onSignal);
    }
  }
}
