// Redis and PostgreSQL servers for measurements: on free ports of loopback, with data in temporary folders, durable as a
// production server should be. A server can be killed and started again with its data.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const STORES = ["redis", "postgresql"] as const;
export type Store = (typeof STORES)[number];

export interface TestBroker {
  readonly store: Store;
  readonly port: number;
  readonly pid: number;
  /** The URL for `--queue`; with another port, that of a proxy. */
  url(port?: number): string;
  /** Kills the server by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

const START_MS = 30_000;
const USER = "postgres";

/** A started server. Throws if its program is not installed. */
export async function startBroker(store: Store): Promise<TestBroker> {
  const program = programOf(store);
  if (program === null) throw new Error(`${store} is not installed`);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), `gflownet-${store}-`));
  const owner = store === "postgresql" && process.getuid?.() === 0 ? userIds(USER) : null;
  if (owner) await chown(folder, owner.uid, owner.gid);
  if (store === "postgresql") preparePostgres(program, folder, owner);
  const parameters = store === "redis" ? redisParameters(port, folder) : postgresParameters(port, folder);
  let child: ChildProcess;
  const start = async () => {
    child = spawn(program, parameters, { stdio: "ignore", cwd: folder, ...owner });
    await answers(port, child);
    if (store === "postgresql") await untilSuccess(() => void databaseOf(program, port, owner));
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  };
  await start();
  return {
    store,
    port,
    get pid() {
      return child.pid as number;
    },
    url: (through = port) =>
      store === "redis"
        ? `redis://127.0.0.1:${through}`
        : `postgresql://${USER}@127.0.0.1:${through}/gflownet`,
    kill: () => end("SIGKILL"),
    start,
    async close() {
      await end(store === "redis" ? "SIGTERM" : "SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The path of the server's program; null if it is not installed. */
export function programOf(store: Store): string | null {
  const names = store === "redis" ? ["redis-server", "valkey-server"] : ["postgres"];
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  return (
    folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path)) ??
    null
  );
}

/** The version that a server's program prints. */
export function versionOf(store: Store): string | null {
  const program = programOf(store);
  if (program === null) return null;
  return /\d+(\.\d+)+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[0] ?? null;
}

/** A port of loopback that nobody uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function redisParameters(port: number, folder: string): string[] {
  return [
    ...["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"],
  ];
}

function postgresParameters(port: number, folder: string): string[] {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 200,
    fsync: "on",
    synchronous_commit: "on",
  };
  return [
    "-D",
    join(folder, "data"),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

function preparePostgres(program: string, folder: string, owner: Owner | null): void {
  const initdb = program.replace(/postgres$/, "initdb");
  const parameters = ["-D", join(folder, "data"), "-U", USER, "--auth=trust", "-E", "UTF8", "--no-sync"];
  execFileSync(initdb, parameters, { stdio: "ignore", cwd: folder, ...owner });
}

/** Creates the database if it is missing. */
function databaseOf(program: string, port: number, owner: Owner | null): void {
  const psql = program.replace(/postgres$/, "psql");
  const query = (sql: string) =>
    execFileSync(psql, ["-h", "127.0.0.1", "-p", `${port}`, "-U", USER, "-tAc", sql], {
      encoding: "utf8",
      cwd: "/",
      stdio: ["ignore", "pipe", "ignore"],
      ...owner,
    });
  if (query("SELECT 1 FROM pg_database WHERE datname = 'gflownet'").trim() !== "1") {
    query("CREATE DATABASE gflownet");
  }
}

function userIds(name: string): Owner {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Resolves when the port accepts connections; rejects if the server has ended. */
async function answers(port: number, child: ChildProcess): Promise<void> {
  await untilSuccess(async () => {
    if (child.exitCode !== null) throw new EndedError(`the server ended with exit code ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
    } finally {
      socket.destroy();
    }
  });
}

class EndedError extends Error {}

async function untilSuccess(action: () => Promise<void> | void): Promise<void> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (error instanceof EndedError || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
