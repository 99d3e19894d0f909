// Repeats a request to a broker until it answers, so that a restart of the broker interrupts nothing.

import { setTimeout as sleep } from "node:timers/promises";

export interface PatienceOptions {
  /** Gives up when it aborts. */
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** Address of the broker, for the warning. */
  readonly broker: string;
}

/** Errors of a connection, which another attempt may not have. Others are thrown. */
const TEMPORARY =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Connection (is closed|terminated|ended)|timeout (exceeded|expired)|LOADING|READONLY|57P0[123]|08\d\d\d|the database system is|server closed the connection|Client has encountered a connection error|CLUSTERDOWN|MASTERDOWN/i;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 2000];
/** Shorter interruptions are not worth a message. */
const WARN_AFTER_MS = 3000;

export async function untilAnswered<T>(
  action: () => Promise<T>,
  { signal, warn, broker }: PatienceOptions,
): Promise<T> {
  const started = performance.now();
  let hasWarned = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await unlessAborted(action(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      if (!hasWarned && performance.now() - started > WARN_AFTER_MS) {
        hasWarned = true;
        warn(`${broker} does not answer (${(error as Error).message}); trying again`);
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }
}

/** Whether an error is one of the connection. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as NodeJS.ErrnoException;
  return (
    TEMPORARY.test(`${code} ${error.message}`) || (error.cause !== undefined && isTemporary(error.cause))
  );
}

/** A request may wait forever for a broker that is gone. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
