// The dashboard's server: on this machine only, for a browser that has its token.

import { Hono } from "hono";
import { EntryIndex } from "../views/entry-index.ts";
import { MetricStore } from "../views/metric-store.ts";
import { access } from "./access.ts";
import { api } from "./api.ts";
import { FolderWatch } from "./folder-watch.ts";
import { ADDRESS, startLoopbackServer } from "./loopback-server.ts";
import { builtPage, staticFiles } from "./static-files.ts";
import { TrainingControl } from "./training-control.ts";
import { ViewThread } from "./view-thread.ts";

/** The port if none is asked for; another one if it is in use. */
export const DEFAULT_PORT = 7340;

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
  app.use(staticFiles(options.page ?? builtPage("dashboard"), "dashboard.html"));
  app.notFound((c) => c.text("gflownet: there is no such page.\n", 404));
  const server = await startLoopbackServer(app, options.port, DEFAULT_PORT);
  const { port } = server;
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
      await Promise.all([server.close(), views.close()]);
    },
  };
}
