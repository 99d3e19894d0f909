// The dashboard's server: on this machine only, for a browser that has its token.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { UserError } from "../issues.ts";
import { EntryIndex } from "../views/entry-index.ts";
import { MetricStore } from "../views/metric-store.ts";
import { access } from "./access.ts";
import { api } from "./api.ts";
import { FolderWatch } from "./folder-watch.ts";
import { builtPage, staticFiles } from "./static-files.ts";
import { TrainingControl } from "./training-control.ts";
import { ViewThread } from "./view-thread.ts";

/** The port if none is asked for; another one if it is in use. */
export const DEFAULT_PORT = 7340;
const ADDRESS = "127.0.0.1";

/** Limits for connections that say nothing, in milliseconds. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  // The cursor of a page that follows many entries is a long header.
  maxHeaderSize: 2 ** 16,
};
const MOST_CONNECTIONS = 1000;

export interface DashboardOptions {
  /** The folder that is shown. It may not exist yet. */
  readonly folder: string;
  /** Version of the program. */
  readonly version: string;
  /** Default: `DEFAULT_PORT`, or any free port if it is in use. 0: any free port. */
  readonly port?: number;
  /** The command line that trains; null if the dashboard only shows. */
  readonly trainingCommand?: readonly string[] | null;
  /** Default: a random one. */
  readonly token?: string;
  /** Milliseconds between two looks at files that a page follows. Default: 500. */
  readonly pollMs?: number;
  /** The folder of the built page. */
  readonly page?: string;
}

export interface Dashboard {
  readonly port: number;
  /** The address with the token, valid as long as the server runs. */
  readonly url: string;
  /** An address that is valid once, for one minute. */
  urlForOnce(): string;
  /** Number of runs that were started here and still run. */
  readonly training: number;
  /** Ends all connections, and interrupts the runs that were started here; they save their state and end by themselves. */
  close(): Promise<void>;
}

/** Starts the server. Throws a UserError if the port that was asked for is in use. */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { folder, version, trainingCommand = null } = options;
  const index = new EntryIndex(folder);
  const views = new ViewThread();
  const stopped = new AbortController();
  const training = trainingCommand && new TrainingControl({ folder, command: trainingCommand });
  const rules = access(() => port, options.token);
  const app = new Hono();
  app.use(rules.guard);
  app.route(
    "/api",
    api({
      ...{ index, views, training, folder, version },
      store: new MetricStore(),
      watch: new FolderWatch(index, options.pollMs),
      signal: stopped.signal,
    }),
  );
  app.use(staticFiles(options.page ?? builtPage()));
  app.notFound((c) => c.text("gflownet: there is no such page.\n", 404));
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer,
    serverOptions: LIMITS,
  }) as Server;
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options.port);
  // The list is read while the browser starts. A problem is reported to the page that asks for it.
  index.entries().catch(() => {});
  const urlWith = (token: string) => `http://${ADDRESS}:${port}/?token=${token}`;
  return {
    port,
    url: urlWith(rules.token),
    urlForOnce: () => urlWith(rules.tokenForOnce()),
    get training() {
      return training?.count ?? 0;
    },
    async close() {
      stopped.abort();
      training?.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, views.close()]);
    },
  };
}

/** Listens on a port, and returns it. */
async function listen(server: Server, asked: number | undefined): Promise<number> {
  try {
    await listenOn(server, asked ?? DEFAULT_PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (asked === undefined && code === "EADDRINUSE") await listenOn(server, 0);
    else if (code === "EADDRINUSE") {
      throw new UserError([portIssue(`${asked} is in use; choose another one, or leave it out`)]);
    } else if (code === "EACCES") {
      throw new UserError([portIssue(`${asked} needs more rights than you have; choose one from 1024 on`)]);
    } else throw error;
  }
  return (server.address() as AddressInfo).port;
}

function portIssue(message: string) {
  return { path: "port", code: "range", message };
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, ADDRESS);
  await once(server, "listening");
}
