// The broker: the Redis or PostgreSQL server that keeps a queue, and BullMQ's classes connected to it.
//
// BullMQ and the clients are optional packages, loaded only here. A broker is checked before it is used, with one sentence for
// each problem.

import { isIP } from "node:net";
import type { Job, Queue, QueueEvents, Worker, WorkerOptions } from "bullmq";
import { UserError } from "../issues.ts";
import {
  connectionProblem,
  evictionProblem,
  persistenceProblem,
  postgresVersionProblem,
} from "./broker-problems.ts";
import { addressText, type QueueAddress } from "./queue-address.ts";
import type { StoredCheckpoint } from "./stored-checkpoint.ts";

/** What a job holds. */
export interface JobData {
  /** The text of a unit (`payload.ts`). */
  readonly payload: string;
  /** What a paused unit continues with. */
  readonly checkpoint?: StoredCheckpoint;
}

export type UnitJob = Job<JobData>;
export type UnitQueue = Queue<UnitJob>;
export type Processor = (job: UnitJob, token: string | undefined) => Promise<unknown>;

export interface Broker {
  readonly address: QueueAddress;
  readonly text: string;
  /** Milliseconds that the server's clock is ahead of this machine's, if locks depend on the clocks of workers; otherwise null. */
  readonly clockOffset: number | null;
  readonly errors: Pick<typeof import("bullmq"), "UnrecoverableError" | "WaitingError">;
  queue(name: string): UnitQueue;
  events(name: string): QueueEvents;
  worker(
    name: string,
    process: Processor,
    options: Omit<WorkerOptions, "connection" | "prefix">,
  ): Worker<JobData>;
}

export interface BrokerOptions {
  readonly warn: (message: string) => void;
}

const CONNECT_TIMEOUT_MS = 5000;

/** Connects to a broker and checks that it can keep a queue. Throws a UserError if it cannot. */
export async function openBroker(address: QueueAddress, { warn }: BrokerOptions): Promise<Broker> {
  const bullmq = await loaded(() => import("bullmq"), "bullmq");
  const text = addressText(address);
  const isRedis = address.store === "redis";
  // Locks of Redis expire by its own clock. On PostgreSQL, BullMQ compares times that workers have written.
  const clockOffset = isRedis
    ? await checkRedis(address, warn).then(() => null)
    : await checkPostgres(address);
  const connection = isRedis ? redisOptions(address) : postgresOptions(address);
  const options = { connection, ...(isRedis && { prefix: address.namespace }) };
  const backend = isRedis ? [] : [bullmq.createPostgresBackend];
  // The constructors have one more parameter for PostgreSQL, which their types bind to other type parameters.
  const construct = <T>(given: unknown, ...parameters: unknown[]): T =>
    new (given as new (...all: unknown[]) => T)(...parameters, ...backend);
  if (!isRedis)
    await migrate(
      () => construct(bullmq.Queue, "units", { connection: { ...connection, migrate: true } }),
      text,
    );
  return {
    address,
    text,
    clockOffset,
    errors: bullmq,
    queue: (name) => construct<UnitQueue>(bullmq.Queue, name, options),
    events: (name) => construct<QueueEvents>(bullmq.QueueEvents, name, options),
    worker: (name, process, given) =>
      construct<Worker<JobData>>(bullmq.Worker, name, process, { ...given, ...options }),
  };
}

/** Creates or updates the tables of BullMQ in the schema of the queue. */
async function migrate(create: () => UnitQueue, text: string): Promise<void> {
  const queue = create();
  queue.on("error", () => {});
  try {
    await queue.waitUntilReady();
  } catch (error) {
    throw new UserError(`the queue at ${text} cannot be prepared: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await queue.close();
  }
}

function redisOptions({ host, port, user, password, database, tls }: QueueAddress) {
  return {
    ...{ host, port, db: Number(database), connectTimeout: CONNECT_TIMEOUT_MS },
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    ...(tls && { tls: serverName(host) }),
    // Commands wait for a broker that restarts, instead of failing.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt: number) => Math.min(100 * attempt, 2000),
  };
}

function postgresOptions({ host, port, user, password, database, tls, namespace }: QueueAddress) {
  return {
    ...{ host, port, database, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true },
    ...(user !== null && { user }),
    ...(password !== null && { password }),
    ...(tls && { ssl: serverName(host) }),
    schema: namespace,
    max: 4,
  };
}

/** TLS names a server by its name, not by its address. */
function serverName(host: string): { readonly servername?: string } {
  return isIP(host) ? {} : { servername: host };
}

async function checkRedis(address: QueueAddress, warn: (message: string) => void): Promise<void> {
  const text = addressText(address);
  const { Redis } = await loaded(() => import("ioredis"), "ioredis");
  const { retryStrategy: _, maxRetriesPerRequest: __, ...options } = redisOptions(address);
  const client = new Redis({
    ...options,
    lazyConnect: true,
    retryStrategy: () => null,
    commandTimeout: CONNECT_TIMEOUT_MS,
  });
  let reason: unknown;
  client.on("error", (error: unknown) => {
    reason ??= error;
  });
  const setting = async (name: string): Promise<string | null> => {
    // Managed servers often forbid CONFIG; then its owner has to know.
    const values = await client.config("GET", name).catch(() => null);
    return Array.isArray(values) ? String(values[1] ?? "") : null;
  };
  try {
    await client.connect();
    await client.ping();
    const eviction = evictionProblem(await setting("maxmemory-policy"));
    if (eviction) throw new UserError(`${text} ${eviction}`);
    const persistence = persistenceProblem(await setting("appendonly"), await setting("save"));
    if (persistence) warn(`${text} ${persistence}`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(connectionProblem(reason ?? error, address), { cause: error });
  } finally {
    client.disconnect();
  }
}

/** Returns the milliseconds that the server's clock is ahead. */
async function checkPostgres(address: QueueAddress): Promise<number> {
  const { default: pg } = await loaded(() => import("pg"), "pg");
  const { schema: _, max: __, ...options } = postgresOptions(address);
  const client = new pg.Client(options);
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num");
    const problem = postgresVersionProblem(rows[0].server_version_num);
    if (problem) throw new UserError(`${addressText(address)} ${problem}`);
    const asked = Date.now();
    const clock = await client.query<{ ms: string }>(
      "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS ms",
    );
    return Number(clock.rows[0].ms) - (asked + Date.now()) / 2;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(connectionProblem(error, address), { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

async function loaded<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new UserError(
      `a queue needs the package ${name}, which is not installed; install it with: npm install ${name}`,
      {
        cause: error,
      },
    );
  }
}
