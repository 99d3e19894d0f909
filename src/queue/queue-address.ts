// Where a queue is: a URL, or a file with the URL and its secrets. A password never stands on the command line, where every
// user of the machine can read it.

import { readFile, stat } from "node:fs/promises";
import { UserError } from "../issues.ts";

/** The server that keeps the queue. */
export type StoreKind = "redis" | "postgresql";

export interface QueueAddress {
  readonly store: StoreKind;
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  /** Number of a Redis database, or name of a PostgreSQL database. */
  readonly database: string;
  readonly tls: boolean;
  /** Key that results are signed with; null if there is none. */
  readonly key: string | null;
  /** Prefix of all keys of Redis, or schema of PostgreSQL. */
  readonly namespace: string;
}

const SCHEMES: Readonly<Record<string, { store: StoreKind; tls: boolean; port: number }>> = {
  "redis:": { store: "redis", tls: false, port: 6379 },
  "rediss:": { store: "redis", tls: true, port: 6379 },
  "postgres:": { store: "postgresql", tls: false, port: 5432 },
  "postgresql:": { store: "postgresql", tls: false, port: 5432 },
};
const EXAMPLES = "redis://HOST:6379 or postgresql://USER@HOST:5432/DATABASE";
const FILE_KEYS = ["url", "password", "key", "namespace"] as const;
const LARGEST_FILE = 2 ** 16;
const DEFAULT_NAMESPACE = "gflownet";
/** Fewer characters could be guessed. */
const SHORTEST_KEY = 16;

export const PASSWORD_VARIABLE = "GFLOWNET_QUEUE_PASSWORD";
export const KEY_VARIABLE = "GFLOWNET_QUEUE_KEY";

type Variables = Readonly<Record<string, string | undefined>>;

/** The address that `--queue` names: a URL without a password, or a file. Throws a UserError if something is wrong with it. */
export async function queueAddress(
  given: string,
  variables: Variables = process.env,
  warn: (message: string) => void = () => {},
): Promise<QueueAddress> {
  if (!/^[a-z]+:\/\//i.test(given)) return addressOfFile(given, variables, warn);
  const address = parseUrl(given, "--queue");
  if (address.password !== null) {
    throw new UserError(
      `--queue must have no password, because other users of the machine can read command lines; put it into ${PASSWORD_VARIABLE}, or the URL into a file and give the file`,
    );
  }
  return complete(address, {}, variables);
}

/** Whether the server is on this machine. */
export function isLoopback({ host }: Pick<QueueAddress, "host">): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The address as text without secrets. */
export function addressText({ store, host, port, tls, database }: QueueAddress): string {
  const scheme = store === "redis" ? (tls ? "rediss" : "redis") : "postgresql";
  const name = host.includes(":") ? `[${host}]` : host;
  return `${scheme}://${name}:${port}${store === "redis" && database === "0" ? "" : `/${database}`}`;
}

async function addressOfFile(
  file: string,
  variables: Variables,
  warn: (message: string) => void,
): Promise<QueueAddress> {
  const { size, mode } = await stat(file);
  if (size > LARGEST_FILE)
    throw new UserError(`${file} has ${size} bytes; a file of a queue has a few lines`);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    warn(`${file} can be read by other users of this machine; protect it with chmod 600`);
  }
  const values = parseFile(await readFile(file, "utf8"), file);
  if (values.url === undefined) throw new UserError(`${file} must have a \`url\`, such as ${EXAMPLES}`);
  return complete(parseUrl(values.url, file), values, variables);
}

type FileValues = Partial<Record<(typeof FILE_KEYS)[number], string>>;

function parseFile(text: string, file: string): FileValues {
  const form = `a JSON object with the texts ${FILE_KEYS.join(", ")}`;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file} must be ${form}: ${(error as Error).message}`, { cause: error });
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new UserError(`${file} must be ${form}`);
  }
  const wrong = Object.entries(given).find(
    ([name, value]) => !FILE_KEYS.some((key) => key === name) || typeof value !== "string",
  );
  if (wrong)
    throw new UserError(`${file} must be ${form}; ${JSON.stringify(wrong[0])} is not one of them or no text`);
  return given as FileValues;
}

type ParsedUrl = Omit<QueueAddress, "key" | "namespace">;

function parseUrl(text: string, source: string): ParsedUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  const scheme = url && SCHEMES[url.protocol];
  if (!url || !scheme || !url.hostname) {
    // The text may hold a password, so it is not shown.
    throw new UserError(`${source} must name a queue as ${EXAMPLES} (rediss:// for TLS)`);
  }
  const { store } = scheme;
  const decoded = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch (error) {
      // Nor is the part, for the same reason.
      throw new UserError(
        `${source}: a % in the URL must be followed by two hexadecimal digits; write %25 for a %`,
        {
          cause: error,
        },
      );
    }
  };
  const database = decoded(url.pathname.slice(1)) || (store === "redis" ? "0" : "gflownet");
  if (store === "redis" && !/^\d+$/.test(database)) {
    throw new UserError(`${source}: the database of Redis must be a number, got ${JSON.stringify(database)}`);
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== "sslmode");
  if (unknown !== undefined)
    throw new UserError(`${source}: there is no option ${JSON.stringify(unknown)}; use sslmode`);
  const sslmode = url.searchParams.get("sslmode");
  if (sslmode !== null && !["require", "verify-full", "disable"].includes(sslmode)) {
    throw new UserError(
      `${source}: sslmode must be require, verify-full or disable, got ${JSON.stringify(sslmode)}`,
    );
  }
  return {
    store,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? scheme.port : Number(url.port),
    user: url.username === "" ? null : decoded(url.username),
    password: url.password === "" ? null : decoded(url.password),
    database,
    tls: scheme.tls || (sslmode !== null && sslmode !== "disable"),
  };
}

function complete(parsed: ParsedUrl, file: FileValues, variables: Variables): QueueAddress {
  const namespace = file.namespace ?? DEFAULT_NAMESPACE;
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(namespace)) {
    throw new UserError(
      `the namespace of the queue must have 1 to 31 lower-case letters, digits and underscores, got ${JSON.stringify(namespace)}`,
    );
  }
  const key = file.key ?? variables[KEY_VARIABLE] ?? null;
  if (key !== null && key.length < SHORTEST_KEY) {
    throw new UserError(
      `the key of the queue must have at least ${SHORTEST_KEY} characters; make one with: openssl rand -hex 32`,
    );
  }
  const address = {
    ...parsed,
    password: file.password ?? parsed.password ?? variables[PASSWORD_VARIABLE] ?? null,
    key,
    namespace,
  };
  if (key === null && !isLoopback(address)) {
    throw new UserError(
      `a queue on another machine (${address.host}) needs a key that results are signed with; put the same key into ${KEY_VARIABLE}, or into the file of the queue, for this command and all workers: openssl rand -hex 32`,
    );
  }
  return address;
}
