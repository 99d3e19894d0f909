// What can be wrong with a broker, as sentences.

import { addressText, PASSWORD_VARIABLE, type QueueAddress } from "./queue-address.ts";

const OLDEST_POSTGRES = 13;

/** The sentence for an error of a first connection. */
export function connectionProblem(error: unknown, address: QueueAddress): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const text = addressText(address);
  const server = address.store === "redis" ? "Redis or Valkey" : "PostgreSQL";
  const has = (pattern: RegExp) => pattern.test(`${code} ${message}`);
  if (has(/ECONNREFUSED/))
    return `there is no ${server} at ${text}: the connection was refused; start it, or correct --queue`;
  if (has(/ENOTFOUND|EAI_AGAIN/)) return `there is no machine with the name ${address.host}; correct --queue`;
  if (has(/WRONGPASS|28P01|28000|invalid username-password|password authentication failed/)) {
    return `${text} refused the user or the password; correct ${PASSWORD_VARIABLE} or the file of the queue`;
  }
  if (has(/NOAUTH|SASL.*password must be a string|no password supplied/)) {
    return `${text} needs a password; put it into ${PASSWORD_VARIABLE}, or into the file of the queue`;
  }
  if (has(/3D000/))
    return `${text} has no database ${address.database}; create it with: createdb ${address.database}`;
  if (has(/EPROTO|wrong version number|ssl3_get_record|packet length too long|does not support SSL/)) {
    return address.tls
      ? `${text} does not speak TLS on this port; use ${address.store === "redis" ? "redis://" : "sslmode=disable"} or the port for TLS`
      : `${text} does not speak the protocol of ${server} on this port; use ${address.store === "redis" ? "rediss:// for TLS" : "sslmode=require for TLS"}, or correct the port`;
  }
  if (has(/CERT|self.signed|unable to verify/i)) {
    return `the certificate of ${text} cannot be verified (${message}); name its authority in NODE_EXTRA_CA_CERTS`;
  }
  if (has(/ETIMEDOUT|timeout|timed out/i)) {
    const tls = address.tls ? "; it may not speak TLS on this port" : "";
    return `${text} did not answer in time${tls}; correct --queue, or look at the server`;
  }
  if (has(/ECONNRESET|EPIPE|closed|terminated/i)) {
    return address.tls
      ? `${text} closed the connection; it may not speak TLS on this port`
      : `${text} closed the connection; it may expect TLS, or be no ${server}`;
  }
  return `${text} cannot be used as a queue: ${message.split("\n")[0]}`;
}

/** Why a Redis server may lose jobs when its memory is full; null if it does not, or does not tell. */
export function evictionProblem(policy: string | null): string | null {
  if (policy === null || policy === "noeviction") return null;
  return `removes keys when its memory is full (maxmemory-policy ${policy}), which would lose units; set it to noeviction`;
}

/** Why a Redis server forgets the queue when it ends; null if it does not, or does not tell. */
export function persistenceProblem(appendOnly: string | null, save: string | null): string | null {
  if (appendOnly === null || appendOnly === "yes" || save) return null;
  return "keeps nothing on disk: if it restarts, units that run are computed again; set appendonly to yes";
}

/**
 * Why a worker cannot take units, if the clocks of workers decide which locks have expired; null if it can. `offset`:
 * milliseconds that the server's clock is ahead; null if clocks do not matter. Two workers may differ by twice the tolerance,
 * and a lock is renewed when half of its time is over.
 */
export function clockProblem(offset: number | null, lockSeconds: number): string | null {
  if (offset === null || Math.abs(offset) <= (1000 * lockSeconds) / 5) return null;
  const seconds = Math.round(Math.abs(offset) / 1000);
  return `has a clock that is ${seconds} s ${offset > 0 ? "ahead of" : "behind"} the clock of this machine, so that workers would take running units from each other; set the clocks, such as with NTP`;
}

/** Why a PostgreSQL server cannot be used; null if it can. `number`: its `server_version_num`, such as 150004. */
export function postgresVersionProblem(number: string): string | null {
  const major = Math.floor(Number(number) / 10_000);
  return major >= OLDEST_POSTGRES
    ? null
    : `is PostgreSQL ${major}; version ${OLDEST_POSTGRES} or later is needed`;
}
