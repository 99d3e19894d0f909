// What units and workers cost their broker: requests, processor time, memory and connections, measured on a real server.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import { readVersion } from "../../src/cli/version.ts";
import { openBroker } from "../../src/queue/broker.ts";
import { payloadOf } from "../../src/queue/payload.ts";
import { queueAddress } from "../../src/queue/queue-address.ts";
import { sharedQueue } from "../../src/queue/queue-executor.ts";
import { waitUnit } from "../../src/units/wait-unit.ts";
import type { TestBroker } from "./brokers.ts";
import { type Setting, withExecutor, withWorkers } from "./setting.ts";

export interface BrokerCost {
  readonly connectionsPerWorker: number;
  readonly connectionsPerCoordinator: number;
  /** Requests per second of a worker that has nothing to do. */
  readonly idleRequests: number;
  /** Requests per second of a worker with one long unit, with a lock of ten seconds: renewals and looks for stalled units. */
  readonly busyRequests: number;
  /** Requests of one unit, from adding to removing. */
  readonly unitRequests: number;
  /** Processor seconds of the server per unit. */
  readonly unitSeconds: number;
  /** Bytes of a queued unit besides its text. */
  readonly queuedBytes: number;
}

interface Counters {
  /** Requests so far. */
  readonly requests: number;
  readonly connections: number;
  readonly bytes: number;
}

interface Probe {
  counters(): Promise<Counters>;
  close(): Promise<unknown>;
}

const WORKERS = 4;
const NEVER = new AbortController().signal;
/** Processor time is counted in hundredths of a second on Linux. */
const TICKS_PER_SECOND = 100;

export async function measureBrokerCost(
  setting: Setting,
  { units = 2000, seconds = 20 } = {},
): Promise<BrokerCost> {
  const { broker } = setting;
  const probe = await probeOf(broker);
  const name = randomUUID();
  const read = async () => ({
    ...(await probe.counters()),
    cpu: processorSeconds(broker.pid),
    at: performance.now(),
  });
  const over = async (act: () => Promise<unknown>) => {
    const before = await read();
    await act();
    const after = await read();
    return {
      requests: after.requests - before.requests,
      cpu: after.cpu - before.cpu,
      seconds: (after.at - before.at) / 1000,
    };
  };
  try {
    const none = await probe.counters();
    const queued = await queuedBytes(setting, probe, units);
    return await withExecutor(broker.url(), async (executor) => {
      const run = (count: number, from: number, wait: number) =>
        executor.run(
          Array.from({ length: count }, (_, i) => waitUnit(`${name} ${from + i}`, wait)),
          () => {},
          NEVER,
        );
      // A channel opens with the first unit; without a worker, this one waits.
      const first = run(1, 0, 0);
      await sleep(1000);
      const alone = await probe.counters();
      return withWorkers(setting, WORKERS, {}, async () => {
        await first;
        await run(2 * WORKERS, 1, 0.5);
        const withAll = await probe.counters();
        const idle = await over(() => sleep(1000 * seconds));
        const many = await over(() => run(units, 100, 0));
        const busy = await over(() => run(WORKERS, 1_000_000, seconds));
        const perWorker = (amount: number, time: number) => amount / time / WORKERS;
        const [idleRequests, idleCpu] = [idle.requests / idle.seconds, idle.cpu / idle.seconds];
        return {
          connectionsPerWorker: (withAll.connections - alone.connections) / WORKERS,
          connectionsPerCoordinator: alone.connections - none.connections,
          idleRequests: perWorker(idle.requests, idle.seconds),
          busyRequests: perWorker(busy.requests, busy.seconds),
          unitRequests: (many.requests - idleRequests * many.seconds) / units,
          unitSeconds: (many.cpu - idleCpu * many.seconds) / units,
          queuedBytes: queued,
        };
      });
    });
  } finally {
    await probe.close();
  }
}

/** Bytes of a queued unit besides its text. Its queue is emptied afterwards. */
async function queuedBytes({ broker }: Setting, probe: Probe, units: number): Promise<number> {
  const opened = await openBroker(await queueAddress(broker.url()), { warn: () => {} });
  const queue = opened.queue(sharedQueue(readVersion()));
  try {
    const payloads = Array.from({ length: units }, (_, i) =>
      payloadOf(waitUnit(`memory ${i}`, 0), readVersion()),
    );
    const before = await probe.counters();
    await queue.addBulk(
      payloads.map(({ id, text }) => ({
        name: "unit",
        data: { payload: text },
        opts: { jobId: id, attempts: 3 },
      })),
    );
    const after = await probe.counters();
    const text = payloads.reduce((sum, payload) => sum + payload.text.length, 0);
    return (after.bytes - before.bytes - text) / units;
  } finally {
    await queue.obliterate({ force: true });
    await queue.close();
  }
}

function probeOf(broker: TestBroker): Promise<Probe> {
  return broker.store === "redis" ? redisProbe(broker.port) : postgresProbe(broker.url());
}

async function redisProbe(port: number): Promise<Probe> {
  const client = new Redis({ port, host: "127.0.0.1" });
  const number = (text: string, name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)?.[1]);
  return {
    async counters() {
      const [stats, clients, memory] = await Promise.all(
        ["commandstats", "clients", "memory"].map((section) => client.info(section)),
      );
      // One request runs a whole script; the commands inside are part of it.
      const requests = ["evalsha", "eval", "bzpopmin", "xread"].map((command) =>
        Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m").exec(stats)?.[1] ?? 0),
      );
      return {
        requests: requests.reduce((sum, calls) => sum + calls, 0),
        connections: number(clients, "connected_clients"),
        bytes: number(memory, "used_memory"),
      };
    },
    close: () => client.quit(),
  };
}

async function postgresProbe(url: string): Promise<Probe> {
  const client = new pg.Client(url);
  await client.connect();
  const one = async (sql: string) => Number((await client.query<{ n: string }>(sql)).rows[0].n);
  return {
    async counters() {
      await sleep(1500); // the server publishes its statistics once a second
      return {
        requests: await one(
          "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'gflownet'",
        ),
        connections: await one("SELECT count(*) AS n FROM pg_stat_activity WHERE datname = 'gflownet'"),
        bytes: await one("SELECT pg_database_size('gflownet') AS n"),
      };
    },
    close: () => client.end(),
  };
}

/** Processor time of a process and its children so far, also of those that ended. */
function processorSeconds(pid: number): number {
  const stat = (id: string | number) => {
    const text = readFileSync(`/proc/${id}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  };
  const [parentPlace, userPlace, systemPlace] = [1, 11, 12];
  const own = stat(pid);
  let ticks = Number(own[userPlace]) + Number(own[systemPlace]) + Number(own[13]) + Number(own[14]);
  for (const id of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const fields = stat(id);
      if (Number(fields[parentPlace]) === pid)
        ticks += Number(fields[userPlace]) + Number(fields[systemPlace]);
    } catch {
      // it ended meanwhile
    }
  }
  return ticks / TICKS_PER_SECOND;
}
