// An HTTP server that only this machine can reach, with limits on connections.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { UserError } from "../issues.ts";

export const ADDRESS = "127.0.0.1";

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

export interface LoopbackServer {
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Serves the app on the port that was asked for; otherwise on the default one, or on any free port if that is in use. Throws a
 * UserError if the port that was asked for is in use. */
export async function startLoopbackServer(
  app: Hono,
  asked: number | undefined,
  byDefault: number,
): Promise<LoopbackServer> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer,
    serverOptions: LIMITS,
  }) as Server;
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, asked, byDefault);
  return {
    port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Listens on a port, and returns it. */
async function listen(server: Server, asked: number | undefined, byDefault: number): Promise<number> {
  try {
    await listenOn(server, asked ?? byDefault);
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
