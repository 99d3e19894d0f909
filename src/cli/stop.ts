// What ends a run before it is complete: a signal, such as Ctrl-C, or output that nobody reads any more.

import { EXIT_CODES } from "./fail.ts";
import { isClosed, onLostOutput } from "./output.ts";

export interface StopReason {
  /** What the process is to end with: 128 and the number of the signal, as shells have it. */
  readonly exitCode: number;
  /** Whether nobody reads the output any more. */
  readonly closed?: true;
  /** Why the output could not be written. */
  readonly failure?: string;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const PIPE_CLOSED = 141;

export class Stop {
  readonly #controller = new AbortController();
  readonly #onSignal = (name: NodeJS.Signals) => {
    const exitCode = SIGNALS[name as keyof typeof SIGNALS];
    if (this.signal.aborted) process.exit(exitCode); // somebody is in a hurry
    this.#controller.abort({ exitCode } satisfies StopReason);
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

  /** Undefined while nothing has asked for it. */
  get reason(): StopReason | undefined {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** Signals end the process at once, as usual, before and after this. */
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
