// The playground's server: sends the files of the built page to browsers on this machine.
//
// It needs no token: the files are the same for everybody, and the server knows nothing of the user and changes nothing.
// Settings are in the part of the address that browsers do not send, and data stay in the page.

import { existsSync } from "node:fs";
import { Hono, type MiddlewareHandler } from "hono";
import { ADDRESS, startLoopbackServer } from "../dashboard/loopback-server.ts";
import { builtPage, staticFiles } from "../dashboard/static-files.ts";

/** The port if none is asked for; another one if it is in use. */
export const DEFAULT_PORT = 7350;

const HEADERS: Readonly<Record<string, string>> = {
  // The page has the same policy in a `meta` element, for hosts that send no headers; a worker has that of its own file.
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    // jax-js, which is the engine where ONNX Runtime cannot run, starts threads from blobs on isolated pages.
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // The page is not cross-origin isolated: its programs have one thread, so they share no memory.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const guard: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  // A service worker keeps the files; a new version must be found at once.
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-cache");
};

export interface PlaygroundServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the server. Throws a UserError if the port that was asked for is in use. `page`: the folder of the built page. */
export async function startPlayground({
  port: asked,
  page = builtPage("playground"),
}: {
  readonly port?: number;
  readonly page?: string;
} = {}): Promise<PlaygroundServer> {
  const app = new Hono();
  app.use(guard);
  app.use(staticFiles(page, "index.html"));
  app.notFound((c) => c.text("gflownet: there is no such page.\n", 404));
  const { port, close } = await startLoopbackServer(app, asked, DEFAULT_PORT);
  return { url: `http://${ADDRESS}:${port}/`, port, close };
}

/** The folder of the built page, for a web host; null if it is not built. */
export function playgroundFolder(): string | null {
  const folder = builtPage("playground");
  return existsSync(folder) ? folder : null;
}
