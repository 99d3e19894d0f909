// Redis and PostgreSQL servers for tests: each on a free port of loopback, with a password, and with a temporary folder.
// Tests that need a server that is not installed are skipped.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreKind } from "../../src/queue/queue-address.ts";

export const BROKER_PASSWORD = "password-of-the-test";

/** A running server. */
export interface TestBroker {
  readonly store: StoreKind;
  readonly port: number;
  /** Without a password. */
  readonly url: string;
  /** Writes a file for `--queue` with the URL, the password and a namespace, and returns its path. */
  queueFile(namespace: string, more?: { readonly key?: string; readonly url?: string }): string;
  /** Kills the server with SIGKILL. Its data stays. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`, on the same port. */
  restart(): Promise<void>;
  /** Ends the server and deletes its folder. */
  remove(): Promise<void>;
}

const REDIS = process.env.REDIS_SERVER ?? inPath("redis-server");
const POSTGRES = process.env.POSTGRES_BIN ?? newestPostgres();
const START_MS = 30_000;

/** The stores whose servers are installed. */
export const STORES: readonly StoreKind[] = [
  ...(REDIS && existsSync(REDIS) ? (["redis"] as const) : []),
  ...(POSTGRES && existsSync(join(POSTGRES, "initdb")) ? (["postgresql"] as const) : []),
];

/** One line about the tests that are skipped; null if none is. */
export function skippedTests(stores: readonly StoreKind[] = STORES): string | null {
  const packages = { redis: "redis-server", postgresql: "postgresql" } as const;
  const absent = Object.entries(packages).flatMap(([store, name]) =>
    stores.includes(store as StoreKind) ? [] : [name],
  );
  if (absent.length === 0) return null;
  return `Tests of queues that need ${absent.join(" or ")} are skipped, because it is not installed.`;
}

/** Starts a server. `options`: more settings of Redis, or of PostgreSQL as NAME=VALUE. */
export async function startBroker(store: StoreKind, options: readonly string[] = []): Promise<TestBroker> {
  const folder = mkdtempSync(join(tmpdir(), "gflownet-broker-"));
  const port = await freePort();
  const isRedis = store === "redis";
  const owner = isRedis ? null : serverUser();
  if (!isRedis) prepareDatabase(folder, owner);
  const [program, args] = isRedis
    ? redisCommand(folder, port, options)
    : postgresCommand(folder, port, options);
  const url = isRedis ? `redis://127.0.0.1:${port}` : `postgresql://postgres@127.0.0.1:${port}/postgres`;

  let child: ChildProcess;
  const endNow = () => child.kill(isRedis ? "SIGKILL" : "SIGQUIT");
  const start = async () => {
    child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd: folder, ...owner });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        printed = (printed + text).slice(-2000);
      });
    }
    await untilReady(store, port, () => {
      if (child.exitCode !== null) throw new Error(`${program} ended: ${printed}`);
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  process.once("exit", endNow);
  await start();
  return {
    ...{ store, port, url },
    queueFile(namespace, { key, url: given = url } = {}) {
      const file = join(folder, `queue-${namespace}.json`);
      const content = { url: given, password: BROKER_PASSWORD, namespace, ...(key && { key }) };
      writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
      return file;
    },
    kill: () => end("SIGKILL"),
    restart: start,
    async remove() {
      process.off("exit", endNow);
      await end(isRedis ? "SIGKILL" : "SIGQUIT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Command = readonly [program: string, args: string[]];

function redisCommand(folder: string, port: number, options: readonly string[]): Command {
  const place = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const safety = [
    "--requirepass",
    BROKER_PASSWORD,
    "--appendonly",
    "yes",
    "--maxmemory-policy",
    "noeviction",
  ];
  return [REDIS ?? "", [...place, ...safety, ...options]];
}

function postgresCommand(folder: string, port: number, options: readonly string[]): Command {
  // The tests kill the server, never the machine, so nothing needs to reach the disk.
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    ...options,
  ];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  return [join(POSTGRES ?? "", "postgres"), ["-D", join(folder, "data"), "-p", `${port}`, ...flags]];
}

function prepareDatabase(folder: string, owner: ReturnType<typeof serverUser>): void {
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, BROKER_PASSWORD);
  const access = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const quick = ["--no-sync", "--no-instructions", "--locale=C", "--encoding=UTF8"];
  execFileSync(join(POSTGRES ?? "", "initdb"), ["-D", join(folder, "data"), ...access, ...quick], {
    ...{ cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
    ...owner,
  });
}

/** PostgreSQL refuses to run as root, so it runs as the user that its package has created. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

async function untilReady(store: StoreKind, port: number, check: () => void): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await answers(store, port))) {
    check();
    if (performance.now() > deadline) throw new Error(`${store} did not start within ${START_MS} ms`);
    await sleep(20);
  }
}

/** Whether the server takes requests, and no longer says that it is loading. */
function answers(store: StoreKind, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isReady: boolean) => {
      socket.destroy();
      done(isReady);
    };
    socket.once("error", () => end(false)).once("close", () => end(false));
    socket.once("connect", () => socket.write(store === "redis" ? redisRequest() : startupMessage()));
    // PostgreSQL asks for the password (R) when it is ready, and answers with an error (E) before.
    socket.once("data", (data: Buffer) =>
      end(store === "redis" ? /^\+OK\r\n\+PONG/.test(data.toString()) : data[0] === "R".charCodeAt(0)),
    );
  });
}

function redisRequest(): string {
  return `AUTH ${BROKER_PASSWORD}\r\nPING\r\n`;
}

function startupMessage(): Buffer {
  const body = Buffer.from("\0\x03\0\0user\0postgres\0database\0postgres\0\0", "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, "close");
  return port;
}

function inPath(name: string): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Debian installs each version of PostgreSQL into a folder of its own. */
function newestPostgres(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isFinite) : [];
  if (versions.length > 0) return join(root, `${Math.max(...versions)}`, "bin");
  const initdb = inPath("initdb");
  return initdb === null ? null : join(initdb, "..");
}
